"""A batch file to look at and to damage."""

from __future__ import annotations

from setset.batches.format import encode
from setset.batches.records import Span
from tests.engine.lists import pack

SPAN = Span(3, 1, 3, 1, True)


def a_file(lists: list[tuple[int, ...]], target: int = 12, span: Span = SPAN) -> bytes:
    (batch,) = pack(lists)
    return encode(batch, target, 1000, span, (lists[0], lists[-1]), bytes(range(16)))
