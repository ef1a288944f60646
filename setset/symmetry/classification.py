"""What there is to say about a hand."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import comb

from setset.cards import CARDS, check_list, third
from setset.symmetry.affine import AffineMap
from setset.symmetry.canonical import canonicalize
from setset.symmetry.catalogue import Catalogue, catalogue_in_memory
from setset.symmetry.classes import ListClass


@dataclass(frozen=True, slots=True)
class Classification:
    """A list of cards and its class."""

    cards: tuple[int, ...]
    form: tuple[int, ...]
    """The canonical form."""
    map: AffineMap
    """Takes the cards to the canonical form."""
    list_class: ListClass
    """Its number, stabilizer, how many lists are in it."""
    extensions: tuple[int, ...]
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
    """The class of a hand, and what goes with it. Raises HoldsSet, which names the set, if there is one."""
    hand = check_list(cards)
    found = canonicalize(hand)
    one = (catalogue or catalogue_in_memory()).of_form(found.cards)
    return Classification(hand, found.cards, found.map, one, extensions(hand))


def extensions(hand: tuple[int, ...]) -> tuple[int, ...]:
    """The cards that can be added to a list without making a set."""
    blocked = {third(a, b) for a, b in combinations(hand, 2)} | set(hand)
    return tuple(card for card in range(CARDS) if card not in blocked)


def chance(size: int, catalogue: Catalogue | None = None) -> Fraction:
    """The chance that so many random cards of the deck hold no set."""
    return Fraction((catalogue or catalogue_in_memory()).lists(size), comb(CARDS, size))
