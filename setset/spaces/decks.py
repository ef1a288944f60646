"""Decks of fewer features: 9 cards (two features) and 27 cards (three features, the Junior deck).

A list of a smaller deck is also a list of the whole deck, where it lies in a flat (affine subspace). So its class is
in the catalogue, under the same name. Only the numbers differ: in a smaller deck, fewer symmetries keep the list, the
class has fewer lists, and fewer cards can be added.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from math import comb
from typing import Final

import numpy as np

from setset.cards import Cards, CardsLike, check_cards, check_deck, check_list, check_size, deck_cards, third
from setset.errors import BadInput, SetsetError, require_whole
from setset.spaces.verification import LARGEST_CAPS, count_symmetries
from setset.symmetry.affine import AffineMap
from setset.symmetry.canonical import canonicalize, complete_frame
from setset.symmetry.catalogue import catalogue_in_memory
from setset.symmetry.classes import ListClass, Neighbour
from setset.symmetry.classification import Classification
from setset.symmetry.geometry import STANDARD_FRAME, CardArray, count_frames, form_dimension, mark_extensions

SMALLER: Final = (2, 3)
"""Dimensions of the smaller decks."""


@dataclass(frozen=True, slots=True)
class DeckTotals:
    """Sums over all classes of one size in a smaller deck."""

    size: int
    classes: int
    lists: int
    complete_classes: int
    complete_lists: int
    hands: int
    """Number of hands of this size, with and without sets."""

    @property
    def chance(self) -> Fraction:
        """The chance that `size` random cards hold no set."""
        return Fraction(self.lists, self.hands)


@cache
def _all_lists(deck: Cards, size: int) -> CardArray:
    """Makes an array of all lists of `size` cards of a deck, one list per row, in lexicographic order. Read-only,
    because it is cached."""
    lists = np.zeros((1, 0), np.uint8)
    if size:
        smaller = _all_lists(deck, size - 1)
        cards = np.array(deck, np.uint8)
        above = smaller[:, -1:] < cards if size > 1 else True
        rows, columns = np.nonzero(mark_extensions(smaller)[:, cards] & above)
        lists = np.column_stack([smaller[rows], cards[columns]])
    lists.setflags(write=False)
    return lists


class Deck:
    """A deck of two or three features. All classes and counts are for its own cards and symmetries.

    Args:
        dimension: 2 for the 9 solid cards with one symbol, 3 for the 27 solid cards.

    Raises:
        BadInput: the dimension is neither 2 nor 3.

    >>> junior = Deck(3)
    >>> junior.lists(9), [str(list_class) for list_class in junior.classes(9)]
    (2106, ['9/14'])
    >>> junior.classify("r1fd g2fs p1fd").complete
    False
    """

    def __init__(self, dimension: int) -> None:
        if dimension not in SMALLER:
            raise BadInput(f"dimension {dimension}: expected 2 or 3")
        self.dimension = dimension
        self.cards = deck_cards(dimension)
        self.largest = LARGEST_CAPS[dimension]
        """Maximum number of cards of this deck without a set."""
        frame = complete_frame(tuple(self.cards[label] for label in STANDARD_FRAME[: dimension + 1]))
        self._to_deck = AffineMap.to_frame(frame)  # takes the card i below 3**dimension to card i of the deck
        self._from_deck = self._to_deck.inverse()

    def check(self, cards: CardsLike) -> Cards:
        """Checks that all cards are different cards of this deck, and returns them in the given order.

        Raises:
            BadInput: something is not a card of this deck, or a card is given twice.
        """
        return check_deck(check_cards(cards), self.dimension)

    def classes(self, size: int) -> tuple[ListClass, ...]:
        """All classes of a size, each with its number in the catalogue and with a representative of this deck.

        Raises:
            BadInput: there are no lists of this size.
        """
        return self._classes[check_size(size, largest=self.largest)]

    def get(self, name: str) -> ListClass:
        """Returns the class with a name such as "6/1".

        Raises:
            BadInput: there is no such class, or none of its lists is in this deck.
        """
        list_class = catalogue_in_memory().named(name)
        of_deck = [candidate for candidate in self.classes(list_class.size) if candidate.number == list_class.number]
        if not of_deck:
            raise BadInput(f"no list of class {list_class} is in the deck of dimension {self.dimension}")
        return of_deck[0]

    def lists(self, size: int) -> int:
        """Number of lists of a size."""
        return sum(list_class.lists for list_class in self.classes(size))

    def totals(self, size: int | None = None) -> list[DeckTotals]:
        """Numbers of classes and lists of each size, in order of size. With `size`, only the numbers of this size."""
        totals = []
        for classes in self._classes if size is None else [self.classes(size)]:
            complete = [list_class.lists for list_class in classes if list_class.complete]
            lists, hands = sum(list_class.lists for list_class in classes), comb(len(self.cards), classes[0].size)
            totals.append(DeckTotals(classes[0].size, len(classes), lists, len(complete), sum(complete), hands))
        return totals

    def all_lists(self, size: int) -> CardArray:
        """Makes an array of all lists of a size, one list per row, in lexicographic order. Does not need the
        catalogue."""
        return _all_lists(self.cards, check_size(size, largest=self.largest))

    def sample(self, size: int, count: int = 1, seed: int | None = None) -> CardArray:
        """Draws random lists of a size, independent of each other. Every list has the same chance.

        Args:
            size: the number of cards, at least 1.
            count: the number of lists.
            seed: 0 or more; by default a new one.

        Raises:
            BadInput: one of the numbers is out of range.
        """
        for name, value in (("count", count), ("seed", 0 if seed is None else seed)):
            require_whole(name, value)
            if value < 0:
                raise BadInput(f"the {name} of a sample cannot be negative: {value}")
        lists = self.all_lists(check_size(size, 1, self.largest))
        return lists[np.random.default_rng(seed).integers(0, len(lists), count)]

    def classify(self, cards: CardsLike) -> Classification:
        """Finds the class of a hand. The canonical form in the result has only cards of this deck, and the map in the
        result takes this deck to itself.

        Raises:
            BadInput: something is not a card of this deck, or a card is given twice.
            HoldsSet: there is a set among the cards.
        """
        hand = check_deck(check_list(cards), self.dimension)
        canonical = canonicalize(self._from_deck.on(hand))
        return Classification(
            hand,
            self._to_deck.on(canonical.cards),
            self._to_deck @ canonical.map @ self._from_deck,
            self.get(str(catalogue_in_memory().of_form(canonical.cards))),
            self._extensions(hand),
        )

    def classify_many(self, hands: Iterable[CardsLike]) -> Iterator[Classification | SetsetError]:
        """Yields for each hand, in order, the result of `classify`, or the error that `classify` raises."""
        for hand in hands:
            try:
                yield self.classify(hand)
            except SetsetError as error:
                yield error

    def rank(self, cards: CardsLike) -> int:
        """Rank of a list among all lists of its size, from 0, in lexicographic order."""
        hand = check_deck(check_list(cards), self.dimension)
        return int((self.all_lists(len(hand)) == np.array(hand, np.uint8)).all(axis=1).argmax())

    def smaller(self, cards: Cards) -> tuple[Neighbour, ...]:
        """Removes each card of a list in turn. Returns the classes of the shorter lists, with the number of cards that
        lead to each class."""
        return self._neighbours([kept for kept in cards if kept != card] for card in cards)

    def larger(self, cards: Cards) -> tuple[Neighbour, ...]:
        """Adds each possible card of this deck to a list. Returns the classes of the longer lists, with the number of
        cards that lead to each class."""
        return self._neighbours([*cards, card] for card in self._extensions(cards))

    def _neighbours(self, lists: Iterable[list[int]]) -> tuple[Neighbour, ...]:
        counts = Counter(self.classify(cards).list_class for cards in lists)
        return tuple(Neighbour(*item) for item in sorted(counts.items(), key=lambda item: item[0].number))

    def _extensions(self, cards: Cards) -> Cards:
        """All cards of this deck that can be added to a list without making a set."""
        taken = {*cards, *(third(a, b) for a in cards for b in cards)}
        return tuple(card for card in self.cards if card not in taken)

    @cached_property
    def _classes(self) -> list[tuple[ListClass, ...]]:
        """For each size, the classes that have lists in this deck."""
        catalogue = catalogue_in_memory()
        group = count_frames(self.dimension)
        by_size = []
        for size in range(self.largest + 1):
            of_deck = []
            for list_class in catalogue.classes(size):
                if (spans := form_dimension(list_class.cards)) <= self.dimension:
                    kept = count_symmetries(list_class.stabilizer, spans, self.dimension)
                    cards = self._to_deck.on(list_class.cards)
                    of_deck.append(ListClass(size, list_class.number, cards, kept, len(self._extensions(cards)), group))
            by_size.append(tuple(of_deck))
        return by_size
