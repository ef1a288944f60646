"""Estimates against exact values, and against what others found."""

from __future__ import annotations

from fractions import Fraction
from math import comb, sqrt

import numpy as np
import pytest

from setset.errors import BadInput
from setset.table import (
    Policy,
    chance_without_set,
    estimate_ends,
    estimate_kinds,
    estimate_random_hands,
    estimate_rounds,
    estimate_tables,
    mean_sets,
    simulate,
)
from setset.table.estimates import Estimate, Tables, deviation
from setset.table.simulation import Simulation


@pytest.fixture(scope="module")
def many() -> Simulation:
    return simulate(200_000, seed=1)


def test_random_hands_have_the_exact_number_of_sets(many: Simulation) -> None:
    """Three cards are a set with chance 1/79, so n cards hold comb(n, 3) / 79 sets on average."""
    for hands in estimate_random_hands(many):
        expected = comb(hands.size, 3) / 79
        assert abs(hands.sets.value - expected) < 4 * hands.sets.error


def test_random_hands_agree_with_the_exact_chances(many: Simulation) -> None:
    for hands in estimate_random_hands(many):
        assert abs(deviation(hands, chance_without_set(hands.size))) < 4


def test_play_agrees_with_what_others_found(many: Simulation) -> None:
    """A random set each time: 14.18 and 88.4 to 1, counted up to the last deal (1.4e12 games by aujxn)."""
    tables = {estimate.size: estimate for estimate in estimate_tables(many)}
    for size, published in ((12, 14.18), (15, 88.4)):
        odds = tables[size].odds
        assert odds is not None
        assert abs(odds.value - published) < 4 * odds.error


def test_taking_the_first_set_moves_the_odds() -> None:
    """Norvig's program took the first set that it found and saw 15 to 1 for twelve cards."""
    odds = estimate_tables(simulate(100_000, seed=1, policy=Policy.FIRST))[0].odds
    assert odds is not None
    assert abs(odds.value - 15) < 0.5


def test_the_first_round_is_a_random_hand_and_later_ones_are_worse(many: Simulation) -> None:
    rounds = estimate_rounds(many)
    assert rounds[0].at == estimate_random_hands(many)[0]
    assert rounds[0].at.chance.value < rounds[1].at.chance.value < rounds[10].at.chance.value


def test_ends_are_shares_of_all_games(many: Simulation) -> None:
    assert sum(end.games for end in estimate_ends(many)) == many.games
    assert sum(end.share.value for end in estimate_ends(many)) == pytest.approx(1)


def test_kinds_are_shares_of_all_sets_taken(many: Simulation) -> None:
    """In a random hand 10, 30, 40 and 20 %; in play a player who takes any set comes near."""
    kinds = estimate_kinds(many)
    assert [kind.features for kind in kinds] == [1, 2, 3, 4]
    assert sum(kind.share.value for kind in kinds) == pytest.approx(1)
    for kind, share in zip(kinds, (0.1, 0.3, 0.4, 0.2), strict=True):
        assert abs(kind.share.value - share) < 0.02


def test_standard_errors_are_those_of_independent_repetitions() -> None:
    """The spread of 60 small simulations is what the error of one of them says."""
    runs = [estimate_tables(simulate(500, seed=seed))[0] for seed in range(60)]
    for attribute in ("chance", "sets"):
        estimates = [getattr(run, attribute) for run in runs]
        spread = np.std([estimate.value for estimate in estimates], ddof=1)
        error = sqrt(np.mean([estimate.error**2 for estimate in estimates]))
        assert 0.7 < spread / error < 1.35


def test_nothing_seen_is_not_certainty() -> None:
    eighteen = estimate_random_hands(simulate(1000, seed=1))[2]
    assert eighteen.without == 0
    assert eighteen.odds is None
    assert eighteen.at_most == 3 / 1000


def test_odds_and_their_error() -> None:
    odds = Tables(12, 400, 100, Estimate(0.25, 0.01), Estimate(2, 0.1)).odds
    assert odds is not None
    assert odds.value == pytest.approx(3)
    assert odds.error == pytest.approx(0.16)


def test_deviation_counts_standard_errors(many: Simulation) -> None:
    hands = estimate_random_hands(many)[0]
    exact = Fraction(hands.without, hands.tables)
    assert deviation(hands, exact) == 0
    assert deviation(hands, exact + Fraction(1, 100)) < -20


def test_exact_chances_come_out_of_the_classified_lists() -> None:
    assert chance_without_set(12) == Fraction(325432404, 10074689485)
    for size, odds in ((12, 29.96), (15, 2741), (18, 70_454_349)):
        chance = chance_without_set(size)
        assert float((1 - chance) / chance) == pytest.approx(odds, rel=2e-4)
    assert chance_without_set(2) == 1
    assert chance_without_set(21) == 0
    assert mean_sets(81) == 1080
    for size in (-1, 82):
        with pytest.raises(BadInput):
            chance_without_set(size)
