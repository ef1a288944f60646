"""`setset members`"""

from __future__ import annotations

from pathlib import Path

import click

from setset.cli import options


@click.command()
@click.option("--class", "which", required=True, metavar="SIZE/NUMBER", help="The class, such as 12/700.")
@click.option("--start", type=int, default=0, help="Start at the list of this rank, from 0.")
@click.option("--limit", type=click.IntRange(0), default=10, show_default=True, help="How many lists.")
@click.option("--all", "everything", is_flag=True, help="All lists from there on, however many.")
@options.names
@options.json_lines
@options.workspace
def command(
    which: str, start: int, limit: int, everything: bool, names: bool, as_json: bool, workspace: Path
) -> None:
    """The lists of a class, each once, in a fixed order. Needs no workspace.

    \b
    Examples:
      setset members --class 20/0 --limit 3
      setset members --class 12/700 --start 1000000000 --names
    """
    from setset.errors import BadInput
    from setset.folder import Workspace
    from setset.show.classes import print_lists
    from setset.symmetry import member_arrays
    from setset.workspace.catalogue import at_hand

    parts = which.split("/")
    if len(parts) != 2:
        raise BadInput(f"not a class: {which!r} (give its size and number, such as 12/700)")
    size, number = (options.whole_number(part, "class") for part in parts)
    one = at_hand(Workspace(workspace), size).get(size, number)
    chunk = 4096 if everything else max(1, min(limit, 4096))
    print_lists(member_arrays(one, start, chunk), names, as_json, None if everything else limit)
