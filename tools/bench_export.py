#!/usr/bin/env python3
"""Measures CPU time and bytes per list of each format of `setset export`, beside plain pyarrow.

    tools/bench_export.py WORKSPACE [SIZE [LISTS]]

All formats run in one process and in turns, so that a busy machine slows all of them alike.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import setset

TURNS = 3


def write_plainly(size: setset.Size, lists: int, path: Path) -> None:
    """Writes lists as Parquet with pyarrow in the simplest way, for comparison with setset."""
    columns = [f"c{column}" for column in range(1, size.size + 1)]
    schema = pa.schema([(column, pa.uint8()) for column in columns])
    remaining = lists
    with pq.ParquetWriter(path, schema, compression="zstd") as writer:
        for rows in size.arrays(chunk=1 << 20):
            arrays = [np.ascontiguousarray(rows[:remaining, column]) for column in range(size.size)]
            writer.write_table(pa.table(dict(zip(columns, arrays, strict=True)), schema=schema))
            remaining -= len(arrays[0])
            if not remaining:
                return


def main(workspace: str, number: str = "6", count: str = "16000000") -> None:
    size = setset.open(workspace).exploration(12)[int(number)]
    lists = min(int(count), size.lists)
    best: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as folder:
        path_of_pyarrow = Path(folder) / "plain pyarrow.parquet"
        calls: dict[Path, Callable[[], object]] = {path_of_pyarrow: lambda: write_plainly(size, lists, path_of_pyarrow)}
        for suffix in ("parquet", "npy", "csv", "jsonl"):
            path = Path(folder) / f"export.{suffix}"
            calls[path] = lambda path=path: size.export(path, limit=lists, overwrite=True)  # type: ignore[misc]
        size.export(Path(folder) / "warm.npy", limit=1000)
        for _ in range(TURNS):
            for path, call in calls.items():
                start = time.process_time()
                call()
                best[path.name] = min(best.get(path.name, 1e9), time.process_time() - start)
        for path in calls:
            rate, bytes_per_list = lists / best[path.name] / 1e6, path.stat().st_size / lists
            print(f"{path.name:24}{rate:7.1f} M lists/s of CPU time{bytes_per_list:8.3f} bytes per list")


if __name__ == "__main__":
    main(*sys.argv[1:])
