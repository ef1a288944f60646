"""`setset lists`"""

from __future__ import annotations

from pathlib import Path

import click

from setset.cli import options


@click.command()
@options.size(required=True, help="The size of the lists.")
@click.option("--batch", "number", type=click.IntRange(0), help="Only this batch.")
@click.option("--start", type=click.IntRange(0), default=0, help="Start at this list, numbered from 0.")
@click.option("--limit", type=click.IntRange(0), default=10, show_default=True, help="How many lists.")
@click.option("--all", "everything", is_flag=True, help="All lists, however many.")
@click.option("--names", is_flag=True, help="Names of cards instead of numbers.")
@options.target
@options.as_json
@options.workspace
def command(
    size: int,
    number: int | None,
    start: int,
    limit: int,
    everything: bool,
    names: bool,
    target: int,
    as_json: bool,
    workspace: Path,
) -> None:
    """Print lists straight from the files, in lexicographic order.

    \b
    Examples:
      setset lists --size 6 --limit 3 --names
      setset lists --size 9 --start 20000000000
    """
    import json

    from setset.cards import name
    from setset.database.store import Store
    from setset.folder import Workspace
    from setset.workspace.lists import lists

    store = Store.reading(Workspace(workspace))
    for cards in lists(store, target, size, number, start, None if everything else limit):
        if as_json:
            click.echo(json.dumps([name(card) for card in cards] if names else cards))
        else:
            click.echo(", ".join(name(card) for card in cards) if names else " ".join(map(str, cards)))
