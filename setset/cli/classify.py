"""`setset classify`"""

from __future__ import annotations

from pathlib import Path

import click

from setset.cli import options


@click.command(context_settings=options.NEGATIVE_NUMBERS_ARE_ARGUMENTS)
@options.cards
@options.wide
@options.as_json
@options.workspace
@click.pass_context
def command(ctx: click.Context, cards: tuple[str, ...], wide: bool, as_json: bool, workspace: Path) -> None:
    """The class of CARDS without a set: numbers 0 to 80, names or codes. Needs no workspace.

    Exit code 1, and the set, if the cards hold one.

    \b
    Examples:
      setset classify 80 3 14 40 5
      setset classify r1fd g2hs "purple three open diamond"
    """
    import setset
    from setset.show.classes import print_classified, print_held_set

    hand = options.parse_hand(cards)
    catalogue = setset.load_catalogue(workspace, len(hand))
    try:
        found = setset.classify(hand, catalogue)
    except setset.HoldsSet as held:
        print_held_set(hand, held, as_json)
        ctx.exit(1)
    print_classified(found, catalogue, as_json, wide)
