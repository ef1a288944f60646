"""The classes of a size, and what there is to say of one: neighbours, dimension, how hyperplanes cut it."""

from __future__ import annotations

import enum
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from setset.cards import CARDS, digits
from setset.errors import BadInput
from setset.symmetry.affine import Row
from setset.symmetry.catalogue import Catalogue, catalogue_in_memory
from setset.symmetry.classes import ListClass
from setset.symmetry.geometry import STANDARD_FRAME

Triple = tuple[int, int, int]


class Neighbour(NamedTuple):
    """A class with one card more or less."""

    list_class: ListClass
    cards: int
    """How many cards, added to a list or taken from it, lead there."""


class Direction(NamedTuple):
    """Three parallel hyperplanes, which share out the cards of a list. There are 40 directions."""

    form: Row
    """The factors of colour, count, shading and shape: a card is in the hyperplane of their sum modulo 3."""
    cards: Triple
    """How many cards of the representative are in the hyperplanes 0, 1 and 2."""


@dataclass(frozen=True, slots=True)
class ClassDescription:
    """A class, its neighbours, and how its lists lie in space.

    >>> found = describe_class(catalogue_in_memory().get(4, 0))
    >>> found.list_class.cards, found.dimension, found.hyperplanes
    ((0, 1, 3, 4), 2, {(4, 0, 0): 4, (2, 2, 0): 18, (2, 1, 1): 18})
    """

    list_class: ListClass
    dimension: int
    """Of the flat that a list spans: 4 for all of AG(4,3), 0 for a card, -1 for no card at all."""
    smaller: tuple[Neighbour, ...]
    """The classes that one card less leads to."""
    larger: tuple[Neighbour, ...]
    """The classes that one card more leads to."""
    directions: tuple[Direction, ...]
    """How the representative is cut in each of the 40 directions."""

    @property
    def hyperplanes(self) -> dict[Triple, int]:
        """The cards in parallel hyperplanes, most first, with the number of directions. No map changes this."""
        cuts = Counter(_descending(each.cards) for each in self.directions)
        return dict(sorted(cuts.items(), reverse=True))


def _descending(cards: Triple) -> Triple:
    most, middle, least = sorted(cards, reverse=True)
    return most, middle, least


def describe_class(one: ListClass, catalogue: Catalogue | None = None) -> ClassDescription:
    """All about a class.

    Args:
        one: the class, such as `catalogue.get(12, 786)` gives.
        catalogue: where its neighbours are looked up; by default the one in memory.

    Returns:
        The class with its neighbours one card apart, its dimension, and how hyperplanes cut it.

    >>> found = describe_class(catalogue_in_memory().get(5, 2))
    >>> [(str(other), cards) for other, cards in found.larger]
    [('6/3', 30), ('6/4', 25), ('6/5', 10), ('6/6', 1)]
    """
    known = catalogue or catalogue_in_memory()
    return ClassDescription(
        one,
        # The least list of a class that spans a k-flat has the first k + 1 cards of the standard frame.
        sum(card in STANDARD_FRAME for card in one.cards) - 1,
        tuple(Neighbour(*each) for each in known.smaller(one)),
        tuple(Neighbour(*each) for each in known.larger(one)),
        _cut(one),
    )


@cache
def _forms() -> tuple[tuple[Row, ...], npt.NDArray[np.uint8]]:
    """The 40 linear forms up to their sign, and the value of each card, a row, in each."""
    places = np.array([digits(card) for card in range(CARDS)], np.uint8)
    forms = [row for row in places.tolist() if next(filter(None, row), 0) == 1]
    return tuple((a, b, c, d) for a, b, c, d in forms), places @ np.array(forms, np.uint8).T % 3


def _cut(one: ListClass) -> tuple[Direction, ...]:
    forms, values = _forms()
    here = values[list(one.cards)]
    counts = np.stack([(here == value).sum(axis=0) for value in range(3)], axis=1)
    return tuple(Direction(form, (a, b, c)) for form, (a, b, c) in zip(forms, counts.tolist(), strict=True))


class ClassOrder(enum.StrEnum):
    """What classes can be sorted by; those that agree are in the order of their numbers."""

    NUMBER = "number"
    LISTS = "lists"
    STABILIZER = "stabilizer"
    EXTENSIONS = "extensions"


_KEYS: dict[ClassOrder, Callable[[ListClass], int]] = {
    ClassOrder.NUMBER: lambda one: one.number,
    ClassOrder.LISTS: lambda one: one.lists,
    ClassOrder.STABILIZER: lambda one: one.stabilizer,
    ClassOrder.EXTENSIONS: lambda one: one.extensions,
}


def find_classes(
    size: int,
    catalogue: Catalogue | None = None,
    *,
    complete: bool | None = None,
    stabilizer: int | None = None,
    sort: ClassOrder | str = ClassOrder.NUMBER,
    reverse: bool = False,
) -> list[ListClass]:
    """The classes of a size, or some of them.

    Args:
        size: 0 to 20.
        catalogue: where to look; by default the one in memory.
        complete: only classes whose lists no card can be added to (True), or one can (False).
        stabilizer: only classes whose lists are kept by so many maps.
        sort: what they are sorted by.
        reverse: the greatest first.

    Raises:
        BadInput: there are no lists of this size, or no such order.

    >>> [str(one) for one in find_classes(18, complete=False)]
    ['18/14', '18/15']
    """
    if sort not in list(ClassOrder):
        raise BadInput(f"sort {sort!r}: expected {', '.join(ClassOrder)}")
    found = [
        one
        for one in (catalogue or catalogue_in_memory()).classes(size)
        if complete in (None, one.complete) and stabilizer in (None, one.stabilizer)
    ]
    return sorted(found, key=_KEYS[ClassOrder(sort)], reverse=reverse)
