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
@options.dimension
@click.option("--ultra", is_flag=True, help="Find ultra sets: four cards, two pairs that one card completes to sets.")
@options.as_json
@click.pass_context
def command(
    ctx: click.Context,
    cards: tuple[str, ...],
    file: TextIO | None,
    count: int | None,
    seed: int | None,
    dimension: int,
    ultra: bool,
    as_json: bool,
) -> None:
    """Find every set among CARDS: numbers 0 to 80, names or codes.

    Exit code 1 if the cards hold no set. With --file or -, prints a line per hand: its cards, a colon and its sets; the
    exit code stays 0 for a hand without a set.

    \b
    Examples:
      setset find 0 40 80 7
      setset find "red one solid diamond, two green shaded squiggles, p3eo"
      setset find --deal 12 --seed 7 --ultra
      setset find --file tables.txt --json
      setset find --deal 9 --dimension 3
    """
    from setset.show import hands
    from setset.show.formatting import print_lines
    from setset.table import find_sets, find_ultra_sets

    search, key = (find_ultra_sets, "ultra_sets") if ultra else (find_sets, "sets")
    many = Hands.from_command_line(cards, file, count, seed, dimension)
    if many is not None:
        print_lines(hands.sets_line(line, hand, search(hand), key, as_json) for line, hand in many)
        ctx.exit(many.exit_code)
    chosen, deal_seed = options.named_or_dealt(cards, count, seed, dimension)
    sets = search(chosen)
    hands.show_sets(chosen, sets, key, deal_seed, as_json)
    ctx.exit(0 if sets else 1)
