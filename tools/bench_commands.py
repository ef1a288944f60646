"""Part of the benchmark: wall time of commands that should answer at once."""

from __future__ import annotations

import sys

from bench_figures import SETSET, Bench, wall

from tests import many


def measure(bench: Bench) -> None:
    bench.add("import setset", wall([sys.executable, "-c", "import setset"]), "s")
    bench.add("setset --help", wall([*SETSET, "--help"]), "s", 0.25)
    bench.add("setset odds 12", wall([*SETSET, "odds", "12"]), "s")
    for batches, mark in ((10_000, 0.5), (150_000, None)):
        workspace = many.make(bench.folder / f"many-{batches}", batches).path
        bench.add(f"setset status, {batches:,} batches", wall([*SETSET, "status", "-w", str(workspace)], 3), "s", mark)
