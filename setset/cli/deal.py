"""`setset deal`: some cards from a shuffled deck."""

import click

from setset.cli import options


@click.command("deal")
@options.size(help="The number of cards; by default 12 (--dimension 3: 9, 2: 6).", least=1, most=81, option="--cards")
@options.dimension
@options.seed
@options.as_json
def command(size: int | None, dimension: int, seed: int | None, as_json: bool) -> None:
    """Deal N cards from a shuffled deck and draw them. The same seed always deals the same cards.

    \b
    Examples:
      setset deal 12 --seed 7
      setset deal --dimension 3
    """
    from setset.show import hands

    cards, dealt_from = options.named_or_dealt((), size or 3 * dimension, seed, dimension)
    hands.show_deal(cards, dealt_from, as_json)
