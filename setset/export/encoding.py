"""Arrays of lists as the bytes of NumPy, CSV and JSON-lines files."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Iterator

import numpy as np
import numpy.typing as npt

from setset.cards import CARDS, digits, name
from setset.export.formats import Content, Format, Values

Lists = npt.NDArray[np.uint8]

BLOCK = 1 << 14
"""Lists that are made text at a time: few enough for the cache of a core."""


def encode(content: Content, lists: int, blocks: Iterable[Lists]) -> Iterator[bytes | memoryview]:
    """The file that holds so many lists, in pieces."""
    if content.format is Format.NPY:
        yield _npy_head(content, lists)
        for block in blocks:
            yield np.ascontiguousarray(vectors(block) if content.values is Values.VECTORS else block).data
        return
    if content.format is Format.CSV:
        yield (",".join(content.columns) + "\n").encode()
    tables = _text_tables(content)
    for block in blocks:
        yield _as_text(tables, block)


def vectors(block: Lists) -> Lists:
    """The cards of lists as points of AG(4,3): an array with one more axis, of length 4."""
    found: Lists = np.array([digits(card) for card in range(CARDS)], np.uint8)[block]
    return found


def _npy_head(content: Content, lists: int) -> bytes:
    shape = (lists, content.size, 4) if content.values is Values.VECTORS else (lists, content.size)
    head = io.BytesIO()
    fields = {"descr": "|u1", "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(head, fields)
    return head.getvalue()


def _text_tables(content: Content) -> list[npt.NDArray[np.bytes_]]:
    """For each place of a list the text of each card there, with what stands before and after it."""
    as_json = content.format is Format.JSONL
    words = [_word(card, content.values, as_json) for card in range(CARDS)]
    starts, ends = [""] * content.size, [","] * content.size
    ends[-1] = "\n"
    if as_json:
        starts[0], ends[-1] = f'{{"{content.values}":[', "]}\n"
    return [
        np.array([f"{start}{word}{end}".encode() for word in words])
        for start, end in zip(starts, ends, strict=True)
    ]


def _word(card: int, values: Values, as_json: bool) -> str:
    match values:
        case Values.CARDS:
            return str(card)
        case Values.VECTORS:
            place = ",".join(map(str, digits(card)))
            return f"[{place}]" if as_json else place
        case Values.NAMES:
            return json.dumps(name(card)) if as_json else name(card)


def _as_text(tables: list[npt.NDArray[np.bytes_]], block: Lists) -> bytes:
    """The lines of lists: the texts side by side, all of one width, then without what fills them up."""
    lines = np.empty(len(block), [(str(place), table.dtype) for place, table in enumerate(tables)])
    for place, table in enumerate(tables):
        lines[str(place)] = table[block[:, place]]
    return lines.tobytes().translate(None, b"\0")
