"""Immutable records of the catalogue: classes of lists, the links between classes, and sums per size."""

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
    """A class: a list, and all lists to which affine maps take it.

    >>> str(ListClass(size=1, number=0, cards=(0,), stabilizer=GROUP_ORDER // 81, extensions=80))
    '1/0'
    """

    size: int
    number: int
    """Index from 0 in the lexicographic order of the canonical forms of this size."""
    cards: Cards
    """The canonical form, which represents the class."""
    stabilizer: int
    """Number of affine maps that take the representative to itself."""
    extensions: int
    """Number of cards that can be added to a list of the class."""
    group: int = GROUP_ORDER
    """Number of affine maps of the deck that the class belongs to."""

    @property
    def lists(self) -> int:
        """Number of lists in the class."""
        return self.group // self.stabilizer

    @property
    def complete(self) -> bool:
        """Whether no card can be added to a list of the class."""
        return self.extensions == 0

    def __str__(self) -> str:
        return f"{self.size}/{self.number}"


class Traits(NamedTuple):
    """The stabilizer of a class as text: the name of the group and the sizes of its orbits."""

    structure: str
    """Name, such as 'C2 x S4', of the group of maps that the stabilizer induces on the flat of a list. The flat is the
    smallest affine subspace that contains the list."""
    orbits: str
    """Sizes of the stabilizer's orbits on the cards of a list, largest first. '6 4 1^2' means orbits of 6, 4, 1 and 1
    cards."""
    extension_orbits: str
    """Sizes of the stabilizer's orbits on the cards that can be added, in the notation of `orbits`."""

    @property
    def orbit_count(self) -> int:
        """Number of orbits of the stabilizer on the cards of a list."""
        return _count_orbits(self.orbits)

    @property
    def extension_orbit_count(self) -> int:
        """Number of orbits of the stabilizer on the cards that can be added to a list."""
        return _count_orbits(self.extension_orbits)


def _count_orbits(sizes: str) -> int:
    return sum(int(size.partition("^")[2] or 1) for size in sizes.split())


class Neighbour(NamedTuple):
    """A neighbour of a class: the class of a list with one card more or less."""

    list_class: ListClass
    cards: int
    """Number of cards that lead to this class when added to a list or taken from it."""


class Link(NamedTuple):
    """Link between the class number `smaller` of one size and the class number `larger` of the next size."""

    smaller: int
    larger: int
    extensions: int
    """Number of cards that, added to a list of the smaller class, make it a list of the larger class."""
    deletions: int
    """Number of cards of a list of the larger class whose removal leaves a list of the smaller class."""


class Links(Sequence[Link]):
    """The links of one size, in order. Stored as an array, because some sizes have 30,000 links and callers read few.

    >>> Links([(0, 0, 80, 2)])[0].deletions
    2
    """

    __slots__ = ("rows",)

    def __init__(self, rows: npt.ArrayLike = ()) -> None:
        self.rows: npt.NDArray[np.int64] = np.array(rows, np.int64).reshape(-1, len(Link._fields))
        """The links as an array: one row per link, with the fields of `Link` in order."""
        self.rows.setflags(write=False)

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Link]:
        return map(Link, *self.rows.T.tolist())

    @overload
    def __getitem__(self, index: int) -> Link: ...
    @overload
    def __getitem__(self, index: slice) -> Links: ...
    def __getitem__(self, index: int | slice) -> Link | Links:
        rows = self.rows[index]
        return Links(rows) if isinstance(index, slice) else Link(*rows.tolist())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Links) and np.array_equal(self.rows, other.rows)

    def __hash__(self) -> int:
        return hash(self.rows.tobytes())

    def __repr__(self) -> str:
        return f"Links({self.rows.tolist()})"


@dataclass(frozen=True, slots=True)
class Level(Shown):
    """A level of the catalogue: all classes of one size, and their links to the classes with one card less."""

    size: int
    classes: tuple[ListClass, ...]
    links: Links

    @property
    def lists(self) -> int:
        """Number of lists of this size."""
        return sum(list_class.lists for list_class in self.classes)

    @property
    def complete_classes(self) -> int:
        """Number of complete classes: no card can be added to their lists."""
        return sum(list_class.complete for list_class in self.classes)

    @property
    def complete_lists(self) -> int:
        """Number of complete lists, to which no card can be added."""
        return sum(list_class.lists for list_class in self.classes if list_class.complete)

    @property
    def digest(self) -> str:
        """XXH3 checksum of the classes and links, stored in the column `digest` of the table `levels`."""
        import xxhash

        classes = json.dumps(
            [(list_class.cards, list_class.stabilizer, list_class.extensions) for list_class in self.classes]
        )
        # Makes the same text as `json.dumps`, but faster, because there are many links.
        links = ", ".join(["[%d, %d, %d, %d]"] * len(self.links)) % tuple(self.links.rows.ravel().tolist())
        return xxhash.xxh3_128_hexdigest(f"[{self.size}, {classes}, [{links}]]".encode())


@dataclass(frozen=True, slots=True)
class Totals:
    """Sums over all classes of one size: classes, links, lists and complete lists.

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
    """Number of classes under the game's own symmetries, which rename features and values."""

    @classmethod
    def of(cls, level: Level, game_classes: int) -> Totals:
        """Sums up a level. `game_classes` is the number of its classes under the game's own symmetries."""
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
        """Number of hands of this size, with and without sets."""
        return comb(CARDS, self.size)

    @property
    def chance(self) -> Fraction:
        """The chance that `size` random cards hold no set."""
        return Fraction(self.lists, self.hands)
