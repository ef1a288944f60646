"""What the classes of one size come to."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import comb

from setset.cards import CARDS
from setset.symmetry.classes import Level


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
