"""The records of the catalogue: classes of lists, the links between them and their sums. All are immutable."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import comb
from typing import NamedTuple, overload

import numpy as np
import numpy.typing as npt

from setset.cards import CARDS, Cards
from setset.lazy import Shown
from setset.symmetry.geometry import GROUP_ORDER


@dataclass(frozen=True, slots=True)
class ListClass(Shown):
    """A class: all lists that affine maps make of one list.

    >>> str(ListClass(size=1, number=0, cards=(0,), stabilizer=GROUP_ORDER // 81, extensions=80))
    '1/0'
    """

    size: int
    number: int
    """Index from 0 in the lexicographic order of the canonical forms of this size."""
    cards: Cards
    """The canonical form, which represents the class."""
    stabilizer: int
    """How many affine maps keep the representative."""
    extensions: int
    """How many cards can be added to a list of the class."""

    @property
    def lists(self) -> int:
        """How many lists are in the class."""
        return GROUP_ORDER // self.stabilizer

    @property
    def complete(self) -> bool:
        """Whether no card can be added."""
        return self.extensions == 0

    def __str__(self) -> str:
        return f"{self.size}/{self.number}"


class Traits(NamedTuple):
    """The stabilizer of a class in three texts."""

    structure: str
    """Name of the group that it induces on the flat of a list, such as 'C2 x S4'."""
    orbits: str
    """Sizes of its orbits on the cards of a list, the largest first: '6 4 1^2' are four orbits."""
    extension_orbits: str
    """Sizes of its orbits on the cards that can be added."""

    @property
    def orbit_count(self) -> int:
        """Number of orbits on the cards of a list."""
        return sum(int(size.partition("^")[2] or 1) for size in self.orbits.split())


class Neighbour(NamedTuple):
    """A class with one card more or less."""

    list_class: ListClass
    cards: int
    """How many cards, added to a list or taken from it, lead there."""


class Link(NamedTuple):
    """Class `smaller` of one size and class `larger` of the next, by their numbers."""

    smaller: int
    larger: int
    extensions: int
    """How many cards, added to a list of the smaller class, make one of the larger."""
    deletions: int
    """How many cards, taken from a list of the larger class, leave one of the smaller."""


class Links(Sequence[Link]):
    """The links of one size, in order, kept as numbers: there are 30,000 of some sizes, and few are looked at.

    >>> Links([(0, 0, 80, 2)])[0].deletions
    2
    """

    __slots__ = ("rows",)

    def __init__(self, rows: npt.ArrayLike = ()) -> None:
        self.rows: npt.NDArray[np.int64] = np.array(rows, np.int64).reshape(-1, len(Link._fields))
        """A link a row, its fields in order."""
        self.rows.setflags(write=False)

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Link]:
        return map(Link, *self.rows.T.tolist())

    @overload
    def __getitem__(self, place: int) -> Link: ...
    @overload
    def __getitem__(self, place: slice) -> Links: ...
    def __getitem__(self, place: int | slice) -> Link | Links:
        found = self.rows[place]
        return Links(found) if isinstance(place, slice) else Link(*found.tolist())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Links) and np.array_equal(self.rows, other.rows)

    def __hash__(self) -> int:
        return hash(self.rows.tobytes())

    def __repr__(self) -> str:
        return f"Links({self.rows.tolist()})"


@dataclass(frozen=True, slots=True)
class Level(Shown):
    """All classes of one size, and their links to the classes with one card less, both in order."""

    size: int
    classes: tuple[ListClass, ...]
    links: Links

    @property
    def lists(self) -> int:
        """How many lists of this size there are."""
        return sum(each.lists for each in self.classes)

    @property
    def complete_classes(self) -> int:
        """How many classes there are whose lists cannot be extended."""
        return sum(each.complete for each in self.classes)

    @property
    def complete_lists(self) -> int:
        """How many lists there are to which no card can be added."""
        return sum(each.lists for each in self.classes if each.complete)

    @property
    def digest(self) -> str:
        """XXH3 of the classes and links; the column `digest` of the table `levels`."""
        import xxhash

        classes = json.dumps([(one.cards, one.stabilizer, one.extensions) for one in self.classes])
        # The same text as JSON makes of the links, which are many, in less time.
        links = ", ".join(["[%d, %d, %d, %d]"] * len(self.links)) % tuple(self.links.rows.ravel().tolist())
        return xxhash.xxh3_128_hexdigest(f"[{self.size}, {classes}, [{links}]]".encode())


@dataclass(frozen=True, slots=True)
class Totals:
    """The sums over all classes of one size.

    >>> Totals(size=3, classes=1, links=1, lists=84_240, complete_classes=0, complete_lists=0, game_classes=16).chance
    Fraction(78, 79)
    """

    size: int
    classes: int
    links: int
    lists: int
    complete_classes: int
    complete_lists: int
    game_classes: int
    """Classes under the game's own symmetries."""

    @classmethod
    def of(cls, level: Level, game_classes: int) -> Totals:
        """The sums over a level; `game_classes` is what `game_classes(level.classes)` counts."""
        return cls(
            level.size,
            len(level.classes),
            len(level.links),
            level.lists,
            level.complete_classes,
            level.complete_lists,
            game_classes,
        )

    @property
    def hands(self) -> int:
        """How many hands of this size there are, with and without sets."""
        return comb(CARDS, self.size)

    @property
    def chance(self) -> Fraction:
        """The chance that random cards, as many as `size`, hold no set."""
        return Fraction(self.lists, self.hands)
