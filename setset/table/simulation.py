"""Simulation of many games, in one or several processes. The number of processes does not change the result."""

from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from itertools import islice
from typing import Final

import numpy as np
import numpy.typing as npt

from setset.cards import third_table
from setset.errors import SetsetError, require_between
from setset.lazy import Shown
from setset.spawning import spawn_context, tie_to_parent
from setset.table.autoplay import Policy
from setset.table.deck import check_seed

PORTION: Final = 20_000
"""Number of games between two progress reports: about a tenth of a second of work."""
SHAPES: Final = ((2, 8, 8), (28, 4), (3, 3), (22,), (5, 5))
"""Shapes of the arrays of sums `tables`, `rounds`, `hands`, `ends` and `kinds`. `kernel.py` describes them."""

Sums = tuple[npt.NDArray[np.int64], ...]


@dataclass(frozen=True)
class Simulation(Shown):
    """Result of `simulate`: exact sums over all games, from which the module `estimates` computes chances and
    errors."""

    games: int
    seed: int
    policy: Policy
    tables: npt.NDArray[np.int64]
    rounds: npt.NDArray[np.int64]
    hands: npt.NDArray[np.int64]
    ends: npt.NDArray[np.int64]
    kinds: npt.NDArray[np.int64]


def simulate(
    games: int,
    seed: int = 0,
    policy: Policy = Policy.RANDOM,
    workers: int = 1,
    progress: Callable[[int], None] | None = None,
) -> Simulation:
    """Plays games 0 to `games` - 1 of a seed to their ends. Counts tables, sets, and cards left at the ends.

    The result depends on games, seed and policy, not on the number of workers.

    Args:
        games: number of games, at least 1.
        seed: 0 to 2**64 - 1.
        policy: choice among several sets.
        workers: number of processes that share the games, at least 1.
        progress: called with the number of games finished since its last call.

    Returns:
        Sums over all games; `estimate_tables` and similar functions compute chances from them.

    Raises:
        BadInput: one of the numbers is out of range, or there is no such policy.
        SetsetError: a worker process was killed.

    >>> int(simulate(1000, seed=1).ends.sum())
    1000
    """
    require_between("games", games, 1)
    require_between("workers", workers, 1)
    check_seed(seed)
    policy = Policy(policy)
    starts = range(0, games, PORTION)
    portions = ((first, min(PORTION, games - first)) for first in starts)
    totals = tuple(np.zeros(shape, np.int64) for shape in SHAPES)
    processes = min(workers, len(starts))
    shares: Iterator[tuple[int, Sums]]
    if processes == 1:
        shares = (play_portion(seed, policy, *portion) for portion in portions)
    else:
        shares = _play_in_processes(seed, policy, portions, processes)
    for played, sums in shares:
        for total, part in zip(totals, sums, strict=True):
            total += part
        if progress is not None:
            progress(played)
    return Simulation(games, seed, policy, *totals)


def play_portion(seed: int, policy: Policy, first: int, games: int) -> tuple[int, Sums]:
    """Plays `games` games from number `first` on. Returns the number of games, and the sums over them."""
    from setset.table.kernel import play_games

    sums = tuple(np.zeros(shape, np.int64) for shape in SHAPES)
    play_games(np.uint64(seed), first, games, policy is Policy.RANDOM, third_table(), *sums)
    return games, sums


def _play_in_processes(
    seed: int, policy: Policy, portions: Iterator[tuple[int, int]], workers: int
) -> Iterator[tuple[int, Sums]]:
    """Plays the portions of games in worker processes, and yields the results as they arrive. Submits only a few
    portions ahead, so that an interruption ends quickly."""
    play_portion(seed, policy, 0, 0)  # compiles once, so that the workers find numba's cache warm
    with ProcessPoolExecutor(workers, spawn_context(), tie_to_parent) as pool:
        try:
            running: set[Future[tuple[int, Sums]]] = set()
            while True:
                for first, games in islice(portions, 2 * workers - len(running)):
                    running.add(pool.submit(play_portion, seed, policy, first, games))
                if not running:
                    return
                done, running = wait(running, return_when=FIRST_COMPLETED)
                for future in done:
                    yield future.result()
        except BrokenProcessPool as error:
            raise SetsetError(
                "a worker process of the simulation was killed: try again with fewer --workers"
            ) from error
        finally:
            pool.shutdown(wait=True, cancel_futures=True)
