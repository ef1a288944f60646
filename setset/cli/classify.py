"""`setset classify`"""

from typing import TextIO

import click

from setset.cards import check_deck
from setset.cli import options
from setset.cli.many import Hands


@click.command(context_settings=options.NEGATIVE_NUMBERS_ARE_ARGUMENTS)
@options.cards
@options.wide
@options.hands_file
@options.dimension
@options.as_json
@options.ignored_workspace
@click.pass_context
def command(
    ctx: click.Context, cards: tuple[str, ...], wide: bool, file: TextIO | None, dimension: int, as_json: bool
) -> None:
    """Find the class of CARDS without a set: numbers 0 to 80, names, or codes such as r1fd. Needs no workspace.

    If the cards hold a set, prints the set, and the exit code is 1; with --file or - the exit code stays 0.

    \b
    Examples:
      setset classify 80 3 14 40 5
      setset classify r1fd g2hs "purple three open diamond"
      setset classify --dimension 3 r1fd g2fs p1fd
      setset sample --size 12 --count 1000 | setset classify - --json
    """
    import setset
    from setset.show.classes import print_classified, print_held_set, print_many_classified

    catalogue = setset.catalogue_in_memory() if dimension == 4 else setset.Deck(dimension)
    many = Hands.from_command_line(cards, file, dimension=dimension)
    if many is not None:
        options.refuse_given("{option} is for one hand: leave it out with --file or -", "wide")
        print_many_classified(many, catalogue, as_json, many.report, many.rejected)
        ctx.exit(many.exit_code)
    hand = check_deck(options.parse_hand(cards), dimension)
    try:
        classification = (
            catalogue.classify(hand) if isinstance(catalogue, setset.Deck) else setset.classify(hand, catalogue)
        )
    except setset.HoldsSet as held:
        print_held_set(hand, held, as_json)
        ctx.exit(1)
    print_classified(classification, catalogue, as_json, wide)
