"""The class of a hand, and the chance that a hand has one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import comb

from setset.cards import CARDS, Cards, check_list, third
from setset.lazy import Shown
from setset.symmetry.affine import AffineMap
from setset.symmetry.canonical import canonicalize
from setset.symmetry.catalogue import Catalogue, catalogue_in_memory
from setset.symmetry.classes import ListClass


@dataclass(frozen=True, slots=True)
class Classification(Shown):
    """A list of cards and its class.

    >>> found = classify([80, 3, 14])
    >>> str(found.list_class), found.form, len(found.extensions)
    ('3/0', (0, 1, 3), 75)
    """

    cards: Cards
    form: Cards
    """The canonical form."""
    map: AffineMap
    """Takes the cards to the canonical form."""
    list_class: ListClass
    """Its number, stabilizer, how many lists are in it."""
    extensions: Cards
    """The cards, anywhere in the deck, that can be added to the list."""

    @property
    def complete(self) -> bool:
        """Whether no card can be added."""
        return not self.extensions

    @property
    def lists(self) -> int:
        """How many lists are in the class."""
        return self.list_class.lists

    @property
    def stabilizer(self) -> int:
        """How many affine maps keep the list."""
        return self.list_class.stabilizer


def classify(cards: Iterable[int], catalogue: Catalogue | None = None) -> Classification:
    """The class of a hand.

    Args:
        cards: different cards without a set, in any order.
        catalogue: where to look the class up; by default the one in memory.

    Returns:
        The class, the canonical form with a map that takes the hand there, and the cards that can be added.

    Raises:
        BadInput: something is not a card, or a card is given twice.
        HoldsSet: there is a set among the cards; its `cards` are the set.

    >>> classify([80, 3, 14, 40, 5]).lists
    16376256
    >>> classify([7, 80, 0, 40])
    Traceback (most recent call last):
        ...
    setset.cards.HoldsSet: the cards hold a set: 0 40 80
    """
    hand = check_list(cards)
    found = canonicalize(hand)
    one = (catalogue or catalogue_in_memory()).of_form(found.cards)
    return Classification(hand, found.cards, found.map, one, extensions(hand))


def extensions(hand: Cards) -> Cards:
    """The cards that can be added to a list without making a set."""
    blocked = {third(a, b) for a, b in combinations(hand, 2)} | set(hand)
    return tuple(card for card in range(CARDS) if card not in blocked)


def chance(size: int, catalogue: Catalogue | None = None) -> Fraction:
    """The chance that random cards hold no set.

    Args:
        size: the number of cards, 0 to 20.
        catalogue: where the lists are counted; by default the one in memory.

    Returns:
        The exact chance.

    Raises:
        BadInput: there are no lists of this size.

    >>> chance(3)
    Fraction(78, 79)
    """
    return Fraction((catalogue or catalogue_in_memory()).lists(size), comb(CARDS, size))
