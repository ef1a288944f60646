"""The class of a hand, and the chance that a hand has one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, islice
from math import comb

import numpy as np
import numpy.typing as npt

from setset.cards import CARDS, Cards, HoldsSet, check_cards, check_list, first_set, third
from setset.errors import SetsetError
from setset.lazy import Shown
from setset.symmetry.affine import AffineMap
from setset.symmetry.canonical import canonicalize, complete_frame
from setset.symmetry.catalogue import Catalogue, catalogue_in_memory
from setset.symmetry.classes import ListClass
from setset.symmetry.geometry import DIMENSION, CardArray, cached_third_table

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


def classify_many(
    hands: Iterable[Iterable[int]], catalogue: Catalogue | None = None
) -> Iterator[Classification | SetsetError]:
    """The classes of many hands, some twenty thousand a second and more.

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
    catalogue = catalogue or catalogue_in_memory()
    waiting = iter(hands)
    while block := list(islice(waiting, BLOCK)):
        found: list[Classification | SetsetError | None] = [None] * len(block)
        places: dict[int, list[int]] = {}
        lists: dict[int, list[Cards]] = {}
        for place, hand in enumerate(block):
            try:
                cards = tuple(sorted(check_cards(hand)))
                places.setdefault(len(cards), []).append(place)
                lists.setdefault(len(cards), []).append(cards)
            except SetsetError as error:
                found[place] = error
        for size, several in lists.items():
            for place, one in zip(places[size], _classify_rows(several, catalogue), strict=True):
                found[place] = one
        yield from (one for one in found if one is not None)


def _classify_rows(hands: list[Cards], catalogue: Catalogue) -> Iterator[Classification | SetsetError]:
    """The classes of hands that are all of one size."""
    from setset.symmetry.least import canonicalize_rows

    rows = np.array(hands, np.uint8).reshape(len(hands), -1)
    held, free = _look_for_sets(rows)
    least = canonicalize_rows(rows[~held])
    frames = least.frames
    for row in np.flatnonzero(least.dimensions < DIMENSION).tolist():
        frames[row] = complete_frame(tuple(frames[row, : least.dimensions[row] + 1].tolist()))
    maps = AffineMap.inverses_of_frames(frames)
    forms = map(tuple, least.forms.tolist())
    results = zip(forms, maps, _split(free[~held]), strict=True)
    for hand, holds_set in zip(hands, held.tolist(), strict=True):
        if holds_set:
            triple = first_set(hand)
            assert triple is not None
            yield HoldsSet(triple)
        else:
            form, there, fits = next(results)
            yield Classification(hand, form, there, catalogue.of_form(form), fits)


def _split(marked: npt.NDArray[np.bool_]) -> Iterator[Cards]:
    """For each row the cards that it marks. One call for all rows: one each would take most of the time."""
    cards = np.nonzero(marked)[1].tolist()
    end = 0
    for many in marked.sum(axis=1).tolist():
        start, end = end, end + many
        yield tuple(cards[start:end])


def _look_for_sets(rows: CardArray) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
    """For each row whether it holds a set; and which of the 81 cards can be added to it."""
    inside = np.zeros((len(rows), CARDS), np.bool_)
    np.put_along_axis(inside, rows.astype(np.int64), True, axis=1)
    first, second = np.triu_indices(rows.shape[1], 1)
    thirds = cached_third_table()[rows[:, first], rows[:, second]].astype(np.int64)
    held = np.asarray(np.take_along_axis(inside, thirds, axis=1).any(axis=1))
    np.put_along_axis(inside, thirds, True, axis=1)
    return held, ~inside


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
