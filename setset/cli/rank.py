"""`setset rank`"""

from typing import TextIO

import click

from setset.cli import options
from setset.cli.many import Hands


@click.command(context_settings=options.NEGATIVE_NUMBERS_ARE_ARGUMENTS)
@options.cards
@options.hands_file
@options.as_json
@options.ignored_workspace
@click.pass_context
def command(ctx: click.Context, cards: tuple[str, ...], file: TextIO | None, as_json: bool) -> None:
    """Print the rank of CARDS without a set: their index, from 0, among all lists of this size. Needs no workspace.

    Lists are numbered class by class, and in a class in the order of `setset members`. `setset unrank` is the inverse.
    With --file or -, prints a line per hand: rank and cards.

    \b
    Examples:
      setset rank 80 3 14 40 5
      setset rank --file hands.txt
    """
    import setset
    from setset.show.classes import print_rank, rank_line

    catalogue = setset.catalogue_in_memory()
    many = Hands.from_command_line(cards, file)
    if many is None:
        hand = options.parse_hand(cards)
        print_rank(hand, setset.rank(hand, catalogue), catalogue, as_json)
        return
    for line, hand in many:
        try:
            click.echo(rank_line(line, hand, setset.rank(hand, catalogue), catalogue, as_json))
        except setset.SetsetError as error:
            many.report(line, error)
    ctx.exit(many.exit_code)
