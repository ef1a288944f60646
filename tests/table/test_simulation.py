"""The compiled games against their slow twin, workers against one process, estimates against exact values."""

from __future__ import annotations

from fractions import Fraction
from math import comb, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from setset.errors import BadInput
from setset.table import (
    Policy,
    chance_without_set,
    estimate_ends,
    estimate_random_hands,
    estimate_rounds,
    estimate_tables,
    mean_sets,
    play_out,
    simulate,
)
from setset.table.estimates import TO_THE_END, UNTIL_LAST_DEAL, Estimate, deviation, odds_against
from setset.table.simulation import PORTION, Simulation, play_portion
from tests.table import naive


def sums_of(simulation: Simulation) -> tuple[np.ndarray, ...]:
    return simulation.tables, simulation.rounds, simulation.hands, simulation.ends


@pytest.fixture(scope="module")
def many() -> Simulation:
    return simulate(200_000, seed=1)


@given(st.integers(0, 2**64 - 1), st.integers(0, 10**12), st.sampled_from(Policy))
@settings(max_examples=25, deadline=None)
def test_the_kernel_agrees_with_its_slow_twin(seed: int, first: int, policy: Policy) -> None:
    """The same sums, game by game: shuffles, hands, tables, rounds and ends."""
    _, sums = play_portion(seed, policy, first, 3)
    for compiled, slow in zip(sums, naive.sums(seed, first, 3, policy is Policy.RANDOM), strict=True):
        np.testing.assert_array_equal(compiled, slow)


def test_the_kernel_plays_the_games_that_play_shows() -> None:
    for game in range(20):
        _, (tables, _, _, last) = play_portion(5, Policy.RANDOM, game, 1)
        steps = list(play_out(5, Policy.RANDOM, game))
        assert tables[TO_THE_END, :, 0].sum() == len(steps)
        assert tables[TO_THE_END, :, 2].sum() == sum(len(step.before.sets) for step in steps)
        assert last[len(steps[-1].after.table)] == 1


def test_the_number_of_workers_changes_nothing() -> None:
    games = 2 * PORTION + 17
    told: list[int] = []
    alone = simulate(games, seed=9)
    shared = simulate(games, seed=9, workers=2, progress=told.append)
    for one, two in zip(sums_of(alone), sums_of(shared), strict=True):
        np.testing.assert_array_equal(one, two)
    assert sum(told) == games


def test_seeds_and_policies_matter() -> None:
    random, first = simulate(1000, seed=1), simulate(1000, seed=1, policy=Policy.FIRST)
    assert not np.array_equal(random.tables, first.tables)
    np.testing.assert_array_equal(random.hands, first.hands)
    assert not np.array_equal(random.hands, simulate(1000, seed=2).hands)


def test_sums_fit_together(many: Simulation) -> None:
    """Each game has one end, and its last table is the only one without a set and without a deck."""
    assert many.ends.sum() == many.games
    assert many.rounds[0, 0] == many.games
    np.testing.assert_array_equal(many.rounds[0, 1:], many.hands[0])
    np.testing.assert_array_equal(many.rounds[:, :3].sum(axis=0), many.tables[UNTIL_LAST_DEAL, 4, :3])
    for cards in range(0, 22, 3):
        until, to_end = many.tables[:, cards // 3, 1]
        assert until <= to_end
    assert many.ends[3] == 0, "with three cards left they are a set, since all cards sum to zero"


def test_random_hands_have_the_exact_number_of_sets(many: Simulation) -> None:
    """Three cards are a set with chance 1/79, so n cards hold comb(n, 3) / 79 sets on average."""
    for hands in estimate_random_hands(many):
        expected = comb(hands.size, 3) / 79
        assert abs(hands.sets.value - expected) < 4 * hands.sets.error


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


def test_random_hands_agree_with_the_exact_chances(many: Simulation) -> None:
    for hands in estimate_random_hands(many):
        assert abs(deviation(hands, chance_without_set(hands.size))) < 4


def test_play_agrees_with_what_others_found(many: Simulation) -> None:
    """A random set each time: 14.18 and 88.4 to 1, counted up to the last deal (1.4e12 games by aujxn)."""
    tables = {at.size: at for at in estimate_tables(many)}
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


def test_standard_errors_are_those_of_independent_repetitions() -> None:
    """The spread of 60 small simulations is what the error of one of them says."""
    runs = [estimate_tables(simulate(500, seed=seed))[0] for seed in range(60)]
    for what in ("chance", "sets"):
        estimates = [getattr(run, what) for run in runs]
        spread = np.std([estimate.value for estimate in estimates], ddof=1)
        claimed = sqrt(np.mean([estimate.error**2 for estimate in estimates]))
        assert 0.7 < spread / claimed < 1.35


def test_nothing_seen_is_not_certainty() -> None:
    eighteen = estimate_random_hands(simulate(1000, seed=1))[2]
    assert eighteen.without == 0
    assert eighteen.odds is None
    assert eighteen.at_most == 3 / 1000


def test_odds_and_their_error() -> None:
    odds = odds_against(Estimate(0.25, 0.01))
    assert odds.value == pytest.approx(3)
    assert odds.error == pytest.approx(0.16)


def test_deviation_counts_standard_errors(many: Simulation) -> None:
    hands = estimate_random_hands(many)[0]
    exact = Fraction(hands.without, hands.tables)
    assert deviation(hands, exact) == 0
    assert deviation(hands, exact + Fraction(1, 100)) < -20


@pytest.mark.parametrize(("games", "workers", "seed"), [(0, 1, 0), (-5, 1, 0), (10, 0, 0), (10, 1, -1)])
def test_what_cannot_be_simulated_is_refused(games: int, workers: int, seed: int) -> None:
    with pytest.raises(BadInput):
        simulate(games, seed=seed, workers=workers)
