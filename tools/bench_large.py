"""Part of the benchmark that runs only if named: whole explorations, which take 20 minutes and 4 GB."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path

from bench_figures import SETSET, Bench, run_command
from bench_kernels import TARGET

import setset


def measure(bench: Bench) -> None:
    size = 7 if bench.quick else 10
    workspace = bench.folder / "large"
    bench.add(f"run --size {size}, 2 workers", seconds_of(run_command(size, 2, workspace)) / 60, "min")
    add_stored(bench, workspace, size)
    bench.add(f"check, sizes 3 to {size}", seconds_of([*SETSET, "check", "-q", "-w", str(workspace)]), "s")
    deep = [*SETSET, "check", str(size - 2), "--deep", "-q", "-w", str(workspace)]
    bench.add(f"check {size - 2} --deep", seconds_of(deep), "s")
    pruned = [*SETSET, "run", "20", "--target", "20", "--prune", "-q", "-w", str(bench.folder / "pruned")]
    if not bench.quick:
        bench.add("run 20 --target 20 --prune", seconds_of(pruned), "s")


def add_stored(bench: Bench, workspace: Path, size: int) -> None:
    with setset.open(workspace) as opened_workspace:
        largest = opened_workspace.exploration(TARGET)[size]
        bench.add(f"lists of {size} cards", largest.lists / 1e6, "M lists")
        bench.add(f"files of {size} cards", largest.bytes / 1e6, "MB")
        bench.add(f"bytes per list, size {size}", largest.bytes / largest.lists, "bytes")


def seconds_of(words: list[str]) -> float:
    """Runs a command, which must succeed, and returns its wall seconds."""
    start = time.monotonic()
    subprocess.run(words, check=True, capture_output=True)
    return time.monotonic() - start
