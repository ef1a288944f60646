"""`setset partitions`: the deck as four hands of 20 without a set, and a card."""

import click

from setset.cli import options


@click.command("partitions")
@options.cards
@click.option(
    "--number", type=click.IntRange(1, 216), default=1, show_default=True, help="Number of the partition to draw."
)
@options.as_json
def command(cards: tuple[str, ...], number: int, as_json: bool) -> None:
    """Take the deck apart into four hands of 20 cards without a set, and one card left over.

    The 20 CARDS hold no set and are one of the four hands, by default the representative of class 20/0. One of the
    partitions is drawn, with a letter per hand.

    \b
    Examples:
      setset partitions
      setset partitions --number 216 --json
    """
    import setset
    from setset.cards import parse_cards
    from setset.show.partitions import print_partitions

    print_partitions(setset.find_partitions(parse_cards(cards) if cards else None), number, as_json)
