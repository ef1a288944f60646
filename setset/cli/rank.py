"""`setset rank`"""

from __future__ import annotations

from pathlib import Path

import click

from setset.cli import options


@click.command(context_settings=options.NEGATIVE_NUMBERS_ARE_ARGUMENTS)
@options.cards
@options.as_json
@options.workspace
def command(cards: tuple[str, ...], as_json: bool, workspace: Path) -> None:
    """The place of CARDS without a set among all lists of their size, from 0. Needs no workspace.

    Lists go class by class, and in a class in the order of `setset members`; `setset unrank` goes back.

    \b
    Example:
      setset rank 80 3 14 40 5
    """
    import setset
    from setset.show.classes import print_rank

    hand = options.parse_hand(cards)
    catalogue = setset.load_catalogue(workspace, len(hand))
    print_rank(hand, setset.rank(hand, catalogue), catalogue, as_json)
