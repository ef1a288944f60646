"""`setset deal`: some cards from a shuffled deck."""

import click

from setset.cli import options


@click.command("deal")
@options.size(help="The number of cards; 12 if left out.", least=1, most=81, option="--cards", default=12)
@options.seed
@options.as_json
def command(size: int, seed: int | None, as_json: bool) -> None:
    """Deal N cards from a shuffled deck and draw them. The same seed deals the same cards, for ever.

    \b
    Example:
      setset deal 12 --seed 7
    """
    from setset.show import hands

    cards, dealt_from = options.named_or_dealt((), size, seed)
    hands.show_deal(cards, dealt_from, as_json)
