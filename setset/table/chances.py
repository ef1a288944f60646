"""How often there is no set: exact for random hands, for tables in play the result of an earlier simulation."""

from dataclasses import dataclass
from fractions import Fraction
from math import comb

from setset.cards import CARDS
from setset.lazy import Shown
from setset.table.estimates import Estimate, chance_without_set, mean_sets

IN_PLAY = {
    12: (478_249_736, Estimate(0.0658466, 0.0000146)),
    15: (30_773_448, Estimate(0.0112059, 0.0000198)),
    18: (330_205, Estimate(0.0000454, 0.0000117)),
}
"""Tables in play up to the last deal, and their chance of no set: `setset simulate --games 20000000 --seed 1`."""
RULEBOOK = {12: 33, 15: 2500}
"""Odds to 1 for a set that the rulebook of the game names."""


@dataclass(frozen=True)
class Odds(Shown):
    """How often hands of a number of cards hold no set.

    >>> odds(12).rulebook, round(odds(12).odds, 2)
    (33, 29.96)
    """

    cards: int
    hands: int
    """Hands of this number of cards."""
    lists: int
    """Hands among them without a set."""
    chance: Fraction
    """Chance that a random hand holds no set."""
    mean_sets: Fraction
    """Mean number of sets in a random hand."""
    in_play: Estimate | None
    """Chance that a table in play holds no set; None for a number of cards that play does not lead to."""
    rulebook: int | None
    """Odds to 1 for a set by the rulebook, if it names them."""

    @property
    def odds(self) -> float | None:
        """Random hands with a set for each one without; None if all hold one."""
        return float((1 - self.chance) / self.chance) if self.chance else None

    @property
    def odds_in_play(self) -> Estimate | None:
        """Tables in play with a set for each one without."""
        if self.in_play is None:
            return None
        chance = self.in_play.value
        return Estimate(1 / chance - 1, self.in_play.error / chance**2)


def odds(cards: int = 12) -> Odds:
    """How often some cards hold no set. Exact for random hands; for tables in play known from a simulation.

    Args:
        cards: the number of cards, 0 to 81.

    Raises:
        BadInput: the deck has no hand of this size.

    >>> odds(15).chance, odds(21).chance
    (Fraction(13750015032, 37703805776935), Fraction(0, 1))
    """
    chance = chance_without_set(cards)
    hands = comb(CARDS, cards)
    in_play = IN_PLAY[cards][1] if cards in IN_PLAY else None
    return Odds(cards, hands, int(chance * hands), chance, mean_sets(cards), in_play, RULEBOOK.get(cards))
