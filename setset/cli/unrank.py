"""`setset unrank`"""

from __future__ import annotations

from pathlib import Path

import click

from setset.cli import options


@click.command(context_settings=options.MINUS_IS_NO_OPTION)
@click.option("--size", type=int, required=True, help="The size of the list, 0 to 20.")
@click.argument("rank")
@options.names
@options.json_lines
@options.workspace
def command(size: int, rank: str, names: bool, as_json: bool, workspace: Path) -> None:
    """The list of this RANK, from 0, among all lists of a size. Needs no workspace.

    \b
    Example:
      setset unrank --size 12 1234567890123
    """
    import numpy as np

    from setset.folder import Workspace
    from setset.show.classes import print_lists
    from setset.symmetry import unrank
    from setset.workspace.catalogue import at_hand

    place = options.whole_number(rank, "rank")
    cards = unrank(size, place, at_hand(Workspace(workspace), size))
    print_lists([np.array([cards], np.uint8)], names, as_json)
