"""The partitions of the deck into four hands of 20 cards and one card."""

import click

from setset.cards import CARDS, Cards
from setset.show.formatting import number, print_fields, print_json, spaced
from setset.symmetry.partitions import Partitions

WIDTH = 9
"""Cards per line of the drawing: a line has one colour and count."""


def print_partitions(found: Partitions, which: int, as_json: bool) -> None:
    """Their numbers, and the one of this number as letters on the deck."""
    chosen = (found.cards, *found.partitions[which - 1])
    kinds = [{"pair_in": times, "partitions": many} for times, many in found.kinds.items()]
    pairs = sorted(found.partners.values())
    partners = [{"partitions": times, "hands": pairs.count(times)} for times in sorted(set(pairs))]
    if as_json:
        counts = {"anchor": found.anchor, "partitions": len(found.partitions), "partitions_of_deck": found.of_deck}
        print_json({**counts, "disjoint": partners, "kinds": kinds, "demicaps": len(found.demicaps), "hands": chosen})
        return
    lines: dict[str, str | None] = {
        "of the deck": f"{number(found.of_deck)} partitions",
        "through a hand": f"{len(found.partitions)}, all with the card {found.anchor} left over",
        "disjoint hands": f"{len(pairs)}: "
        + ", ".join(f"{each['hands']} in {each['partitions']}" for each in partners),
        "two kinds": ", ".join(f"{each['partitions']} with a pair that is in {each['pair_in']}" for each in kinds),
        "demicaps": f"{len(found.demicaps)}, whose unions are the hands in one partition",
    }
    print_fields(lines)
    click.echo(f"\nnumber {which}, a letter per hand, * the card left over\n")
    click.echo("\n".join(draw(chosen)))


def draw(hands: tuple[Cards, ...]) -> list[str]:
    """The deck in lines of nine cards, a letter per hand."""
    letters = dict.fromkeys(range(CARDS), "*")
    for letter, cards in zip("ABCD", hands, strict=True):
        letters.update(dict.fromkeys(cards, letter))
    return [spaced(letters[card] for card in range(start, start + WIDTH)) for start in range(0, CARDS, WIDTH)]
