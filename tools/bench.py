"""Measures setset, in part against counters in C that do the same work, in one run on one machine.

tools/bench                    all parts but `large`: about twenty minutes, 2 GB in the temporary folder
tools/bench --quick            smaller sizes with less exact figures: some minutes
tools/bench files classes      only the named parts
tools/bench large              the part that runs only if named: size 10 and target 20, 20 minutes and 4 GB
tools/bench --write            writes the tables of docs/performance.md

Names every figure that is more than a tenth worse than in docs/performance.md. The exit code is 1 if a figure misses
its mark, the bound that it should meet. Nothing else should be running. Machines differ, and a machine differs from
minute to minute, so most marks are for ratios of two figures of the same run.
"""

from __future__ import annotations

import argparse
import importlib
import json
import signal
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench_figures import Bench, Figure, fallen
from sections import PERFORMANCE, machine, read_section, write_section

PARTS = ("counting", "runs", "files", "commands", "classes")
IF_NAMED = ("large",)
"""Parts that run only if named. Each part is a module bench_PART and a section of docs/performance.md."""


def main() -> int:
    options = _options()
    signal.signal(
        signal.SIGTERM, lambda *_: sys.exit(143)
    )  # so that the exit also ends commands that wait for their turn
    parts = options.parts or PARTS
    figures_of = {part: measure_part(part, options.quick) for part in parts}
    figures = [figure for part in parts for figure in figures_of[part]]
    if options.json:
        print(json.dumps({"machine": machine(), "figures": [figure.plain for figure in figures]}, indent=2))
    else:
        print(machine(), *figures, sep="\n")
    for part in parts:
        for sentence in fallen(figures_of[part], read_section(options.page, part)):
            print(sentence, file=sys.stderr)
        if options.write:
            command = f"tools/bench{' --quick' if options.quick else ''} {part}"
            write_section(options.page, part, command, [figure.row for figure in figures_of[part]])
    return int(any(figure.verdict.endswith("NO") for figure in figures))


def measure_part(part: str, quick: bool) -> list[Figure]:
    with tempfile.TemporaryDirectory(prefix="setset-bench-") as folder:
        bench = Bench(Path(folder), quick)
        importlib.import_module(f"bench_{part}").measure(bench)
    return bench.figures


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"any of {', '.join((*PARTS, *IF_NAMED))}")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    parser.add_argument("--quick", action="store_true", help="smaller sizes with less exact figures: some minutes")
    parser.add_argument("--write", action="store_true", help="write the tables of docs/performance.md")
    parser.add_argument("--page", type=Path, default=PERFORMANCE, help="page to compare with and to write")
    options = parser.parse_args()
    if unknown := set(options.parts) - {*PARTS, *IF_NAMED}:
        parser.error(f"no such part: {', '.join(sorted(unknown))}")
    return options


if __name__ == "__main__":
    sys.exit(main())
