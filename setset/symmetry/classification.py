"""The class of a hand, and the chance that a hand has one."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice
from math import comb
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from setset.cards import CARDS, Cards, CardsLike, HoldsSet, check_cards, check_list, first_set
from setset.errors import SetsetError
from setset.lazy import Shown
from setset.symmetry.affine import AffineMap
from setset.symmetry.canonical import canonicalize
from setset.symmetry.catalogue import Catalogue, catalogue_in_memory
from setset.symmetry.classes import ListClass
from setset.symmetry.geometry import CardArray, mark_extensions, third_cards

Answer = TypeVar("Answer")

BLOCK = 4_096
"""Hands that are classified at once."""


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
    """A map that takes the cards to the canonical form."""
    list_class: ListClass
    """The class, with its number, its stabilizer and the number of its lists."""
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


def classify(cards: CardsLike, catalogue: Catalogue | None = None) -> Classification:
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
    (free,) = mark_extensions(np.array([hand], np.uint8).reshape(1, len(hand)))
    return Classification(hand, found.cards, found.map, one, tuple(np.flatnonzero(free).tolist()))


def classify_many(
    hands: Iterable[CardsLike], catalogue: Catalogue | None = None
) -> Iterator[Classification | SetsetError]:
    """The classes of many hands, and all else that `classify` finds.

    Args:
        hands: hands as `classify` takes them; a list each, or the rows of an array.
        catalogue: where to look the classes up; by default the one in memory.

    Returns:
        For each hand, in order, what `classify` returns, or in its place the error that `classify` raises.

    >>> for found in classify_many([[80, 3, 14, 40, 5], [7, 80, 0, 40]]):
    ...     print(found if isinstance(found, Exception) else found.list_class)
    5/2
    the cards hold a set: 0 40 80
    """
    known = catalogue or catalogue_in_memory()
    return _in_blocks(hands, lambda rows: _classify_rows(rows, known))


def classes_of(hands: Iterable[CardsLike], catalogue: Catalogue | None = None) -> Iterator[ListClass | SetsetError]:
    """The classes of many hands and nothing else, in a quarter of the time that `classify_many` takes.

    Args:
        hands: hands as `classify` takes them; a list each, or the rows of an array.
        catalogue: where to look the classes up; by default the one in memory.

    Returns:
        For each hand, in order, its class, or in its place the error that `classify` raises.

    >>> print(*classes_of([[80, 3, 14, 40, 5], [7, 80, 0, 40]]))
    5/2 the cards hold a set: 0 40 80
    """
    known = catalogue or catalogue_in_memory()
    return _in_blocks(
        hands, lambda rows: map(known.classes(rows.shape[1]).__getitem__, known.numbers_of(rows).tolist())
    )


def _in_blocks(
    hands: Iterable[CardsLike], answer: Callable[[CardArray], Iterable[Answer]]
) -> Iterator[Answer | SetsetError]:
    """For each hand its answer, or an error if it is not a list. `answer` gets many lists of one size at once."""
    waiting = iter(hands)
    while block := list(islice(waiting, BLOCK)):
        found: dict[int, Answer | SetsetError] = {}
        by_size: dict[int, dict[int, Cards]] = {}
        for place, hand in enumerate(block):
            try:
                cards = tuple(sorted(check_cards(hand)))
                by_size.setdefault(len(cards), {})[place] = cards
            except SetsetError as error:
                found[place] = error
        for size, lists in by_size.items():
            rows = np.array(list(lists.values()), np.uint8).reshape(len(lists), size)
            held = _hold_set(rows)
            for place in np.array(list(lists))[held].tolist():
                triple = first_set(lists.pop(place))
                assert triple is not None
                found[place] = HoldsSet(triple)
            if lists:  # there are none of 21 cards
                found.update(zip(lists, answer(rows[~held]), strict=True))
        yield from (found[place] for place in range(len(block)))


def _classify_rows(rows: CardArray, catalogue: Catalogue) -> Iterator[Classification]:
    """The classifications of lists of one size, a row each."""
    from setset.symmetry.least import find_first_frames

    size = rows.shape[1]
    classes, numbers = catalogue.classes(size), catalogue.numbers_of(rows)
    maps = AffineMap.inverses_of_frames(find_first_frames(rows, catalogue.forms(size)[numbers]))
    for cards, number, there, fits in zip(
        rows.tolist(), numbers.tolist(), maps, _split(mark_extensions(rows)), strict=True
    ):
        one = classes[number]
        yield Classification(tuple(cards), one.cards, there, one, fits)


def _split(marked: npt.NDArray[np.bool_]) -> Iterator[Cards]:
    """For each row the cards that it marks. One call for all rows: one each would take most of the time."""
    cards = np.nonzero(marked)[1].tolist()
    end = 0
    for many in marked.sum(axis=1).tolist():
        start, end = end, end + many
        yield tuple(cards[start:end])


def _hold_set(rows: CardArray) -> npt.NDArray[np.bool_]:
    """For each row whether it holds a set."""
    inside = np.zeros((len(rows), CARDS), np.bool_)
    np.put_along_axis(inside, rows.astype(np.int64), True, axis=1)
    return np.asarray(np.take_along_axis(inside, third_cards(rows), axis=1).any(axis=1))


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
