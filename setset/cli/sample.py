"""`setset sample`"""

from __future__ import annotations

from pathlib import Path

import click

from setset.cli import options


@click.command()
@click.option("--size", type=int, required=True, help="The size of the lists, 1 to 20.")
@click.option(
    "--count", type=click.IntRange(0, 10_000_000), default=1, show_default=True, help="How many lists."
)
@click.option("--seed", type=click.IntRange(0), help="Draw the lists that this number fixes; else any.")
@options.names
@options.json_lines
@options.workspace
def command(size: int, count: int, seed: int | None, names: bool, as_json: bool, workspace: Path) -> None:
    """Random lists of a size, independent, each as likely as any other. Needs no workspace.

    A seed that was not given is said on stderr.

    \b
    Examples:
      setset sample --size 12 --names
      setset sample --size 18 --count 1000 --seed 7
    """
    from setset.folder import Workspace
    from setset.show.classes import print_lists
    from setset.symmetry import sample
    from setset.table import new_seed
    from setset.workspace.catalogue import at_hand

    chosen = new_seed() if seed is None else seed
    lists = sample(size, count, chosen, at_hand(Workspace(workspace), size))
    if seed is None:
        click.echo(f"seed {chosen}", err=True)
    print_lists((lists[start : start + 4096] for start in range(0, count, 4096)), names, as_json)
