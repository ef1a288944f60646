"""Part of the benchmark: `setset run` in a new workspace, beside the kernels alone and a counter in C."""

from __future__ import annotations

import importlib.util
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bench_figures import HERE, Bench, run_command
from bench_kernels import TARGET
from bench_turns import LONG_TURN_SECONDS, Contestant, take_turns

import setset


def measure(bench: Bench) -> None:
    for size in (6,) if bench.quick else (6, 7):
        measure_run(bench, size)
    measure_beside_others(bench, 7 if bench.quick else 8)
    if not bench.quick:
        measure_beside_kernels(bench, 9)


def measure_run(bench: Bench, size: int) -> None:
    with workspaces(bench, "two") as folder:
        run = Contestant(run_command(size, 2, folder / "two"))
        take_turns([run])
        add_rate(bench, f"run --size {size}, 2 workers", folder / "two", size, run)


def measure_beside_others(bench: Bench, size: int) -> None:
    """Measures in turns: a run with two workers, one worker and two Dask workers, the kernels alone, and C on one and
    two cores."""
    in_c = [str(bench.counter), "tree", str(TARGET), str(size)]
    with workspaces(bench, "two", "one", "dask") as folder:
        two, one = (Contestant(run_command(size, n, folder / name)) for n, name in ((2, "two"), (1, "one")))
        dask = Contestant(run_command(size, 2, folder / "dask", "--executor", "dask"))
        c, c_twice, kernels = Contestant(in_c), Contestant(twice(in_c)), Contestant(twice(kernels_alone(size)))
        has_dask = importlib.util.find_spec("distributed") is not None
        take_turns([two, one, kernels, c, c_twice, *([dask] if has_dask else [])])
        add_rate(bench, f"run --size {size}, 2 workers", folder / "two", size, two)
        add_rate(bench, f"run --size {size}, 1 worker", folder / "one", size, one)
    bench.add(f"run --size {size}, 2 workers / C on one core", c.seconds / two.seconds, "x", 1.2)
    add_beside_kernels(bench, size, two, kernels)
    bench.add("2 workers / 1 worker", one.seconds / two.seconds, "x", None if bench.quick else 1.8)
    bench.add("C on two cores / C on one", 2 * c.seconds / c_twice.seconds, "x")
    if has_dask:
        bench.add("2 Dask workers / 2 workers", two.seconds / dask.seconds, "x", None if bench.quick else 0.9)
    if two.memory:  # 0 for a short run, because memory is measured at the end of a turn
        bench.add("memory of the coordinator", two.memory / 1e6, "MB", 300)
        bench.add("memory of a worker", two.memory_of_child / 1e6, "MB", 600)


def measure_beside_kernels(bench: Bench, size: int) -> None:
    with workspaces(bench, "two") as folder:
        two, kernels = Contestant(run_command(size, 2, folder / "two")), Contestant(twice(kernels_alone(size)))
        take_turns([two, kernels], LONG_TURN_SECONDS)
        add_rate(bench, f"run --size {size}, 2 workers", folder / "two", size, two)
    add_beside_kernels(bench, size, two, kernels)


def add_beside_kernels(bench: Bench, size: int, two: Contestant, kernels: Contestant) -> None:
    """Adds the ratio of a run with two workers, including its start, to two processes that expand all lists and write
    nothing."""
    mark = 0.92 if size == 9 else None
    bench.add(f"run --size {size}, 2 workers / 2 kernels", kernels.seconds / two.seconds / 2, "x", mark)


def add_rate(bench: Bench, name: str, workspace: Path, size: int, run: Contestant) -> None:
    with setset.open(workspace) as opened:
        lists = opened.exploration(TARGET)[size].lists
    bench.add(name, lists / run.seconds / 1e6, "M lists/s")


@contextmanager
def workspaces(bench: Bench, *names: str) -> Iterator[Path]:
    """Yields a temporary folder for workspaces, and removes it at the end."""
    try:
        yield bench.folder
    finally:
        for name in names:
            shutil.rmtree(bench.folder / name, ignore_errors=True)


def twice(words: list[str]) -> list[str]:
    """Makes a command that runs another command twice at the same time."""
    return ["sh", "-c", '"$@" & "$@"; wait', "sh", *words]


def kernels_alone(size: int) -> list[str]:
    return [sys.executable, str(HERE / "bench_kernels.py"), str(size)]
