"""Prints the partitions of the deck into four hands of 20 cards and one card, as text or JSON."""

import click

from setset.cards import CARDS, Cards
from setset.show.formatting import how_many, number, print_fields, print_json, spaced
from setset.symmetry.partitions import Partitions

WIDTH = 9
"""Cards per line of the drawing. All cards of a line have the same colour and number of symbols."""


def print_partitions(partitions: Partitions, number_shown: int, as_json: bool) -> None:
    """Prints the number of partitions, and draws the partition with the number `number_shown`, from 1, as letters."""
    chosen = (partitions.cards, *partitions.partitions[number_shown - 1])
    kinds = [{"pair_in": times, "partitions": many} for times, many in partitions.kinds.items()]
    pairs = sorted(partitions.partners.values())
    partners = [{"partitions": times, "hands": pairs.count(times)} for times in sorted(set(pairs))]
    if as_json:
        counts = {
            "anchor": partitions.anchor,
            "partitions": len(partitions.partitions),
            "partitions_of_deck": partitions.of_deck,
        }
        print_json(
            {**counts, "disjoint": partners, "kinds": kinds, "demicaps": len(partitions.demicaps), "hands": chosen}
        )
        return
    lines: dict[str, str | None] = {
        "of the deck": f"{number(partitions.of_deck)} partitions",
        "through a hand": f"{len(partitions.partitions)}, all with the single card {partitions.anchor}",
        "disjoint hands": f"{len(pairs)}: "
        + ", ".join(f"{partner['hands']} in {partner['partitions']}" for partner in partners)
        + " partitions",
        "two kinds": ", ".join(
            f"{kind['partitions']} with a hand in only {how_many(kind['pair_in'], 'partition')}" for kind in kinds
        ),
        "demicaps": f"{len(partitions.demicaps)}: a hand in only 1 partition is the union of two",
    }
    print_fields(lines)
    click.echo(f"\npartition {number_shown}: a letter per hand, * is the single card\n")
    click.echo("\n".join(draw(chosen)))


def draw(hands: tuple[Cards, ...]) -> list[str]:
    """Draws a partition in lines of nine cards: a card is the letter A to D of its hand, or * for the single card."""
    letters = dict.fromkeys(range(CARDS), "*")
    for letter, cards in zip("ABCD", hands, strict=True):
        letters.update(dict.fromkeys(cards, letter))
    return [spaced(letters[card] for card in range(start, start + WIDTH)) for start in range(0, CARDS, WIDTH)]
