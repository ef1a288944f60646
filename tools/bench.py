"""Measures setset against the best depth-first counter in C that we could write, in one run on one machine.

Every figure that carries a judgement is a ratio of two figures of the same run: machines differ, and the same
machine differs from minute to minute. Needs gcc, some 2 GB of free space in the temporary folder and, for the
whole, about a quarter of an hour. Nothing else should be running.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import platform
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TypeVar

import bench_symmetry
import psutil
from bench_kernels import BATCH_LISTS, TARGET, lists_below, root
from bench_turns import LONG_TURN_SECONDS, Contestant, take_turns

from setset.batches import files
from setset.batches import format as batch_format
from setset.database.connection import connect
from setset.engine import search
from setset.engine.bitstreams import Streams

HERE = Path(__file__).parent
SETSET = [sys.executable, "-m", "setset"]
LISTS_OF_12 = 2_284_535_476_080

_Result = TypeVar("_Result")


@dataclass(frozen=True)
class Figure:
    """One measured figure, and the mark that it is held to if it has one."""

    name: str
    value: float
    unit: str
    mark: float | None = None
    at_most: bool = False

    @property
    def verdict(self) -> str:
        if self.mark is None:
            return ""
        good = self.value <= self.mark if self.at_most else self.value >= self.mark
        return f"{'at most' if self.at_most else 'at least'} {self.mark:g}: {'yes' if good else 'NO'}"


class Bench:
    def __init__(self, folder: Path, gcc: str, quick: bool) -> None:
        self.folder, self.quick = folder, quick
        self.figures: list[Figure] = []
        self.counter = folder / "counter"
        words = [gcc, "-O3", "-march=native", str(HERE / "counter.c"), "-o", str(self.counter)]
        subprocess.run(words, check=True)
        search.compile_kernels()

    def add(self, name: str, value: float, unit: str, mark: float | None = None, at_most: bool = False) -> None:
        figure = Figure(name, value, unit, mark, at_most)
        self.figures.append(figure)
        print(line(figure), file=sys.stderr)

    def counted_in_c(self, *arguments: object) -> tuple[int, float]:
        """The C counter's count, and its lists a second."""
        words = [str(self.counter), *map(str, arguments)]
        count, seconds = subprocess.run(words, capture_output=True, text=True, check=True).stdout.split()
        return int(count), int(count) / float(seconds)

    def kernels(self) -> None:
        """One core: count and expand whole sizes, and the C counter on the same lists. Each the best of three, in
        turns."""
        source = root()
        for size in (6, 7) if self.quick else (7, 8):
            c_rate = count_rate = expand_rate = 0.0
            sources = level(size - 1)
            share = max(1, sum(batch.lists for batch in sources) // 150_000_000)
            for _ in range(3):
                found, rate = self.counted_in_c("tree", TARGET, size)
                c_rate = max(c_rate, rate)
                counts, seconds = timed(search.count, source, TARGET, size)
                counted = counts[size]
                count_rate = max(count_rate, counted / seconds)
                assert counted == found, f"size {size}: {counted} counted, {found} in C"
                # To encoded bits, every so-many-th batch of the size before.
                made, seconds = timed(lists_below_all, sources[::share], size)
                expand_rate = max(expand_rate, made / seconds)
            self.add(f"C counter, size {size}", c_rate / 1e6, "M lists/s")
            self.add(f"kernel count, size {size}", count_rate / 1e6, "M lists/s")
            self.add(f"kernel count / C, size {size}", count_rate / c_rate, "x", 1.0)
            self.add(f"kernel expand, size {size}", expand_rate / 1e6, "M lists/s")
            self.add(f"kernel expand / C, size {size}", expand_rate / c_rate, "x", 1.0)

    def runs(self) -> None:
        """`setset run` from nothing, end to end."""
        for size in (6,) if self.quick else (6, 7):
            run = Contestant(self.run(size, 2, "w"))
            take_turns([run])
            self.add(f"run --size {size}, 2 workers", self.lists(size) / run.seconds / 1e6, "M lists/s")
            self.stored(size)
            shutil.rmtree(self.folder / "w")
        self.compared(7 if self.quick else 8)
        if not self.quick:
            two = Contestant(self.run(9, 2, "nine"))
            kernels = Contestant(twice(kernels_alone(9)))
            take_turns([two, kernels], LONG_TURN_SECONDS)
            self.against_kernels(9, two, kernels)
            shutil.rmtree(self.folder / "nine")

    def against_kernels(self, size: int, two: Contestant, kernels: Contestant) -> None:
        """A run with two workers, start-up included, beside two processes that only expand, each all of it."""
        mark = 0.92 if size == 9 else None
        self.add(f"run --size {size}, 2 workers / 2 kernels", kernels.seconds / two.seconds / 2, "x", mark)

    def compression(self) -> None:
        """Share of a worker's time for packing the bits of size 9."""
        made, packing, size = 0, 0.0, 0
        sources = list(sample_of(8, 2 if self.quick else 6))
        started = time.process_time()
        for eight in sources:
            for part in search.expand(eight, TARGET, BATCH_LISTS):
                data, seconds = timed(batch_format.pack_bits, part)
                made, packing, size = made + part.lists, packing + seconds, size + len(data)
        taken = time.process_time() - started
        self.add("compression, share of a worker's time, size 9", 100 * packing / taken, "%", 10, at_most=True)
        self.add("bytes a list, size 9, a sample", size / made, "bytes", 0.06, at_most=True)

    def compared(self, size: int) -> None:
        """Two workers, one, two of Dask, and C on one core and on two, all at the same time in turns."""
        c_words = [str(self.counter), "tree", str(TARGET), str(size)]
        two, one = Contestant(self.run(size, 2, "w")), Contestant(self.run(size, 1, "one"))
        c, c_twice = Contestant(c_words), Contestant(twice(c_words))
        dask = Contestant(self.run(size, 2, "dask", "--executor", "dask"))
        kernels = Contestant(twice(kernels_alone(size)))
        has_dask = importlib.util.find_spec("distributed") is not None
        take_turns([two, one, kernels, c, c_twice, *([dask] if has_dask else [])])
        lists = self.lists(size)
        self.add(f"run --size {size}, 2 workers", lists / two.seconds / 1e6, "M lists/s")
        self.stored(size)
        self.add(f"run --size {size}, 2 workers / C on one core", c.seconds / two.seconds, "x", 1.2)
        self.add("memory of the coordinator", two.memory / 1e6, "MB", 300, at_most=True)
        self.add("memory of a worker", two.memory_of_child / 1e6, "MB", 600, at_most=True)
        self.against_kernels(size, two, kernels)
        self.add(f"run --size {size}, 1 worker", lists / one.seconds / 1e6, "M lists/s")
        self.add("2 workers / 1 worker", one.seconds / two.seconds, "x", None if self.quick else 1.8)
        self.add("C on two cores / C on one", 2 * c.seconds / c_twice.seconds, "x")
        if has_dask:
            self.add("2 Dask workers / 2 workers", two.seconds / dask.seconds, "x", None if self.quick else 0.9)

    def stored(self, size: int) -> None:
        """How small the files of a size are."""
        taken, lists = self.ask("SELECT SUM(bytes), SUM(lists) FROM batches WHERE size = ?", size)
        self.add(f"bytes a list, size {size}", taken / lists, "bytes", 0.06 if size > 6 else None, at_most=True)

    def run(self, size: int, workers: int, workspace: str, *options: str) -> list[str]:
        """The command that explores up to a size in a workspace of its own."""
        asked = ["--size", str(size), "--workers", str(workers), "-w", str(self.folder / workspace)]
        return [*SETSET, "run", "-q", *asked, *options]

    def lists(self, size: int) -> int:
        (found,) = self.ask("SELECT lists FROM counts WHERE size = ?", size)
        return found

    def ask(self, query: str, *values: object) -> tuple[int, ...]:
        connection = sqlite3.connect(self.folder / "w" / "setset.db")
        try:
            found: tuple[int, ...] = connection.execute(query, values).fetchone()
        finally:
            connection.close()
        return found

    def decoding(self) -> None:
        """Files of the largest size to arrays of cards, on one core: the best of three, since no other figure of the
        same minute stands beside it."""
        paths = sorted((self.folder / "w" / "batches").rglob("*.setset"))[-400::20]
        found, seconds = min(
            timed(lambda: sum(len(rows) for path in paths for rows in search.unpack(files.load(path)[1])))
            for _ in range(3)
        )
        self.add("decoding files to arrays of cards", found / seconds / 1e6, "M lists/s", 100)

    def start_up(self) -> None:
        connection = connect(self.folder / "w" / "setset.db", "rw")
        with connection:  # 10,000 batches of a size that the run did not reach, and what they came from
            connection.executescript(MANY_BATCHES)
        connection.close()
        workspace = str(self.folder / "w")
        self.add("setset --help", wall([*SETSET, "--help"], 7), "s", 0.25, at_most=True)
        status = wall([*SETSET, "status", "-w", workspace], 7)
        self.add("setset status, 10,000 batches", status, "s", 0.5, at_most=True)

    def catalogue(self) -> None:
        """All classes of all sizes, found and put into a database, against C that only counts a size."""
        lists, c_rate = self.counted_in_c("tree", TARGET, 7)
        c_seconds = lists / c_rate
        taken = bench_symmetry.cpu_seconds(bench_symmetry.into_a_database, 3)
        self.add("classes build, CPU", taken, "s", 1.4, at_most=True)
        self.add("classes build / C counting size 7", taken / c_seconds, "x")

    def counting_to_12(self) -> None:
        """Lists of 12 below a sample of 9-lists, spread over all of them, against C on the same lists. Each the better
        of two, in turns."""
        batches = [next(search.expand(eight, TARGET, 4_000_000)) for eight in sample_of(8, 2 if self.quick else 6)]
        raw = self.folder / "lists"
        total = own = c_time = 0.0
        for batch in batches:
            raw.write_bytes(b"".join(rows.tobytes() for rows in search.unpack(batch)))
            c_rate, own_rate = 0.0, 0.0
            for _ in range(2):
                found, rate = self.counted_in_c("from", raw, 9, TARGET, 12)
                c_rate = max(c_rate, rate)
                counts, seconds = timed(search.count, batch, TARGET, 12)
                counted = counts[12]
                own_rate = max(own_rate, counted / seconds)
                assert counted == found, f"{counted} counted, {found} in C"
            total, own, c_time = total + counted, own + counted / own_rate, c_time + counted / c_rate
        self.add("C counter, 10-lists visited, lists of 12", total / c_time / 1e6, "M lists/s")
        self.add("count to 12, one core", total / own / 1e6, "M lists/s")
        self.add("count to 12 / C", c_time / own, "x", 0.8)
        self.add("all lists of 12 on 2 cores, projected", LISTS_OF_12 / (total / own) / 2 / 60, "min")


def twice(words: list[str]) -> list[str]:
    """A command that runs another one twice at the same time."""
    return ["sh", "-c", '"$@" & "$@"; wait', "sh", *words]


def kernels_alone(size: int) -> list[str]:
    return [sys.executable, str(HERE / "bench_kernels.py"), str(size)]


def lists_below_all(batches: list[Streams], size: int) -> int:
    """How many lists of a size the expansions of all batches come to."""
    return sum(lists_below(batch, size) for batch in batches)


def timed(action: Callable[..., _Result], *arguments: Any) -> tuple[_Result, float]:
    """The result of an action, and the CPU seconds of this process that it takes."""
    started = time.process_time()
    result = action(*arguments)
    return result, time.process_time() - started


def wall(words: list[str], times: int) -> float:
    """The median wall time of a command."""
    seconds = []
    for _ in range(times):
        started = time.monotonic()
        subprocess.run(words, check=True, capture_output=True)
        seconds.append(time.monotonic() - started)
    return sorted(seconds)[times // 2]


def level(size: int) -> list[Streams]:
    """All batches of a size."""
    batches = [root()]
    for _ in range(3, size):
        batches = [part for batch in batches for part in search.expand(batch, TARGET, BATCH_LISTS)]
    return batches


def sample_of(size: int, count: int) -> Iterator[Streams]:
    """Batches of two million lists of a size, spread over all of them."""
    sources = level(size - 1)
    for place in range(count):
        source = sources[(2 * place + 1) * len(sources) // (2 * count)]
        parts = list(search.expand(source, TARGET, 2_000_000))
        yield parts[len(parts) // 2]


MANY_BATCHES = """
WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 9999)
INSERT INTO batches (exploration_id, size, number, first_source, first_part, last_source, last_part, ends_source,
                     lists, first_list, last_list, root_id, path, bytes, digest, checksum)
SELECT 1, 19, i, i, 0, i, 0, 1, 1000, '', '', 1, 'x' || i, 1000, 'x', 0 FROM n;
WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 9999)
INSERT INTO expansions (exploration_id, work, size, source_size, source, state, attempts, lists_in, lists_out, seconds,
                        run_id, checksum)
SELECT 1, 'store', 19, 18, i, 'done', 1, 1000, 1000, 0.1, 1, 0 FROM n;
INSERT INTO sizes (exploration_id, size, source_size, batch_lists, numbered, checksum)
VALUES (1, 19, 18, 1000, 10000, 0);
"""


def line(figure: Figure) -> str:
    digits = 3 if figure.value < 10 else 1
    return f"{figure.name:50} {figure.value:12,.{digits}f} {figure.unit:10} {figure.verdict}".rstrip()


def machine() -> str:
    models = {
        text.split(":")[1].strip()
        for text in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        if "model name" in text
    }
    memory = psutil.virtual_memory().total / 2**30
    return f"{', '.join(models)}, {os.cpu_count()} cores, {memory:.0f} GiB, Python {platform.python_version()}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    parser.add_argument("--quick", action="store_true", help="smaller sizes: two minutes, less telling")
    arguments = parser.parse_args()
    gcc = shutil.which("gcc")
    if gcc is None:
        raise SystemExit("tools/bench needs gcc for the C counter: on Debian, apt-get install gcc")
    with tempfile.TemporaryDirectory(prefix="setset-bench-") as folder:
        bench = Bench(Path(folder), gcc, arguments.quick)
        for measure in (
            bench.kernels,
            bench.runs,
            bench.compression,
            bench.decoding,
            bench.start_up,
            bench.catalogue,
            bench.counting_to_12,
        ):
            measure()
    if arguments.json:
        rows = [{**asdict(figure), "verdict": figure.verdict} for figure in bench.figures]
        print(json.dumps({"machine": machine(), "figures": rows}, indent=2))
    else:
        print(machine())
        print("\n".join(line(figure) for figure in bench.figures))
    sys.exit(any(figure.verdict.endswith("NO") for figure in bench.figures))


if __name__ == "__main__":
    main()
