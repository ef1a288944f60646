"""How long the catalogue takes, beside a figure of the same run, since machines differ.

python tools/bench_symmetry.py
"""

from __future__ import annotations

import resource
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from setset.folder import WorkspaceFolder
from setset.progress import NoProgress
from setset.symmetry import Catalogue, catalogue_in_memory, game_classes, rank, sample, unrank
from setset.workspace.catalogue import build_catalogue


def cpu_seconds(work: Callable[[], object], times: int = 5) -> float:
    """The least of several runs; the first, in which numba may compile, does not count."""
    work()
    taken = []
    for _ in range(times):
        start = time.process_time()
        work()
        taken.append(time.process_time() - start)
    return min(taken)


def all_game_classes() -> list[int]:
    return [game_classes(catalogue_in_memory().level(size).classes) for size in range(21)]


def into_a_database() -> None:
    """The work of `setset classes build`, in a new workspace each time."""
    with tempfile.TemporaryDirectory() as folder:
        build_catalogue(WorkspaceFolder(Path(folder) / "w"), 20, NoProgress())


def main() -> None:
    numbers = np.random.default_rng(0).integers(0, 1 << 62, 5_000_000)
    reference = cpu_seconds(lambda: np.sort(numbers, kind="stable"))
    print(f"{'numpy sorts 5,000,000 numbers':45} {reference:8.3f} s   1.00")
    for name, work in (
        ("all classes of all sizes", lambda: Catalogue().level(20)),
        ("their classes under the game's symmetries", all_game_classes),
        ("both, into a new database", into_a_database),
        ("100,000 random 12-lists", lambda: sample(12, 100_000, seed=1)),
        ("unrank and rank of 100 12-lists", lambda: [rank(unrank(12, i * 10**10)) for i in range(100)]),
    ):
        taken = cpu_seconds(work)
        print(f"{name:45} {taken:8.3f} s {taken / reference:6.2f}")
    print(f"memory at most {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000:.0f} MB")


if __name__ == "__main__":
    main()
