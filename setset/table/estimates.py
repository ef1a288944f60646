"""Estimates chances, odds and means with standard errors from a simulation, and computes the exact values.

Tables of one game resemble each other, so the games are the independent observations. With y tables in a
game, x of them without a set, the chance is R = sum x / sum y, and its standard error is the error of a ratio of
means: sqrt(sum (x - R y)^2) / sum y, which needs only the sums of xx, xy and yy.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import comb, sqrt
from typing import Final

from setset.cards import CARDS, LARGEST, all_sets
from setset.errors import BadInput, require_whole
from setset.symmetry.classification import chance
from setset.table.simulation import Simulation

UNTIL_LAST_DEAL: Final = 0
TO_THE_END: Final = 1
COUNTINGS: Final = ("up to the last deal", "to the end of the game")
"""Names of the two ways to count tables in play. Tables after the last deal have fewer sets, because no new cards
replace the taken cards."""
HAND_SIZES: Final = (12, 15, 18)


@dataclass(frozen=True)
class Estimate:
    """An estimated value and its standard error."""

    value: float
    error: float


@dataclass(frozen=True)
class Tables:
    """Simulated tables of one size: number of tables, number without a set, and the estimates from both."""

    size: int
    tables: int
    without: int
    chance: Estimate
    """Chance that a table of this size holds no set."""
    sets: Estimate
    """Mean number of sets on a table of this size."""

    @property
    def odds(self) -> Estimate | None:
        """Odds for a set: for each table without a set, the number of tables with a set. None if every table had a
        set."""
        chance = self.chance.value
        return Estimate((1 - chance) / chance, self.chance.error / chance**2) if self.without else None

    @property
    def at_most(self) -> float | None:
        """Upper bound, with 95 % confidence, of the chance of no set, if every table had a set (rule of three).
        Otherwise None."""
        return None if self.without else min(1.0, 3 / self.tables)


@dataclass(frozen=True)
class Round:
    """Simulated tables of twelve cards in one round. `taken` is the number of sets taken before this round."""

    taken: int
    at: Tables


@dataclass(frozen=True)
class End:
    """Simulated games that ended with `cards` cards on the table."""

    cards: int
    games: int
    share: Estimate


@dataclass(frozen=True)
class Kind:
    """Sets whose cards differ in `features` features: their number and their share among the sets taken in simulated
    games."""

    features: int
    sets: int
    share: Estimate


def chance_without_set(size: int) -> Fraction:
    """Computes the exact chance that a random hand holds no set.

    Args:
        size: the number of cards, 0 to 81.

    Returns:
        The exact chance.

    Raises:
        BadInput: the deck has no hand of this size.

    >>> chance_without_set(12)
    Fraction(325432404, 10074689485)
    """
    require_whole("cards", size)
    if not 0 <= size <= CARDS:
        raise BadInput(f"there are no hands of {size} cards")
    return chance(size) if size <= LARGEST else Fraction(0)


def mean_sets(size: int) -> Fraction:
    """Computes the mean number of sets in a random hand. Any three cards of a random hand are a set with chance 1 / 79.

    Args:
        size: the number of cards.

    Returns:
        The exact mean.

    >>> mean_sets(12)
    Fraction(220, 79)
    """
    return comb(size, 3) * Fraction(len(all_sets()), comb(CARDS, 3))


def estimate_tables(simulation: Simulation, counting: int = UNTIL_LAST_DEAL) -> list[Tables]:
    """Estimates the chance of no set and the mean number of sets on the tables of simulated games, by size of table.

    Args:
        simulation: result of `simulate`.
        counting: `UNTIL_LAST_DEAL`, or `TO_THE_END` to count tables after the last deal too.

    Returns:
        One `Tables` per size that occurred, ascending.

    >>> from setset.table import simulate
    >>> [(row.size, row.tables) for row in estimate_tables(simulate(10, seed=1))]
    [(12, 240), (15, 20)]
    """
    tables = []
    for index, sums in enumerate(simulation.tables[counting]):
        y, x, s, yy, xy, xx, sy, ss = (int(value) for value in sums)
        if y and index:
            tables.append(Tables(3 * index, y, x, _ratio(x, y, xx, xy, yy), _ratio(s, y, ss, sy, yy)))
    return tables


def estimate_random_hands(simulation: Simulation) -> list[Tables]:
    """Estimates the chance of no set for random hands of 12, 15 and 18 cards: the first cards of each shuffled deck.

    Args:
        simulation: result of `simulate`.

    Returns:
        One `Tables` for each of the three sizes.

    >>> from setset.table import simulate
    >>> [row.size for row in estimate_random_hands(simulate(10, seed=1))]
    [12, 15, 18]
    """
    games = simulation.games
    return [
        _independent(size, games, *(int(value) for value in sums))
        for size, sums in zip(HAND_SIZES, simulation.hands, strict=True)
    ]


def estimate_rounds(simulation: Simulation) -> list[Round]:
    """Estimates the chance of no set for tables of twelve cards up to the last deal, by round of the game. A round has
    at most one such table.

    Args:
        simulation: result of `simulate`.

    Returns:
        One `Round` for each number of sets taken before the table.

    >>> from setset.table import simulate
    >>> estimate_rounds(simulate(10, seed=1))[0].at.tables
    10
    """
    return [
        Round(taken, _independent(12, *(int(value) for value in sums)))
        for taken, sums in enumerate(simulation.rounds)
        if sums[0]
    ]


def estimate_ends(simulation: Simulation) -> list[End]:
    """Counts the simulated games by the number of cards on the table at the end.

    Args:
        simulation: result of `simulate`.

    Returns:
        One `End` for each number of cards that occurred, ascending.

    >>> from setset.table import simulate
    >>> sum(end.games for end in estimate_ends(simulate(10, seed=1)))
    10
    """
    games = simulation.games
    return [
        End(cards, int(count), _binomial(int(count), games)) for cards, count in enumerate(simulation.ends) if count
    ]


def estimate_kinds(simulation: Simulation) -> list[Kind]:
    """Counts the sets taken in simulated games by the number of features in which their cards differ.

    Args:
        simulation: result of `simulate`.

    Returns:
        One `Kind` for 1, 2, 3 and 4 features.

    >>> from setset.table import simulate
    >>> sum(kind.sets for kind in estimate_kinds(simulate(10, seed=1)))
    244
    """
    kinds = []
    for features, sums in enumerate(simulation.kinds[1:], 1):
        y, x, yy, xy, xx = (int(value) for value in sums)
        kinds.append(Kind(features, x, _ratio(x, y, xx, xy, yy)))
    return kinds


def deviation(hands: Tables, exact: Fraction) -> float:
    """Simulated chance minus exact chance, in standard errors. The standard error is computed from the exact chance."""
    expected = float(exact)
    return (hands.chance.value - expected) / sqrt(expected * (1 - expected) / hands.tables)


def _independent(size: int, tables: int, without: int, sets: int, squares: int) -> Tables:
    """Makes the estimates for tables that are independent of each other: at most one table per game."""
    return Tables(size, tables, without, _binomial(without, tables), _ratio(sets, tables, squares, sets, tables))


def _binomial(count: int, total: int) -> Estimate:
    """Estimates the share of `count` among `total` independent observations, with its standard error."""
    share = count / total
    return Estimate(share, sqrt(share * (1 - share) / total))


def _ratio(x: int, y: int, xx: int, xy: int, yy: int) -> Estimate:
    """Estimates the ratio x / y of sums over games, with its standard error. Computes with integers, because the terms
    of the error nearly cancel."""
    squares = xx * y * y - 2 * x * y * xy + x * x * yy
    return Estimate(x / y, sqrt(squares) / y / y)
