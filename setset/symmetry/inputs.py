"""What is taken for a list of cards, and what is said of anything else."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations, pairwise
from operator import index

from setset.cards import CARDS, LARGEST, third
from setset.errors import BadInput, SetsetError


class HoldsSet(SetsetError):
    """A hand that was to be a list holds a set; `cards` are the three, the first ones if there are more."""

    def __init__(self, cards: tuple[int, int, int]) -> None:
        self.cards = cards
        super().__init__("the cards hold a set: {} {} {}".format(*cards))


def checked(cards: Iterable[int]) -> tuple[int, ...]:
    """The cards in ascending order, which are a list: in range, all different, no set among them."""
    hand = tuple(sorted(_card(card) for card in cards))
    for low, high in pairwise(hand):
        if low == high:
            raise BadInput(f"card {low} is given twice")
    held = set(hand)
    for a, b in combinations(hand, 2):
        if (c := third(a, b)) in held:
            raise HoldsSet((a, b, c))
    return hand


def checked_size(size: int, least: int = 0, largest: int = LARGEST) -> int:
    """The size, if there are lists of that size."""
    if not least <= size <= largest:
        raise BadInput(f"there are lists of {least} to {largest} cards, not of {size}")
    return size


def _card(card: int) -> int:
    try:
        number = index(card)
    except TypeError:
        raise BadInput(f"not a card: {card!r} (a card is a number 0 to {CARDS - 1})") from None
    if not 0 <= number < CARDS:
        raise BadInput(f"not a card: {number} (a card is a number 0 to {CARDS - 1})")
    return number
