"""`setset deal`: some cards from a shuffled deck."""

import click

from setset.cli import options


@click.command("deal")
@options.size("Number of cards, 12 by default, 9 or 6 of a smaller deck", least=1, most=81, option="--cards")
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

    cards, deal_seed = options.named_or_dealt((), size or 3 * dimension, seed, dimension)
    hands.show_deal(cards, deal_seed, as_json)
