"""The reader in docs/batch-file.md, written from that page alone, reads what the program writes."""

from __future__ import annotations

import re
import struct
from pathlib import Path
from typing import Any

import pytest

from setset import durable
from setset.batches import format as batch_format
from setset.batches.format import encode
from setset.batches.records import Span
from setset.engine import search

PAGE = (Path(__file__).parents[2] / "docs" / "batch-file.md").read_text()
EARLIER = Path(__file__).parents[1] / "maintenance" / "assets"


def documented_lists_of(path: Path) -> list[tuple[int, ...]]:
    (code,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    code = code.replace("from compression import zstd", "from setset.batches.format import zstd")
    reader: dict[str, Any] = {}
    exec(code, reader)
    lists: list[tuple[int, ...]] = reader["lists_of"](path)
    return lists


def test_the_documented_reader_reads_our_files(tmp_path: Path) -> None:
    source = next(search.pack([search.seeds(12)], 3, 100_000))
    part = next(search.expand(source, 12, 2_000))
    path = tmp_path / "x.setset"
    span = Span(0, 0, 0, 0, False)
    durable.save(path, encode(part, 12, 2_000, span, search.first_and_last(part), bytes(16)))
    expected = [tuple(row) for rows in search.unpack(part) for row in rows.tolist()]
    assert documented_lists_of(path) == expected


@pytest.mark.parametrize("version", [1, 2])
def test_the_documented_reader_reads_earlier_files(version: int) -> None:
    path = EARLIER / f"format{version}" / "t19" / "s03" / "0000000-000.setset"
    assert path.read_bytes()[8] == version
    assert documented_lists_of(path) == [tuple(row) for row in search.seeds(19).tolist()]


def test_the_documented_offsets_are_those_of_the_format() -> None:
    offsets = [int(offset) for offset in re.findall(r"^\| (\d+) \|", PAGE, re.MULTILINE)]
    sizes = [
        struct.calcsize(f"<{code}")
        for code in ("8s", "H", "B", "B", "B", "B", "2x", *"QQQQ", "I", "I", "Q", "20s", "20s", "16s")
    ]
    assert offsets == [sum(sizes[:index]) for index in range(len(sizes))] + [batch_format.HEAD_BYTES]
