"""Lists to try the engine with, packed and unpacked."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from setset.engine import search
from setset.engine.bitstreams import Streams
from tests.engine import naive


@st.composite
def some_lists(draw: st.DrawFn, sizes: tuple[int, int] = (3, 9)) -> list[tuple[int, ...]]:
    """A few lists of one size in lexicographic order, crowded around common prefixes."""
    size = draw(st.integers(*sizes))
    lists: set[tuple[int, ...]] = set()
    for _ in range(draw(st.integers(1, 12))):
        cards: tuple[int, ...] = ()
        if lists and draw(st.booleans()):
            model = draw(st.sampled_from(sorted(lists)))
            cards = model[: draw(st.integers(0, size - 1))]
        while len(cards) < size:
            candidates = naive.remaining(cards)
            if not candidates:
                break
            cards = (*cards, candidates[draw(st.integers(0, min(len(candidates) - 1, 30)))])
        if len(cards) == size:
            lists.add(cards)
    if not lists:
        lists.add((0, 1, 3, 4, 9, 10, 12, 13, 30)[:size])
    return sorted(lists)


def pack(lists: list[tuple[int, ...]], limit: int = 10**6, tail: int = 0) -> list[Streams]:
    return list(search.pack([np.array(lists, np.uint8)], len(lists[0]), limit, tail))


def unpack(batches: list[Streams]) -> list[tuple[int, ...]]:
    return [tuple(row) for batch in batches for rows in search.unpack(batch) for row in rows.tolist()]
