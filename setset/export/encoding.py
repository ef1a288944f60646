"""Encoding of lists as NumPy, CSV and JSON-lines files."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from setset.cards import CARDS, digits, name
from setset.export.formats import Content, Format, Values
from setset.listtext import ListText

if TYPE_CHECKING:
    from setset.export.formats import Lists

BLOCK = 1 << 14
"""Number of lists encoded at a time. Their bytes fit into the cache of a processor core."""


def encode(content: Content, lists: int, blocks: Iterable[Lists]) -> Iterator[bytes | memoryview]:
    """Encodes `lists` lists in the format of `content`, and yields the bytes of the file piece by piece."""
    if content.format is Format.NPY:
        shape = (lists, content.size, 4) if content.values is Values.VECTORS else (lists, content.size)
        head = io.BytesIO()
        fields = {"descr": "|u1", "fortran_order": False, "shape": shape}
        np.lib.format.write_array_header_1_0(head, fields)
        yield head.getvalue()
        for block in blocks:
            yield np.ascontiguousarray(vectors(block) if content.values is Values.VECTORS else block).data
        return
    if content.format is Format.CSV:
        yield (",".join(content.columns) + "\n").encode()
    as_json = content.format is Format.JSONL
    words = [_word(card, content.values, as_json) for card in range(CARDS)]
    text = ListText(words, ",", f'{{"{content.values}":[', "]}\n") if as_json else ListText(words, ",")
    for block in blocks:
        yield text.encode(block)


def vectors(block: Lists) -> Lists:
    """Converts an array of cards to points of AG(4,3). The result has one more axis, the last, with the
    four digits of a card."""
    points: Lists = np.array([digits(card) for card in range(CARDS)], np.uint8)[block]
    return points


def _word(card: int, values: Values, as_json: bool) -> str:
    match values:
        case Values.CARDS:
            return str(card)
        case Values.VECTORS:
            vector = ",".join(map(str, digits(card)))
            return f"[{vector}]" if as_json else vector
        case Values.NAMES:
            return json.dumps(name(card)) if as_json else name(card)
