"""Workers against one process, and sums that must fit together."""

from __future__ import annotations

from multiprocessing import active_children

import numpy as np
import pytest

from setset.errors import BadInput, SetsetError
from setset.table import Policy, simulate
from setset.table.estimates import UNTIL_LAST_DEAL
from setset.table.simulation import PORTION, Simulation


def sums_of(simulation: Simulation) -> tuple[np.ndarray, ...]:
    return simulation.tables, simulation.rounds, simulation.hands, simulation.ends, simulation.kinds


@pytest.fixture(scope="module")
def many() -> Simulation:
    return simulate(200_000, seed=1)


def test_the_number_of_workers_changes_nothing() -> None:
    games = 2 * PORTION + 17
    portions: list[int] = []
    single = simulate(games, seed=9)
    shared = simulate(games, seed=9, workers=2, progress=portions.append)
    for first, second in zip(sums_of(single), sums_of(shared), strict=True):
        np.testing.assert_array_equal(first, second)
    assert sum(portions) == games


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
        in_deal, to_end = many.tables[:, cards // 3, 1]
        assert in_deal <= to_end
    assert many.ends[3] == 0, "with three cards left they are a set, since all cards sum to zero"


@pytest.mark.parametrize(("games", "workers", "seed"), [(0, 1, 0), (-5, 1, 0), (10, 0, 0), (10, 1, -1)])
def test_what_cannot_be_simulated_is_refused(games: int, workers: int, seed: int) -> None:
    with pytest.raises(BadInput):
        simulate(games, seed=seed, workers=workers)


@pytest.mark.posix("the process pool of Python hangs under Wine when a worker is killed")
def test_a_killed_worker_is_one_clear_line() -> None:
    def kill_workers(_: int) -> None:
        for process in active_children():
            process.kill()

    with pytest.raises(SetsetError, match="a worker process of the simulation was killed"):
        simulate(100 * PORTION, seed=1, workers=2, progress=kill_workers)
