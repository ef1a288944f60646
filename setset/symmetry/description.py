"""The classes of a size, and what there is to say of one: neighbours, dimension, how hyperplanes cut it."""

import enum
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from operator import attrgetter
from typing import NamedTuple

import numpy as np

from setset.cards import CARDS, Triple
from setset.errors import BadInput
from setset.symmetry.affine import Row
from setset.symmetry.catalogue import Catalogue, catalogue_in_memory
from setset.symmetry.classes import ListClass, Neighbour, Traits
from setset.symmetry.geometry import PLACES, form_dimension, linear_forms, third_cards


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
    traits: Traits
    """Structure of the stabilizer, and its orbits."""
    game_classes: int
    """Number of classes that it falls into under the game's own symmetries."""

    @property
    def hyperplanes(self) -> dict[Triple, int]:
        """The cards in parallel hyperplanes, most first, with the number of directions. No map changes this."""
        return count_hyperplanes(self.directions)

    @property
    def exclusions(self) -> dict[int, int]:
        """Cards outside a list by the number of its pairs that they complete to a set. No map changes this."""
        return count_exclusions(self.list_class)


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
    return ClassDescription(
        one,
        form_dimension(one.cards),
        known.smaller(one),
        known.larger(one),
        find_directions(one),
        known.traits(one),
        known.game_classes(one),
    )


def count_hyperplanes(directions: Iterable[Direction]) -> dict[Triple, int]:
    """The numbers of cards in three parallel hyperplanes, most first, each with the number of directions."""
    cuts = Counter(tuple(sorted(each.cards, reverse=True)) for each in directions)
    return {(a, b, c): times for (a, b, c), times in sorted(cuts.items(), reverse=True)}


def count_exclusions(one: ListClass) -> dict[int, int]:
    """Cards outside a list by the number of its pairs that they complete to a set."""
    thirds = third_cards(np.array([one.cards], np.uint8).reshape(1, one.size))[0]
    completed = np.delete(np.bincount(thirds, minlength=CARDS), one.cards)
    pairs, cards = np.unique(completed, return_counts=True)
    return dict(zip(pairs.tolist(), cards.tolist(), strict=True))


def find_directions(one: ListClass) -> tuple[Direction, ...]:
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
    structure: str | None = None,
    orbits: int | None = None,
    spans: int | None = None,
    sort: ClassOrder | str = ClassOrder.NUMBER,
    reverse: bool = False,
) -> list[ListClass]:
    """The classes of a size, or some of them.

    Args:
        size: 0 to 20.
        catalogue: where to look; by default the one in memory.
        complete: only classes whose lists no card can be added to (True), or one can (False).
        stabilizer: only classes whose lists this many maps keep.
        structure: only classes with this structure of the stabilizer, such as "C2 x S4".
        orbits: only classes whose stabilizer has this many orbits on the cards of a list.
        spans: only classes whose lists span a flat of this dimension.
        sort: what they are sorted by.
        reverse: the greatest first.

    Raises:
        BadInput: there are no lists of this size, or no such order.

    >>> [str(one) for one in find_classes(18, complete=False)]
    ['18/14', '18/15']
    """
    if sort not in list(ClassOrder):
        raise BadInput(f"sort {sort!r}: expected {', '.join(ClassOrder)}")
    known = catalogue or catalogue_in_memory()
    found = [
        one
        for one in known.classes(size)
        if complete in (None, one.complete)
        and stabilizer in (None, one.stabilizer)
        and structure in (None, known.traits(one).structure)
        and orbits in (None, known.traits(one).orbit_count)
        and spans in (None, form_dimension(one.cards))
    ]
    return sorted(found, key=attrgetter(sort), reverse=reverse)
