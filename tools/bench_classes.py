"""Part of the benchmark: building the classes, listing their members, random hands, and the static site."""

from __future__ import annotations

import itertools
import subprocess
import tempfile
from functools import partial
from pathlib import Path

import psutil
from bench_figures import SETSET, Bench, least

import setset
from setset.folder import WorkspaceFolder
from setset.progress import NoProgress
from setset.symmetry import rank, sample, unrank
from setset.workspace.stored_classes import build_catalogue

MEMBERS = 4_000_000


def measure(bench: Bench) -> None:
    bench.add("classes build, CPU", least(build_into_a_database), "s", 1.4)
    for name in ("12/700", "18/10"):
        bench.add(f"members of class {name}", MEMBERS / least(partial(take_members, name)) / 1e6, "M lists/s")
    bench.add("random hands of 12", 0.1 / least(lambda: sample(12, 100_000, seed=1)), "M lists/s")
    ranks = [number * 10**10 for number in range(100)]
    seconds = least(lambda: [rank(unrank(12, number)) for number in ranks])
    bench.add("unrank and rank of a hand of 12, CPU", 1000 * seconds / len(ranks), "ms")
    if not bench.quick:
        bench.add("site, CPU", site_seconds(bench.folder / "site"), "s")


def build_into_a_database() -> None:
    """Does the work of `setset classes build` in a new workspace."""
    with tempfile.TemporaryDirectory() as folder:
        build_catalogue(WorkspaceFolder(Path(folder) / "w"), 20, NoProgress())


def take_members(name: str) -> None:
    chunks = setset.member_arrays(name, 0, MEMBERS // 4)
    assert sum(map(len, itertools.islice(chunks, 4))) == MEMBERS


def site_seconds(folder: Path) -> float:
    """Measures the CPU seconds of `setset site` with its child processes."""
    process = psutil.Process()
    before = process.cpu_times()
    subprocess.run([*SETSET, "site", str(folder), "--url", "https://example.org/", "-q"], check=True)
    after = process.cpu_times()
    return float(after.children_user + after.children_system - before.children_user - before.children_system)
