"""Part of the benchmark: size of batch files, and speed of reading their lists."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterable, Sized

from bench_figures import SETSET, Bench, run_command, timed, wall
from bench_kernels import BATCH_LISTS, TARGET, sample

import setset
from setset.batches import files
from setset.batches import format as batch_format
from setset.engine import search


def measure(bench: Bench) -> None:
    search.compile_kernels()
    measure_stored_bytes(bench)
    measure_compression(bench)
    measure_decoding(bench)
    measure_counted_size(bench)


def measure_stored_bytes(bench: Bench) -> None:
    with setset.open(bench.workspace) as workspace:
        for size in range(6, bench.stored_size + 1):
            lists = workspace.exploration(TARGET)[size]
            bench.add(f"bytes per list, size {size}", lists.bytes / lists.lists, "bytes", 0.06)


def measure_compression(bench: Bench) -> None:
    """Measures the share of a worker's time that compressing the bits of size 9 takes."""
    lists, packed, packing = 0, 0, 0.0
    sources = list(sample(8, 2 if bench.quick else 6))
    start = time.process_time()
    for source in sources:
        for part in search.expand(source, TARGET, BATCH_LISTS):
            data, seconds = timed(batch_format.pack_bits, part)
            lists, packed, packing = lists + part.lists, packed + len(data), packing + seconds
    bench.add("bytes per list, size 9, a sample", packed / lists, "bytes", 0.06)
    share = 100 * packing / (time.process_time() - start)
    bench.add("compression, share of a worker's time, size 9", share, "%", 10)


def measure_decoding(bench: Bench) -> None:
    """Measures how fast one core decodes the files of the largest size to arrays of cards. The best of three."""
    paths = sorted((bench.workspace / "batches").rglob("*.setset"))[-400::20]

    def decode() -> int:
        return sum(len(rows) for path in paths for rows in search.unpack(files.load(path)[1]))

    lists, seconds = min((timed(decode) for _ in range(3)), key=lambda result: result[1])
    bench.add("files to arrays of cards", lists / seconds / 1e6, "M lists/s", 100)


def measure_counted_size(bench: Bench) -> None:
    """Measures reading lists of a size without files (only counted): one list by the command, and many lists as
    arrays."""
    size = bench.stored_size + 1
    subprocess.run(run_command(size, 2, bench.workspace, "--count-only"), check=True)
    with setset.open(bench.workspace) as workspace:
        counted_size = workspace.exploration(TARGET)[size]
        middle = counted_size.lists // 2
        lists, seconds = timed(take, counted_size.arrays(start=middle), 20_000_000)
    words = ["lists", "--size", str(size), "--start", str(middle), "--limit", "1", "-w", str(bench.workspace)]
    bench.add(f"one list of size {size}, counted only, by the command", wall([*SETSET, *words], 3), "s", 2)
    bench.add(f"arrays of size {size}, counted only", lists / seconds / 1e6, "M lists/s")


def take(arrays: Iterable[Sized], limit: int) -> int:
    """Reads arrays until they have at least the wanted number of lists. Returns the number of lists read."""
    lists = 0
    for rows in arrays:
        lists += len(rows)
        if lists >= limit:
            break
    return lists
