"""The deep walk against its naive twin and against one step after the other."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from setset.engine import deep, deep_kernels, search
from setset.engine.bitstreams import Streams, from_payload
from setset.engine.probing import draw_lists
from setset.symmetry import sample
from tests.engine import naive
from tests.engine.lists import pack, some_lists, unpack

MOST = 1500
"""Lists that a test is content with."""

Rows = npt.NDArray[np.uint8]


def rows_of(arrays: object, size: int) -> Rows:
    return np.concatenate([np.empty((0, size), np.uint8), *(rows.copy() for rows in arrays)])  # type: ignore[attr-defined]


def step_by_step(source: Streams, target: int, size: int) -> list[Rows]:
    """The lists of a size below a source, by way of the sizes between."""
    if source.size == size:
        return [rows.copy() for rows in search.unpack(source)]
    return [rows for part in search.expand(source, target, 10**5) for rows in step_by_step(part, target, size)]


def bits(batches: list[Streams]) -> list[tuple[int, tuple[int, ...], bytes]]:
    return [(batch.lists, batch.lengths, bytes(batch.payload())) for batch in batches]


@given(some_lists((3, 10)), st.integers(4, 20), st.integers(1, 5), st.integers(1, 60), st.integers(1, 5))
def test_lists_are_those_of_the_naive_twin(
    lists: list[tuple[int, ...]], target: int, more: int, limit: int, entries: int
) -> None:
    lists = lists[-3:]
    (source,) = pack(lists, tail=target % 5)
    size = min(source.size + more, 20)
    expected = naive.below(lists, target, size, MOST)
    assume(expected is not None)
    assert unpack(list(deep.expand(source, target, size, limit))) == expected
    assert [tuple(row) for rows in deep.lists(source, target, size, chunk=limit) for row in rows.tolist()] == expected
    counts = deep.count(source, target, size, entries)
    length = deep.stretch_length(len(lists), entries)
    owners = [lists.index(cards[: source.size]) // length for cards in expected]
    assert counts.tolist() == [owners.count(run) for run in range(-(-len(lists) // length))]


CASES = [(12, 6, 9), (12, 7, 12), (12, 9, 12), (12, 10, 12), (12, 8, 11), (9, 6, 10), (15, 10, 15), (18, 10, 18),
         (16, 9, 18), (20, 8, 12), (20, 6, 8), (14, 5, 8), (13, 4, 7), (20, 17, 20)]  # fmt: skip


@pytest.fixture(scope="module")
def sources() -> dict[tuple[int, int, int], Streams]:
    """The beginnings of a few random lists for each case: something is below each."""
    streams = {}
    for target, size, final in CASES:
        rows = np.array(
            sorted({tuple(cards[:size]) for cards in sample(max(target, final), count=40, seed=5).tolist()}), np.uint8
        )
        streams[target, size, final] = next(search.pack([rows], size, 100, search.needed(target, size)))
    return streams


@pytest.mark.parametrize("case", CASES, ids=str)
def test_bits_are_those_of_packed_lists(
    case: tuple[int, int, int], sources: dict[tuple[int, int, int], Streams]
) -> None:
    (target, _, final), source = case, sources[case]
    rows = rows_of(step_by_step(source, target, final), final)
    assert deep.count(source, target, final).sum() == len(rows)
    for limit in (10**6, len(rows) // 3 + 1, 1009):
        packed = list(search.pack([rows], final, limit, search.needed(target, final)))
        assert bits(list(deep.expand(source, target, final, limit))) == bits(packed)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_listing_starts_anywhere(case: tuple[int, int, int], sources: dict[tuple[int, int, int], Streams]) -> None:
    (target, _, final), source = case, sources[case]
    rows = rows_of(deep.lists(source, target, final), final)
    counts = deep.count(source, target, final, entries=7)
    for start in {0, 1, len(rows) // 3, len(rows) // 2, max(len(rows) - 1, 0), len(rows)}:
        for tally, chunk in ((None, 1000), (counts, 333)):
            part = rows_of(deep.lists(source, target, final, start, chunk, tally), final)
            assert np.array_equal(part, rows[start:])


@pytest.mark.parametrize(("target", "final"), [(4, 8), (8, 8), (11, 8), (12, 9)])
def test_many_remaining_cards(target: int, final: int) -> None:
    """To the first list 63 cards remain, so that its children have more than 32, too."""
    lists = [(0, 1, 3, 4, 9, 10), (0, 1, 3, 4, 9, 12)]
    (source,) = pack(lists)
    rows = rows_of(step_by_step(source, target, final), final)
    (batch,) = search.pack([rows], final, 10**7, search.needed(target, final))
    assert bits(list(deep.expand(source, target, final, 10**7))) == bits([batch])
    assert deep.count(source, target, final, 2).tolist() == [
        sum(part.lists for part in deep.expand(pack([cards])[0], target, final, 10**7)) for cards in lists
    ]
    for start in (1, len(rows) // 2):
        assert np.array_equal(rows_of(deep.lists(source, target, final, start), final), rows[start:])


def test_at_most_64_cards_remain_to_a_list_of_6() -> None:
    """A list whose highest card is 16 or more has at most 64 cards above it anyway."""
    low = [cards for cards in itertools.combinations(range(16), 6) if not naive.has_set(cards)]
    assert deep_kernels.TOP == 6
    assert max(len(naive.remaining(cards)) for cards in low) == 63


Use = Callable[[Streams, int, int], object]
USES: dict[str, Use] = {
    "count": lambda source, target, size: deep.count(source, target, size).sum(),
    "expand": lambda source, target, size: unpack(list(deep.expand(source, target, size, 100))),
    "lists": lambda source, target, size: rows_of(deep.lists(source, target, size), size).tolist(),
}


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("size", [4, 7, 9])
def test_a_wrong_number_of_lists_is_noticed(use: str, size: int) -> None:
    rows = draw_lists(12, size, 40, np.random.default_rng(size))
    (source,) = search.pack([rows], size, 100)
    for number in (source.lists - 1, source.lists + 1):
        with pytest.raises(search.BadStreams, match="lists"):
            USES[use](replace(source, lists=number), 14, size + 2 if size > 4 else 5)


@given(some_lists((6, 10)), st.data())
def test_other_bits_are_noticed_or_other_lists(lists: list[tuple[int, ...]], data: st.DataObject) -> None:
    """Without the digest of the file: a flipped bit gives an error or the lists below other sources, never a crash."""
    (source,) = pack(lists)
    payload = bytearray(source.payload())
    bit = data.draw(st.integers(0, 8 * len(payload) - 1))
    payload[bit // 8] ^= 1 << bit % 8
    streams = from_payload(source.lists, source.lengths, bytes(payload), source.tail)
    target, size = 16, source.size + 2
    try:
        decoded = unpack([streams])
    except search.BadStreams:
        for use in USES.values():
            with pytest.raises(search.BadStreams):
                use(streams, target, size)
        return
    expected = naive.below(decoded, target, size, MOST)
    assume(expected is not None)
    assert unpack(list(deep.expand(streams, target, size, 100))) == expected
    assert deep.count(streams, target, size).sum() == len(expected or [])


@pytest.mark.parametrize(
    ("target", "size", "entries"), [(3, 9, 1), (21, 9, 1), (12, 6, 1), (12, 21, 1), (12, 9, 0), (12, 9, 101)]
)
def test_arguments_out_of_range(target: int, size: int, entries: int) -> None:
    (source,) = pack([(0, 1, 3, 4, 9, 10)])
    with pytest.raises(ValueError, match="expected"):
        deep.count(source, target, size, entries)
    if entries == 1:
        for use in (deep.expand(source, target, size, 10), deep.lists(source, target, size)):
            with pytest.raises(ValueError, match="expected"):
                next(use)


def test_limits_out_of_range() -> None:
    (source,) = pack([(0, 1, 3, 4, 9, 10)])
    for use in (deep.expand(source, 12, 9, 0), deep.lists(source, 12, 9, start=-1), deep.lists(source, 12, 9, chunk=0)):
        with pytest.raises(ValueError, match="expected"):
            next(use)
