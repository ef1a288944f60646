"""`setset deal`: some cards from a shuffled deck."""

import click

from setset.cli import options


@click.command("deal")
@click.option("--cards", "count", type=click.IntRange(1, 81), default=12, show_default=True, help="How many.")
@options.seed
@options.as_json
def command(count: int, seed: int | None, as_json: bool) -> None:
    """Deal cards from a shuffled deck and draw them. The same seed deals the same cards, for ever.

    \b
    Example:
      setset deal --cards 12 --seed 7
    """
    from setset.show import hands

    cards, dealt_from = options.named_or_dealt((), count, seed)
    hands.show_deal(cards, dealt_from, as_json)
