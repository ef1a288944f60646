"""What the catalogue holds: classes of lists, the links between them and their sums, as immutable records."""

from __future__ import annotations

import json
from dataclasses import dataclass
from fractions import Fraction
from math import comb
from typing import NamedTuple

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
    """From 0, in the lexicographic order of the canonical forms of this size."""
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


class Link(NamedTuple):
    """Class `smaller` of one size and class `larger` of the next, by their numbers."""

    smaller: int
    larger: int
    extensions: int
    """How many cards, added to a list of the smaller class, make one of the larger."""
    deletions: int
    """How many cards, taken from a list of the larger class, leave one of the smaller."""


@dataclass(frozen=True, slots=True)
class Level(Shown):
    """All classes of one size, and their links to the classes with one card less, both in order."""

    size: int
    classes: tuple[ListClass, ...]
    links: tuple[Link, ...]

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
        # What JSON makes of the links, which are many, in half of the time.
        links = ", ".join(map("[%d, %d, %d, %d]".__mod__, self.links))
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
