"""Classification of hands, and the exact chance that a random hand holds no set."""

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
"""Number of hands classified at once."""


@dataclass(frozen=True, slots=True)
class Classification(Shown):
    """A list of cards, its class, and the map that takes it to the canonical form.

    >>> classification = classify([80, 3, 14])
    >>> str(classification.list_class), classification.form, len(classification.extensions)
    ('3/0', (0, 1, 3), 75)
    """

    cards: Cards
    form: Cards
    """The canonical form of the list."""
    map: AffineMap
    """A map that takes the cards to the canonical form."""
    list_class: ListClass
    """The class of the list."""
    extensions: Cards
    """All cards of the deck that can be added to the list without making a set."""

    @property
    def complete(self) -> bool:
        """Whether no card can be added to the list."""
        return not self.extensions

    @property
    def lists(self) -> int:
        """Number of lists in the class."""
        return self.list_class.lists

    @property
    def stabilizer(self) -> int:
        """Number of affine maps that keep the list."""
        return self.list_class.stabilizer


def classify(cards: CardsLike, catalogue: Catalogue | None = None) -> Classification:
    """Finds the class of a hand.

    Args:
        cards: different cards without a set, in any order.
        catalogue: source of the class; by default the catalogue of the package.

    Returns:
        The class, the canonical form with a map that takes the hand there, and the cards that can be added.

    Raises:
        BadInput: something is not a card, or a card is given twice.
        HoldsSet: there is a set among the cards; the `cards` of the error are the set.

    >>> classify([80, 3, 14, 40, 5]).lists
    16376256
    >>> classify([7, 80, 0, 40])
    Traceback (most recent call last):
        ...
    setset.cards.HoldsSet: the cards hold a set: 0 40 80
    """
    hand = check_list(cards)
    canonical = canonicalize(hand)
    list_class = (catalogue or catalogue_in_memory()).of_form(canonical.cards)
    (free,) = mark_extensions(np.array([hand], np.uint8).reshape(1, len(hand)))
    return Classification(hand, canonical.cards, canonical.map, list_class, tuple(np.flatnonzero(free).tolist()))


def classify_many(
    hands: Iterable[CardsLike], catalogue: Catalogue | None = None
) -> Iterator[Classification | SetsetError]:
    """Classifies many hands, faster than one call of `classify` per hand.

    Args:
        hands: hands as `classify` takes them; a sequence of lists, or the rows of an array.
        catalogue: source of the classes; by default the catalogue of the package.

    Returns:
        For each hand, in order, the result of `classify`, or the error that `classify` raises.

    >>> for result in classify_many([[80, 3, 14, 40, 5], [7, 80, 0, 40]]):
    ...     print(result if isinstance(result, Exception) else result.list_class)
    5/2
    the cards hold a set: 0 40 80
    """
    catalogue = catalogue or catalogue_in_memory()
    return _in_blocks(hands, lambda rows: _classify_rows(rows, catalogue))


def classes_of(hands: Iterable[CardsLike], catalogue: Catalogue | None = None) -> Iterator[ListClass | SetsetError]:
    """Finds only the classes of many hands. Takes a quarter of the time of `classify_many`.

    Args:
        hands: hands as `classify` takes them; a sequence of lists, or the rows of an array.
        catalogue: source of the classes; by default the catalogue of the package.

    Returns:
        For each hand, in order, its class, or the error that `classify` raises.

    >>> print(*classes_of([[80, 3, 14, 40, 5], [7, 80, 0, 40]]))
    5/2 the cards hold a set: 0 40 80
    """
    catalogue = catalogue or catalogue_in_memory()
    return _in_blocks(
        hands, lambda rows: map(catalogue.classes(rows.shape[1]).__getitem__, catalogue.numbers_of(rows).tolist())
    )


def _in_blocks(
    hands: Iterable[CardsLike], answer: Callable[[CardArray], Iterable[Answer]]
) -> Iterator[Answer | SetsetError]:
    """Yields a result per hand, or an error if the hand is not a list. Calls `answer` with blocks of lists of one
    size."""
    waiting = iter(hands)
    while block := list(islice(waiting, BLOCK)):
        answers: dict[int, Answer | SetsetError] = {}
        by_size: dict[int, dict[int, Cards]] = {}
        for index, hand in enumerate(block):
            try:
                cards = tuple(sorted(check_cards(hand)))
                by_size.setdefault(len(cards), {})[index] = cards
            except SetsetError as error:
                answers[index] = error
        for size, lists in by_size.items():
            rows = np.array(list(lists.values()), np.uint8).reshape(len(lists), size)
            held = _hold_set(rows)
            for index in np.array(list(lists))[held].tolist():
                triple = first_set(lists.pop(index))
                assert triple is not None
                answers[index] = HoldsSet(triple)
            if lists:  # `lists` is empty for sizes above 20, because every hand of 21 cards holds a set
                answers.update(zip(lists, answer(rows[~held]), strict=True))
        yield from (answers[index] for index in range(len(block)))


def _classify_rows(rows: CardArray, catalogue: Catalogue) -> Iterator[Classification]:
    """Classifies lists of one size, one list per row."""
    from setset.symmetry.least import find_first_frames

    size = rows.shape[1]
    classes, numbers = catalogue.classes(size), catalogue.numbers_of(rows)
    maps = AffineMap.inverses_of_frames(find_first_frames(rows, catalogue.forms(size)[numbers]))
    for cards, number, affine_map, fits in zip(
        rows.tolist(), numbers.tolist(), maps, _split(mark_extensions(rows)), strict=True
    ):
        list_class = classes[number]
        yield Classification(tuple(cards), list_class.cards, affine_map, list_class, fits)


def _split(marked: npt.NDArray[np.bool_]) -> Iterator[Cards]:
    """Yields for each row the cards that are marked True. Makes one NumPy call for all rows, because a call per row
    would be slow."""
    cards = np.nonzero(marked)[1].tolist()
    end = 0
    for many in marked.sum(axis=1).tolist():
        start, end = end, end + many
        yield tuple(cards[start:end])


def _hold_set(rows: CardArray) -> npt.NDArray[np.bool_]:
    """Array with a truth value per row: whether the hand in this row holds a set."""
    inside = np.zeros((len(rows), CARDS), np.bool_)
    np.put_along_axis(inside, rows.astype(np.int64), True, axis=1)
    return np.asarray(np.take_along_axis(inside, third_cards(rows), axis=1).any(axis=1))


def chance(size: int, catalogue: Catalogue | None = None) -> Fraction:
    """Computes the exact chance that random cards hold no set.

    Args:
        size: the number of cards, 0 to 20.
        catalogue: source of the number of lists; by default the catalogue of the package.

    Returns:
        The exact chance.

    Raises:
        BadInput: there are no lists of this size.

    >>> chance(3)
    Fraction(78, 79)
    """
    return Fraction((catalogue or catalogue_in_memory()).lists(size), comb(CARDS, size))
