"""Chance that some cards hold no set: exact for random hands; estimated by a stored simulation for tables in play,
which are the cards on the table during a game."""

from dataclasses import dataclass
from fractions import Fraction
from math import comb

from setset.cards import CARDS, LARGEST
from setset.errors import BadInput, require_whole
from setset.lazy import Shown
from setset.table.estimates import Estimate, chance_without_set, mean_sets

IN_PLAY = {
    12: (478_249_736, Estimate(0.0658466, 0.0000146)),
    15: (30_773_448, Estimate(0.0112059, 0.0000198)),
    18: (330_205, Estimate(0.0000454, 0.0000117)),
}
"""For 12, 15 and 18 cards: number of tables of this size in simulated games, up to the last deal, and the estimated
chance that such a table has no set. Computed by `setset simulate --games 20000000 --seed 1`."""
RULEBOOK = {12: 33, 15: 2500}
"""Odds for a set that the rulebook of the game states for 12 and 15 cards: 33 to 1, and 2500 to 1."""


@dataclass(frozen=True)
class Odds(Shown):
    """Chances that cards of one size hold no set: for random hands, and for tables in play.

    >>> odds(12).rulebook, round(odds(12).odds, 2)
    (33, 29.96)
    """

    cards: int
    hands: int
    """Number of hands of this size."""
    lists: int
    """Number of hands of this size without a set."""
    chance: Fraction
    """Chance that a random hand holds no set."""
    mean_sets: Fraction
    """Mean number of sets in a random hand."""
    in_play: Estimate | None
    """Chance that a table in play holds no set; None for a number of cards that does not occur in play."""
    rulebook: int | None
    """Odds for a set in the rulebook of the game: 33 means 33 to 1. None if the rulebook has no odds for this size."""
    most: int = LARGEST
    """Maximum number of cards of the deck without a set."""

    @property
    def odds(self) -> float | None:
        """Odds for a set: for each random hand without a set, the number of hands with a set. None if all hands hold a
        set."""
        return float((1 - self.chance) / self.chance) if self.chance else None

    @property
    def odds_in_play(self) -> Estimate | None:
        """Odds for a set in play: for each table without a set, the number of tables with a set. None if
        `in_play` is None."""
        if self.in_play is None:
            return None
        chance = self.in_play.value
        return Estimate(1 / chance - 1, self.in_play.error / chance**2)


def odds(cards: int = 12, dimension: int = 4) -> Odds:
    """Chance that some cards hold no set. Exact for random hands, estimated by a simulation for tables in play.

    Args:
        cards: the number of cards, 0 to the size of the deck (81, 27 or 9).
        dimension: the number of features: 4, or 3 for the Junior deck of 27 cards, or 2 for a deck of 9.

    Raises:
        BadInput: the deck has no hand of this size, or there is no such deck.

    >>> odds(15).chance, odds(21).chance
    (Fraction(13750015032, 37703805776935), Fraction(0, 1))
    """
    if dimension != 4:
        return _odds_of_smaller_deck(cards, dimension)
    chance = chance_without_set(cards)
    hands = comb(CARDS, cards)
    in_play = IN_PLAY[cards][1] if cards in IN_PLAY else None
    return Odds(cards, hands, int(chance * hands), chance, mean_sets(cards), in_play, RULEBOOK.get(cards))


def _odds_of_smaller_deck(cards: int, dimension: int) -> Odds:
    """Odds for a deck of n = 27 or 9 cards. A random third card makes a set with two given cards with chance 1 / (n -
    2)."""
    from setset.spaces.decks import Deck

    deck = Deck(dimension)
    require_whole("cards", cards)
    if not 0 <= cards <= len(deck.cards):
        raise BadInput(f"there are no hands of {cards} cards: the deck of dimension {dimension} has {len(deck.cards)}")
    hands, lists = comb(len(deck.cards), cards), deck.lists(cards) if cards <= deck.largest else 0
    mean = Fraction(comb(cards, 3), len(deck.cards) - 2)
    return Odds(cards, hands, lists, Fraction(lists, hands), mean, None, None, deck.largest)
