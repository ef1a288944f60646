"""`setset rank`"""

from __future__ import annotations

from pathlib import Path

import click

from setset.cli import options


@click.command(context_settings=options.MINUS_IS_NO_OPTION)
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
    from setset.folder import Workspace
    from setset.show.classes import print_rank
    from setset.symmetry import canonical_form, rank
    from setset.workspace.catalogue import at_hand

    hand = options.named(cards)
    form = canonical_form(hand)
    catalogue = at_hand(Workspace(workspace), len(hand))
    place, one = rank(hand, catalogue), catalogue.of_form(form)
    starts = catalogue.starts(len(hand))
    print_rank(hand, place, starts[-1], one, place - starts[one.number], as_json)
