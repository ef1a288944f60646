"""`setset classify`"""

from __future__ import annotations

from pathlib import Path

import click

from setset.cli import options


@click.command(context_settings=options.MINUS_IS_NO_OPTION)
@options.cards
@options.as_json
@options.workspace
@click.pass_context
def command(ctx: click.Context, cards: tuple[str, ...], as_json: bool, workspace: Path) -> None:
    """The class of CARDS without a set: numbers 0 to 80, names or codes. Needs no workspace.

    Exit code 1, and the set, if the cards hold one.

    \b
    Examples:
      setset classify 80 3 14 40 5
      setset classify r1fd g2hs "purple three open diamond"
    """
    from setset.cards import HoldsSet
    from setset.folder import Workspace
    from setset.show.classes import print_classified, print_held_set
    from setset.symmetry import classify
    from setset.workspace.catalogue import at_hand

    hand = options.named(cards)
    catalogue = at_hand(Workspace(workspace), len(hand))
    try:
        found = classify(hand, catalogue)
    except HoldsSet as held:
        print_held_set(hand, held, as_json)
        ctx.exit(1)
    print_classified(found, catalogue.lists(len(hand)), as_json)
