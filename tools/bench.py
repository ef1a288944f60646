"""Measures setset against a plain depth-first counter in C, in one run on one machine.

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
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import bench_symmetry
import psutil

from setset.batches import files
from setset.engine import search
from setset.engine.streams import Streams
from setset.symmetry import Catalogue

HERE = Path(__file__).parent
SETSET = [sys.executable, "-m", "setset"]
TARGET = 12
LISTS_OF_12 = 2_284_535_476_080
TURNS = 3
"""How often what is compared by wall time is measured, in turns."""


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
        search.warm()

    def add(
        self, name: str, value: float, unit: str, mark: float | None = None, at_most: bool = False
    ) -> None:
        figure = Figure(name, value, unit, mark, at_most)
        self.figures.append(figure)
        print(line(figure), file=sys.stderr)

    def counted_in_c(self, *arguments: object) -> tuple[int, float]:
        """The C counter's count, and its lists a second."""
        words = [str(self.counter), *map(str, arguments)]
        count, seconds = subprocess.run(words, capture_output=True, text=True, check=True).stdout.split()
        return int(count), int(count) / float(seconds)

    def kernels(self) -> None:
        """One core: count and expand whole sizes, and the C counter on the same lists."""
        source = next(search.pack([search.seeds(TARGET)], 3, 10**6))
        sizes = (6, 7) if self.quick else (7, 8)
        for size in sizes:
            found, c_rate = self.counted_in_c("tree", TARGET, size)
            self.add(f"C counter, size {size}", c_rate / 1e6, "M lists/s")
            counted, seconds = timed(lambda size=size: search.count(source, TARGET, size)[size])
            assert counted == found, f"size {size}: {counted} counted, {found} in C"
            self.add(f"kernel count, size {size}", counted / seconds / 1e6, "M lists/s")
            self.add(f"kernel count / C, size {size}", counted / seconds / c_rate, "x", 0.95)
            self.expand(size, c_rate)

    def expand(self, size: int, c_rate: float) -> None:
        """The expand kernel to encoded bits, on every so-many-th batch of the size before."""
        sources = level(size - 1)
        share = max(1, sum(batch.lists for batch in sources) // 150_000_000)
        made, seconds = timed(
            lambda: sum(
                part.lists for batch in sources[::share] for part in search.expand(batch, TARGET, 16_000_000)
            )
        )
        self.rate_of_expand = made / seconds
        self.add(f"kernel expand, size {size}", made / seconds / 1e6, "M lists/s")
        self.add(f"kernel expand / C, size {size}", made / seconds / c_rate, "x", 0.7)

    def runs(self) -> None:
        """`setset run` from nothing, end to end."""
        for size in (6,) if self.quick else (6, 7):
            rate, _ = self.run(size, 2)
            self.add(f"run --size {size}, 2 workers", rate / 1e6, "M lists/s")
            self.stored(size)
        self.compared(7 if self.quick else 8)

    def compared(self, size: int) -> None:
        """Two workers, one, and two of Dask: each the best of turns, since machines change speed meanwhile."""
        c_rate = next(f.value for f in reversed(self.figures) if f.name.startswith("C counter")) * 1e6
        crews: list[tuple[int, list[str]]] = [(1, []), (2, [])]
        if importlib.util.find_spec("distributed"):
            crews.insert(0, (2, ["--executor", "dask"]))
        turns = [[self.run(size, workers, *options) for workers, options in crews] for _ in range(TURNS)]
        *dask, one, two = [max(rate for rate, _ in outcomes) for outcomes in zip(*turns, strict=True)]
        usage = turns[-1][-1][1]
        self.add(f"run --size {size}, 2 workers", two / 1e6, "M lists/s")
        self.stored(size)
        self.add(f"run --size {size}, 2 workers / C on one core", two / c_rate, "x", 1.2)
        self.add("share of the time not in kernels", 100 * (1 - two / 2 / self.rate_of_expand), "%")
        self.add("memory of the coordinator", usage["coordinator"] / 1e6, "MB", 300, at_most=True)
        self.add("memory of a worker", usage["worker"] / 1e6, "MB", 600, at_most=True)
        self.add(f"run --size {size}, 1 worker", one / 1e6, "M lists/s")
        self.add("2 workers / 1 worker", two / one, "x", 1.8)
        self.add("2 C counters at once / 1: what the machine gives", self.cores(), "x")
        for rate in dask:
            self.add("2 Dask workers / 2 workers", rate / two, "x", 0.9)

    def cores(self) -> float:
        """How much two C counters at a time get done, against one: the best of turns."""
        words = [str(self.counter), "tree", str(TARGET), "7"]
        seconds = {1: float("inf"), 2: float("inf")}
        for _ in range(TURNS):
            for at_once in seconds:
                started = time.monotonic()
                counters = [subprocess.Popen(words, stdout=subprocess.DEVNULL) for _ in range(at_once)]
                for counter in counters:
                    counter.wait()
                seconds[at_once] = min(seconds[at_once], time.monotonic() - started)
        return 2 * seconds[1] / seconds[2]

    def stored(self, size: int) -> None:
        """How small the files of a size are."""
        taken, lists = self.ask("SELECT SUM(bytes), SUM(lists) FROM batches WHERE size = ?", size)
        self.add(
            f"bytes a list, size {size}", taken / lists, "bytes", 0.06 if size > 6 else None, at_most=True
        )

    def run(self, size: int, workers: int, *options: str) -> tuple[float, dict[str, int]]:
        """Lists of the size a second, the time for all smaller ones included, and peak memory."""
        workspace = self.folder / "w"
        shutil.rmtree(workspace, ignore_errors=True)
        words = [*SETSET, "run", "-q", "--size", str(size), "--workers", str(workers)]
        words += ["-w", str(workspace), *options]
        started = time.monotonic()
        process = psutil.Popen(words)
        usage = {"coordinator": 0, "worker": 0}
        watcher = threading.Thread(target=watch_memory, args=(process, usage), daemon=True)
        watcher.start()
        if process.wait() != 0:
            raise SystemExit("the run failed")
        seconds = time.monotonic() - started
        (lists,) = self.ask("SELECT lists FROM counts WHERE size = ?", size)
        return lists / seconds, usage

    def ask(self, query: str, *values: object) -> tuple[int, ...]:
        connection = sqlite3.connect(self.folder / "w" / "setset.db")
        try:
            found: tuple[int, ...] = connection.execute(query, values).fetchone()
        finally:
            connection.close()
        return found

    def decoding(self) -> None:
        """Files of the largest size to arrays of cards, on one core."""
        paths = sorted((self.folder / "w" / "batches").rglob("*.setset"))[-400::20]
        found, seconds = timed(
            lambda: sum(len(rows) for path in paths for rows in search.unpack(files.load(path)[1]))
        )
        self.add("decoding files to arrays of cards", found / seconds / 1e6, "M lists/s", 100)

    def start_up(self) -> None:
        connection = sqlite3.connect(self.folder / "w" / "setset.db")
        with connection:  # 10,000 batches of a size that the run did not reach, and what they came from
            connection.executescript(MANY_BATCHES)
        connection.close()
        workspace = str(self.folder / "w")
        self.add("setset --help", wall([*SETSET, "--help"], 7), "s", 0.25, at_most=True)
        status = wall([*SETSET, "status", "-w", workspace], 7)
        self.add("setset status, 10,000 batches", status, "s", 1.0, at_most=True)

    def catalogue(self) -> None:
        """All classes of all sizes, in memory and into a database, against C that only counts a size."""
        lists, c_rate = self.counted_in_c("tree", TARGET, 7)
        c_seconds = lists / c_rate
        for name, work in (
            ("classes of all sizes", lambda: Catalogue().level(20)),
            ("classes build", bench_symmetry.into_a_database),
        ):
            taken = bench_symmetry.cpu_seconds(work, 3)
            self.add(f"{name}, CPU", taken, "s", 5, at_most=True)
            self.add(f"{name} / C counting size 7", taken / c_seconds, "x")

    def counting_to_12(self) -> None:
        """Lists of 12 below a sample of 9-lists, spread over all of them, against C on the same lists."""
        batches = list(sample_of_nines(2 if self.quick else 6))
        raw = self.folder / "lists"
        total = own = c_time = 0.0
        for batch in batches:
            raw.write_bytes(b"".join(rows.tobytes() for rows in search.unpack(batch)))
            found, c_rate = self.counted_in_c("from", raw, 9, TARGET, 12)
            counted, seconds = timed(lambda batch=batch: search.count(batch, TARGET, 12)[12])
            assert counted == found, f"{counted} counted, {found} in C"
            total, own, c_time = total + counted, own + seconds, c_time + found / c_rate
        self.add("C counter, 10-lists visited, lists of 12", total / c_time / 1e6, "M lists/s")
        self.add("count to 12, one core", total / own / 1e6, "M lists/s")
        self.add("count to 12 / C", c_time / own, "x", 0.8)
        self.add("all lists of 12 on 2 cores, projected", LISTS_OF_12 / (total / own) / 2 / 60, "min")


def timed(action: Callable[[], object]) -> tuple[int, float]:
    """What an action gives, and the CPU seconds of this process that it takes."""
    started = time.process_time()
    result = action()
    return result, time.process_time() - started  # type: ignore[return-value]


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
    batches = list(search.pack([search.seeds(TARGET)], 3, 10**6))
    for _ in range(3, size):
        batches = [part for batch in batches for part in search.expand(batch, TARGET, 16_000_000)]
    return batches


def sample_of_nines(count: int) -> Iterator[Streams]:
    """Batches of a million 9-lists, spread over all of them: each the first of a batch of 8-lists."""
    sevens = level(7)
    for place in range(count):
        seven = sevens[(2 * place + 1) * len(sevens) // (2 * count)]
        eights = list(search.expand(seven, TARGET, 2_000_000))
        yield next(search.expand(eights[len(eights) // 2], TARGET, 4_000_000))


def watch_memory(process: psutil.Popen, usage: dict[str, int]) -> None:
    """Keeps the peaks of resident memory of a coordinator and of its largest worker."""
    while process.is_running():
        try:
            usage["coordinator"] = max(usage["coordinator"], process.memory_info().rss)
            for child in process.children(recursive=True):
                usage["worker"] = max(usage["worker"], child.memory_info().rss)
        except psutil.Error:
            pass
        time.sleep(0.05)


MANY_BATCHES = """
WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 9999)
INSERT INTO batches (exploration_id, size, number, first_source, first_part, last_source, last_part, ends_source,
                     lists, first_list, last_list, root_id, path, bytes, digest)
SELECT 1, 19, i, i, 0, i, 0, 1, 1000, '', '', 1, 'x' || i, 1000, 'x' FROM n;
WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 9999)
INSERT INTO expansions (exploration_id, work, size, source_size, source, state, attempts, lists_in, lists_out, seconds)
SELECT 1, 'store', 19, 18, i, 'done', 1, 1000, 1000, 0.1 FROM n;
INSERT INTO sizes VALUES (1, 19, 1000, 10000, 0);
"""


def line(figure: Figure) -> str:
    digits = 3 if figure.value < 10 else 1
    return f"{figure.name:50} {figure.value:12,.{digits}f} {figure.unit:10} {figure.verdict}".rstrip()


def machine() -> str:
    models = {
        text.split(":")[1].strip()
        for text in Path("/proc/cpuinfo").read_text().splitlines()
        if "model name" in text
    }
    memory = psutil.virtual_memory().total / 2**30
    return (
        f"{', '.join(models)}, {os.cpu_count()} cores, {memory:.0f} GiB, Python {platform.python_version()}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
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
