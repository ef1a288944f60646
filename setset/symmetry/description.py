"""The classes of a size, and what there is to say of one: neighbours, dimension, how hyperplanes cut it."""

import enum
from collections import Counter
from dataclasses import dataclass
from operator import attrgetter
from typing import NamedTuple

import numpy as np

from setset.cards import Triple
from setset.errors import BadInput
from setset.symmetry.affine import Row
from setset.symmetry.catalogue import Catalogue, catalogue_in_memory
from setset.symmetry.classes import ListClass, Neighbour
from setset.symmetry.geometry import PLACES, form_dimension, linear_forms


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
    """Dimension of the flat that a list spans: 4 for all of AG(4,3), 0 for a card, -1 for no card at all."""
    smaller: tuple[Neighbour, ...]
    """The classes that one card less leads to."""
    larger: tuple[Neighbour, ...]
    """The classes that one card more leads to."""
    directions: tuple[Direction, ...]
    """How the representative is cut in each of the 40 directions."""

    @property
    def hyperplanes(self) -> dict[Triple, int]:
        """The cards in parallel hyperplanes, most first, with the number of directions. No map changes this."""
        cuts = Counter(tuple(sorted(each.cards, reverse=True)) for each in self.directions)
        return {(a, b, c): directions for (a, b, c), directions in sorted(cuts.items(), reverse=True)}


def describe_class(one: ListClass | str, catalogue: Catalogue | None = None) -> ClassDescription:
    """The description of a class.

    Args:
        one: the class, such as "12/786".
        catalogue: where its neighbours are looked up; by default the one in memory.

    Returns:
        The class with its neighbours one card apart, its dimension, and how hyperplanes cut it.

    >>> found = describe_class(catalogue_in_memory().get(5, 2))
    >>> [(str(other), cards) for other, cards in found.larger]
    [('6/3', 30), ('6/4', 25), ('6/5', 10), ('6/6', 1)]
    """
    known = catalogue or catalogue_in_memory()
    one = known.named(one)
    return ClassDescription(one, form_dimension(one.cards), known.smaller(one), known.larger(one), _cut(one))


def _cut(one: ListClass) -> tuple[Direction, ...]:
    """How the representative of a class is cut in each direction."""
    forms = PLACES[linear_forms()]
    values = PLACES[list(one.cards)] @ forms.T % 3
    counts = np.stack([(values == value).sum(axis=0) for value in range(3)], axis=1)
    return tuple(
        Direction((p, q, r, s), (a, b, c))
        for (p, q, r, s), (a, b, c) in zip(forms.tolist(), counts.tolist(), strict=True)
    )


class ClassOrder(enum.StrEnum):
    """Attribute that classes are sorted by; classes that agree are in the order of their numbers."""

    NUMBER = "number"
    LISTS = "lists"
    STABILIZER = "stabilizer"
    EXTENSIONS = "extensions"


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
    return sorted(found, key=attrgetter(sort), reverse=reverse)
