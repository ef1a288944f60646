#!/usr/bin/env python3
"""Measures the deep walk (setset/engine/deep.py) against a counter in C, and projects the time of whole sizes.

    tools/bench_deep.py                     count and store 12, 15, 16, 17 and 18
    tools/bench_deep.py --lists 300 12 18   fewer random lists of 5 cards, these sizes only
    tools/bench_deep.py --via 8 12          from sources of 8 cards

Draws random lists of 5 cards (the same for the same --seed) and finds all lists that extend them, in turns: the counter
in C counts, `deep.count` counts, and `deep.expand` makes the bytes of the files. The target is the size. All figures
are CPU time of one core, so that a busy machine slows all of them alike: compare the ratios.
"""

from __future__ import annotations

import argparse
import subprocess
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from bench_figures import compile_c

from setset.batches import format as batch_format
from setset.engine import deep, search
from setset.engine.bitstreams import Streams

LISTS_OF_5 = 22_441_536
ROOT, ROOT_OF_C = 5, 6
TURNS = 10
LIMIT = 16_000_000
SAMPLE = {12: 10_000, 18: 4000}
OTHER_SAMPLE = 2000
"""Number of random lists of 5 cards to measure, by target: some seconds of work each."""


@dataclass
class Times:
    """Sums over all turns of a measurement: CPU seconds, lists and bytes."""

    c: float = 0.0
    count: float = 0.0
    expand: float = 0.0
    encode: float = 0.0
    sources: int = 0
    lists: int = 0
    bytes: int = 0


def draw(count: int, seed: int) -> npt.NDArray[np.uint8]:
    """Draws random lists of 5 cards and sorts them."""
    rng = np.random.default_rng(seed)
    lists: set[tuple[int, ...]] = set()
    while len(lists) < count:
        cards = tuple(sorted(rng.choice(81, ROOT, replace=False).tolist()))
        if not any(search.THIRDS[a, b] in cards for i, a in enumerate(cards) for b in cards[:i]):
            lists.add(cards)
    return np.array(sorted(lists), np.uint8)


def below(roots: npt.NDArray[np.uint8], target: int, size: int) -> Streams | None:
    """Makes all lists of a size below some lists of 5 cards, as one source batch."""
    lists: Iterator[npt.NDArray[np.uint8]] = iter([roots])
    for step in range(ROOT, size + 1):
        tail = search.needed(target, step)
        packed = list(search.pack(lists, step, 10**9, tail))
        if not packed or step == size:
            return packed[0] if packed else None
        lists = (rows for part in search.expand(packed[0], target, 10**9) for rows in search.unpack(part))
    return None


def via(target: int) -> int:
    """Chooses the size of the source lists that the walk to a target starts from."""
    return 9 if target == 12 else 8


def measure_target(target: int, via: int, lists: int, seed: int, counter: Path) -> Times:
    """Counts and expands all lists below random lists of 5 cards, in turns with the counter in C."""
    times, roots = Times(), draw(lists, seed)
    measure(roots[:: len(roots) // 20], target, via, counter, Times())  # the first call allocates memory
    for turn in range(TURNS):
        measure(roots[turn::TURNS], target, via, counter, times)
    return times


def measure(roots: npt.NDArray[np.uint8], target: int, via: int, counter: Path, times: Times) -> None:
    """Measures one turn: the lists below some lists of 5 cards, by the counter in C, by `deep.count` and by
    `deep.expand`."""
    tops, source = below(roots, target, ROOT_OF_C), below(roots, target, via)
    if tops is None:
        return
    with tempfile.NamedTemporaryFile() as file:
        for rows in search.unpack(tops):
            file.write(rows.tobytes())
        file.flush()
        words = subprocess.run([counter, file.name, str(target)], capture_output=True, text=True, check=True)
    in_c, seconds = words.stdout.split()
    times.c += float(seconds)
    start = time.process_time()
    counted = int(deep.count(tops, target, target).sum())
    times.count += time.process_time() - start
    stored = 0
    for part in _timed_parts(source, target, times) if source else ():
        stored += part.lists
        start = time.process_time()
        times.bytes += len(batch_format.pack_bits(part)) + 136 + 16 * target
        times.encode += time.process_time() - start
    times.sources += source.lists if source else 0
    times.lists += stored
    if not int(in_c) == counted == stored:
        raise SystemExit(f"lists of {target}: {in_c} in C, {counted} counted, {stored} expanded")


def _timed_parts(source: Streams, target: int, times: Times) -> Iterator[Streams]:
    parts = deep.expand(source, target, target, LIMIT)
    while True:
        start = time.process_time()
        part = next(parts, None)
        times.expand += time.process_time() - start
        if part is None:
            return
        yield part


def report(target: int, via: int, times: Times, sampled: int) -> str:
    """Formats a line of the table: the projections of one size."""
    scale = LISTS_OF_5 / sampled
    hours = scale / 3600
    per_list = times.bytes / max(times.lists, 1)
    return (
        f"{target:4}  {scale * times.lists:9.3g}  {hours * times.c:7.3f}  {hours * times.count:7.3f}"
        f"  {times.count / times.c:6.2f}  {via:4}  {scale * times.sources:9.3g}"
        f"  {hours * times.expand:7.3f}  {times.expand / times.c:6.2f}  {hours * times.encode:7.3f}"
        f"  {per_list:10.5f}  {scale * times.bytes / 1e9:8.2f}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("targets", nargs="*", type=int, default=[12, 15, 16, 17, 18])
    parser.add_argument("--lists", type=int, help="random lists of 5 cards")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--via", type=int, help="size of the sources that are expanded")
    options = parser.parse_args()
    search.compile_kernels()
    print(
        "      projected   core-hours to count:  ratio        lists in  core-hours to store:            bytes        GB"
    )
    print("size      lists        C   setset    to C   via    sources   expand    to C     zstd    per list     whole")
    with tempfile.TemporaryDirectory() as folder:
        counter = compile_c("deep.c", Path(folder))
        for target in options.targets:
            size, lists = options.via or via(target), options.lists or SAMPLE.get(target, OTHER_SAMPLE)
            times = measure_target(target, size, lists, options.seed, counter)
            print(report(target, size, times, lists), flush=True)


if __name__ == "__main__":
    main()
