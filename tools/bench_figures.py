"""Figures of a benchmark, their comparison with earlier figures, and functions that measure time."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

HERE = Path(__file__).parent
SETSET = [sys.executable, "-m", "setset"]
LESS_IS_BETTER = {"ms", "s", "min", "MB", "bytes", "%"}
"""Units of figures that should be small. Figures of all other units should be large."""
TOLERANCE = 0.1
"""Share by which a figure may be worse than before without a message."""

_Result = TypeVar("_Result")


@dataclass(frozen=True)
class Figure:
    """One measured figure, and its mark (the bound that it should meet) if it has one."""

    name: str
    value: float
    unit: str
    mark: float | None = None

    @property
    def at_most(self) -> bool:
        return self.unit in LESS_IS_BETTER

    @property
    def verdict(self) -> str:
        if self.mark is None:
            return ""
        good = self.value <= self.mark if self.at_most else self.value >= self.mark
        return f"{'at most' if self.at_most else 'at least'} {self.mark:g}: {'yes' if good else 'NO'}"

    @property
    def shown(self) -> str:
        return f"{self.value:,.{3 if self.value < 10 else 1}f}"

    @property
    def row(self) -> dict[str, str]:
        """Makes the row of the figure in the table of docs/performance.md."""
        return {"figure": self.name, "value": self.shown, "unit": self.unit, "mark": self.verdict}

    @property
    def plain(self) -> dict[str, object]:
        """Makes the JSON object of the figure."""
        return {**asdict(self), "at_most": self.at_most, "verdict": self.verdict}

    def compare(self, before: float) -> str | None:
        """Makes a message if the figure is worse than before by more than a tenth; otherwise returns None."""
        if self.at_most:
            worse = self.value > before * (1 + TOLERANCE)
        else:
            worse = self.value < before * (1 - TOLERANCE)
        if not worse or not before:
            return None
        change = abs(self.value / before - 1)
        return f"WORSE: {self.name}: {self.shown} {self.unit}, {before:,g} before ({change:.0%})"

    def __str__(self) -> str:
        return f"{self.name:50} {self.shown:>12} {self.unit:10} {self.verdict}".rstrip()


def fallen(figures: list[Figure], rows: Iterable[Mapping[str, str]]) -> list[str]:
    """Makes messages about the figures that are worse than the written figures by more than a tenth."""
    before = {row["figure"]: float(row["value"].replace(",", "")) for row in rows}
    sentences = (figure.compare(before[figure.name]) for figure in figures if figure.name in before)
    return [sentence for sentence in sentences if sentence is not None]


class Bench:
    """One run of the benchmark: its temporary folder, the compiled counters in C, and the figures so far."""

    def __init__(self, folder: Path, quick: bool) -> None:
        self.folder, self.quick = folder, quick
        self.figures: list[Figure] = []

    def add(self, name: str, value: float, unit: str, mark: float | None = None) -> None:
        figure = Figure(name, value, unit, mark)
        self.figures.append(figure)
        print(figure, file=sys.stderr, flush=True)

    @cached_property
    def counter(self) -> Path:
        """Path of the compiled tools/counter.c."""
        return self._compile("counter.c")

    @cached_property
    def deep_counter(self) -> Path:
        """Path of the compiled tools/deep.c."""
        return self._compile("deep.c")

    def _compile(self, source: str) -> Path:
        return compile_c(source, self.folder)

    def counted_in_c(self, *arguments: object) -> tuple[int, float]:
        """Runs tools/counter.c. Returns its count and its lists per second."""
        words = [str(self.counter), *map(str, arguments)]
        count, seconds = subprocess.run(words, capture_output=True, text=True, check=True).stdout.split()
        return int(count), int(count) / float(seconds)

    @property
    def stored_size(self) -> int:
        """Largest size in the workspace that several parts of the benchmark read."""
        return 7 if self.quick else 8

    @cached_property
    def workspace(self) -> Path:
        """Path of a workspace with all sizes up to `stored_size`, made at first use."""
        path = self.folder / "workspace"
        subprocess.run(run_command(self.stored_size, 2, path), check=True)
        return path


def compile_c(source: str, folder: Path) -> Path:
    """Compiles a counter of tools/ into a folder."""
    gcc = shutil.which("gcc")
    if gcc is None:
        raise SystemExit("the benchmark needs gcc for its counters in C: on Debian, apt-get install gcc")
    program = folder / Path(source).stem
    subprocess.run([gcc, "-O3", "-march=native", str(HERE / source), "-o", str(program)], check=True)
    return program


def run_command(size: int, workers: int, workspace: Path, *options: str) -> list[str]:
    """Makes the command `setset run` for all sizes up to a size."""
    words = ["--size", str(size), "--workers", str(workers), "-w", str(workspace)]
    return [*SETSET, "run", "-q", *words, *options]


def timed(action: Callable[..., _Result], *arguments: Any) -> tuple[_Result, float]:
    """Calls a function. Returns its result and the CPU seconds that it took."""
    start = time.process_time()
    result = action(*arguments)
    return result, time.process_time() - start


def least(action: Callable[[], object], times: int = 3) -> float:
    """Returns the least CPU seconds of several calls, after a first call that may compile and does not count."""
    action()
    return min(timed(action)[1] for _ in range(times))


def wall(words: list[str], times: int = 7) -> float:
    """Returns the median wall time of several executions of a command."""
    seconds = []
    for _ in range(times):
        start = time.monotonic()
        subprocess.run(words, check=True, capture_output=True)
        seconds.append(time.monotonic() - start)
    return sorted(seconds)[times // 2]
