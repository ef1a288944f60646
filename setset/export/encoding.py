"""Arrays of lists as the bytes of NumPy, CSV and JSON-lines files."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Iterator

import numpy as np
import numpy.typing as npt

from setset.cards import CARDS, digits, name
from setset.export.formats import Content, Format, Values
from setset.listtext import ListText

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
    text = _list_text(content)
    for block in blocks:
        yield text.encode(block)


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


def _list_text(content: Content) -> ListText:
    as_json = content.format is Format.JSONL
    words = [_word(card, content.values, as_json) for card in range(CARDS)]
    return ListText(words, ",", f'{{"{content.values}":[', "]}\n") if as_json else ListText(words, ",")


def _word(card: int, values: Values, as_json: bool) -> str:
    match values:
        case Values.CARDS:
            return str(card)
        case Values.VECTORS:
            place = ",".join(map(str, digits(card)))
            return f"[{place}]" if as_json else place
        case Values.NAMES:
            return json.dumps(name(card)) if as_json else name(card)
