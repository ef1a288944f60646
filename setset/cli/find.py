"""`setset find`: every set among some cards."""

from typing import TextIO

import click

from setset.cli import options
from setset.cli.many import Hands


@click.command("find")
@options.cards
@options.hands_file
@options.deal_instead
@options.seed
@click.option("--ultra", is_flag=True, help="Find ultra sets: two pairs of cards that share their third card.")
@options.as_json
@click.pass_context
def command(
    ctx: click.Context,
    cards: tuple[str, ...],
    file: TextIO | None,
    count: int | None,
    seed: int | None,
    ultra: bool,
    as_json: bool,
) -> None:
    """Find every set among CARDS: numbers 0 to 80, names or codes.

    Exit code 1 if there is none. Of many hands, none in one is an answer like the others: a line has the cards,
    a colon and the sets.

    \b
    Examples:
      setset find 0 40 80 7
      setset find "red one solid diamond, two green shaded squiggles, p3eo"
      setset find --deal 12 --seed 7 --ultra
      setset find --file tables.txt --json
    """
    from setset.show import hands
    from setset.show.formatting import print_lines
    from setset.table import find_sets, find_ultra_sets

    search, what = (find_ultra_sets, "ultra_sets") if ultra else (find_sets, "sets")
    many = Hands.asked_for(cards, file, count, seed)
    if many is not None:
        print_lines(hands.sets_line(line, hand, search(hand), what, as_json) for line, hand in many)
        ctx.exit(many.exit_code)
    chosen, dealt_from = options.named_or_dealt(cards, count, seed)
    found = search(chosen)
    hands.show_sets(chosen, found, what, dealt_from, as_json)
    ctx.exit(0 if found else 1)
