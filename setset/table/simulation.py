"""Many games at once, in one process or several, with the same sums either way."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from itertools import islice
from multiprocessing import parent_process
from typing import Final

import numpy as np
import numpy.typing as npt

from setset.cards import third_table
from setset.errors import BadInput, SetsetError
from setset.spawning import spawn_context
from setset.table.autoplay import Policy
from setset.table.deck import check_seed

PORTION: Final = 20_000
"""Games between two reports of progress: about a tenth of a second."""
SHAPES: Final = ((2, 8, 8), (28, 4), (3, 3), (22,))
"""Of the sums `tables`, `rounds`, `hands` and `ends` that `kernel.play_games` describes."""

Sums = tuple[npt.NDArray[np.int64], ...]


@dataclass(frozen=True)
class Simulation:
    """Exact sums over the games that were played; `estimates` computes chances and errors from them."""

    games: int
    seed: int
    policy: Policy
    tables: npt.NDArray[np.int64]
    rounds: npt.NDArray[np.int64]
    hands: npt.NDArray[np.int64]
    ends: npt.NDArray[np.int64]


def simulate(
    games: int,
    seed: int = 0,
    policy: Policy = Policy.RANDOM,
    workers: int = 1,
    progress: Callable[[int], None] | None = None,
) -> Simulation:
    """Plays the games numbered 0 to games - 1 of a seed to their ends.

    The result depends on games, seed and policy only, not on the number of worker processes. `progress`
    is called with how many games were finished since its last call.
    """
    if games < 1:
        raise BadInput(f"cannot simulate {games} games; at least 1")
    if workers < 1:
        raise BadInput(f"cannot work with {workers} worker processes; at least 1")
    check_seed(seed)
    starts = range(0, games, PORTION)
    portions = ((first, min(PORTION, games - first)) for first in starts)
    total = tuple(np.zeros(shape, np.int64) for shape in SHAPES)
    several = min(workers, len(starts))
    shares = (
        _play_in_turn(seed, policy, portions)
        if several == 1
        else _play_in_processes(seed, policy, portions, several)
    )
    for played, sums in shares:
        for whole, part in zip(total, sums, strict=True):
            whole += part
        if progress is not None:
            progress(played)
    return Simulation(games, seed, policy, *total)


def play_portion(seed: int, policy: Policy, first: int, games: int) -> tuple[int, Sums]:
    """The sums of some games of a simulation, and how many those are."""
    from setset.table.kernel import play_games

    sums = tuple(np.zeros(shape, np.int64) for shape in SHAPES)
    play_games(np.uint64(seed), first, games, policy is Policy.RANDOM, third_table(), *sums)
    return games, sums


def _play_in_turn(
    seed: int, policy: Policy, portions: Iterator[tuple[int, int]]
) -> Iterator[tuple[int, Sums]]:
    for first, games in portions:
        yield play_portion(seed, policy, first, games)


def _play_in_processes(
    seed: int, policy: Policy, portions: Iterator[tuple[int, int]], workers: int
) -> Iterator[tuple[int, Sums]]:
    """The portions from a pool of processes, as they finish; only a few wait in it at any time."""
    play_portion(seed, policy, 0, 0)  # compiles once, so that the workers find numba's cache warm
    with ProcessPoolExecutor(workers, spawn_context(), _prepare_worker) as pool:
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


def _prepare_worker() -> None:
    """Leaves Ctrl-C to the parent, and ends with it: a killed parent cannot tell its workers to stop."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_exit_with_parent, daemon=True).start()


def _exit_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
