"""`setset partitions`: the deck split into a single card and four hands of 20 cards without a set."""

import click

from setset.cli import options


@click.command("partitions")
@options.cards
@click.option(
    "--number", type=click.IntRange(1, 216), default=1, show_default=True, help="Number of the partition to draw."
)
@options.as_json
def command(cards: tuple[str, ...], number: int, as_json: bool) -> None:
    """Split the deck into a single card and four hands of 20 cards without a set.

    CARDS are one of the four hands: 20 cards without a set, by default the canonical form of class 20/0. Prints facts
    about all partitions with this hand, and draws one partition with a letter per hand.

    \b
    Examples:
      setset partitions
      setset partitions --number 216 --json
    """
    import setset
    from setset.cards import parse_cards
    from setset.show.partitions import print_partitions

    print_partitions(setset.find_partitions(parse_cards(cards) if cards else None), number, as_json)
