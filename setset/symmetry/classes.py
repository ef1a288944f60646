"""What the catalogue holds: classes of lists and the links between them, as plain immutable records."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import comb
from typing import NamedTuple

from setset.cards import CARDS
from setset.symmetry.geometry import GROUP_ORDER


@dataclass(frozen=True, slots=True)
class ListClass:
    """All lists that affine maps make of one list."""

    size: int
    number: int
    """From 0, in the lexicographic order of the canonical forms of this size."""
    cards: tuple[int, ...]
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
class Level:
    """All classes of one size, and their links to the classes one card smaller, both in order."""

    size: int
    classes: tuple[ListClass, ...]
    links: tuple[Link, ...]

    @property
    def lists(self) -> int:
        return sum(each.lists for each in self.classes)

    @property
    def complete_classes(self) -> int:
        return sum(each.complete for each in self.classes)

    @property
    def complete_lists(self) -> int:
        return sum(each.lists for each in self.classes if each.complete)


@dataclass(frozen=True, slots=True)
class Totals:
    """A size in figures: classes, links to the size before, lists, and how many no card can be added to."""

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
        """How many hands of so many cards there are, with and without sets."""
        return comb(CARDS, self.size)

    @property
    def chance(self) -> Fraction:
        """The chance that so many random cards hold no set."""
        return Fraction(self.lists, self.hands)
