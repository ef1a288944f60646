"""The kernels against their naive twins."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from setset.engine import search
from setset.engine.bitstreams import from_earlier, from_payload
from tests.engine import naive
from tests.engine.lists import pack, some_lists, unpack


@given(some_lists((3, 20)), st.integers(1, 15), st.integers(0, 20))
def test_packed_lists_come_back(lists: list[tuple[int, ...]], limit: int, tail: int) -> None:
    batches = pack(lists, limit, tail)
    assert unpack(batches) == lists
    assert [batch.lists for batch in batches[:-1]] == [limit] * (len(batches) - 1)


@given(some_lists(), st.integers(0, 20))
def test_the_bits_are_those_of_the_definition(lists: list[tuple[int, ...]], tail: int) -> None:
    (batch,) = pack(lists, tail=tail)
    for start, length, expected in zip(batch.starts, batch.lengths, naive.streams(lists, tail), strict=True):
        bits = np.unpackbits(batch.words.view(np.uint8), bitorder="little")[start : start + length]
        assert bits.tolist() == expected


@given(some_lists(), st.integers(4, 20), st.integers(1, 50))
def test_expansion_is_that_of_the_naive_twin(lists: list[tuple[int, ...]], target: int, limit: int) -> None:
    (source,) = pack(lists)
    batches = list(search.expand(source, target, limit))
    assert unpack(batches) == list(naive.expand(lists, target))
    assert all(batch.lists <= limit for batch in batches)


@given(some_lists((3, 8)), st.integers(4, 20), st.integers(1, 50))
def test_expansion_and_packing_give_the_same_bits(lists: list[tuple[int, ...]], target: int, limit: int) -> None:
    (source,) = pack(lists)
    expanded = list(search.expand(source, target, limit))
    packed = pack(unpack(expanded), limit, search.needed(target, source.size + 1)) if expanded else []
    assert [(batch.lengths, batch.payload()) for batch in expanded] == [
        (batch.lengths, batch.payload()) for batch in packed
    ]


@given(some_lists((3, 7)), st.integers(4, 20), st.integers(1, 3))
def test_counts_are_those_of_the_naive_twin(lists: list[tuple[int, ...]], target: int, more: int) -> None:
    (source,) = pack(lists[:4])
    size = source.size
    expected, current = {}, lists[:4]
    for n in range(size + 1, size + more + 1):
        current = list(naive.expand(current, target))[:20_000]
        expected[n] = len(current)
        if len(current) == 20_000:
            return
    assert search.count(source, target, size + more) == expected


@given(some_lists((3, 20)), st.integers(0, 10**6), st.integers(1, 5), st.integers(0, 20))
def test_unpacking_starts_anywhere(lists: list[tuple[int, ...]], start: int, chunk: int, tail: int) -> None:
    (batch,) = pack(lists, tail=tail)
    start %= len(lists)
    rows = [tuple(row) for rows in search.unpack(batch, start, chunk) for row in rows.tolist()]
    assert rows == lists[start:]


@pytest.mark.parametrize("target", [12, 18])
def test_a_list_far_into_a_batch(target: int) -> None:
    """Skips whole nodes on the way: coded nodes, exceptions, and nodes before the list."""
    (source,) = search.pack([search.seeds(target)[::200]], 3, 10**6)
    (batch,) = search.expand(source, target, 10**6)
    rows = np.concatenate([chunk.copy() for chunk in search.unpack(batch)])
    for start in (*range(1, batch.lists, 97), batch.lists - 1):
        assert (next(search.unpack(batch, start, 3)) == rows[start : start + 3]).all()
    assert list(search.unpack(batch, batch.lists)) == []


@pytest.mark.parametrize("tail", [0, 1, 20])
def test_nodes_with_more_remaining_cards_than_a_word_has_bits(tail: int) -> None:
    lists = [pair for pair in itertools.combinations(range(81), 2) if pair[1] < 81 - tail]
    (batch,) = pack(lists, len(lists), tail)
    assert batch.lengths[2:] == (0, 0)
    for start, chunk in itertools.product((0, 1, 17, 63, 64, 65, 80), (1, 2, 63, 64, 65, 81, 5000)):
        rows = [tuple(row) for rows in search.unpack(batch, start, chunk) for row in rows.tolist()]
        assert rows == lists[start:]


@given(some_lists((3, 20)), st.integers(0, 20))
def test_the_ends_are_the_first_and_the_last_list(lists: list[tuple[int, ...]], tail: int) -> None:
    (batch,) = pack(lists, tail=tail)
    assert search.first_and_last(batch) == (lists[0], lists[-1])


@pytest.mark.parametrize("target", [4, 12, 20])
def test_seeds(target: int) -> None:
    assert [tuple(row) for row in search.seeds(target).tolist()] == list(naive.seeds(target))


def test_58896_seeds_for_target_12() -> None:
    assert len(search.seeds(12)) == 58_896


def test_lists_kept_for_every_target() -> None:
    """Sizes 4 and 5, all targets: a list is kept if and only if enough cards remain to it."""
    histograms = naive.remaining_by_size(5)
    assert histograms[5].sum() == 22_441_536
    for target in range(4, 21):
        (source,) = search.pack([search.seeds(target)], 3, 10**6)
        counts = search.count(source, target, 5)
        for size in (4, 5):
            assert counts[size] == histograms[size][max(target - size, 0) :].sum(), (target, size)


@pytest.mark.parametrize(
    "rows",
    [[(0, 1, 2)], [(0, 1, 3), (0, 1, 3)], [(0, 1, 4), (0, 1, 3)], [(1, 0, 3)]],
    ids=["a set", "a repetition", "out of order", "cards out of order"],
)
def test_what_is_no_list_is_not_packed(rows: list[tuple[int, ...]]) -> None:
    with pytest.raises(search.BadStreams):
        pack(rows)


@given(some_lists((3, 8)), st.integers(0, 20), st.data())
def test_other_bits_are_noticed_or_other_lists(lists: list[tuple[int, ...]], tail: int, data: st.DataObject) -> None:
    """Without the digest of the file: a flipped bit never gives the same lists, nor a crash."""
    (batch,) = pack(lists, tail=tail)
    payload = bytearray(batch.payload())
    bit = data.draw(st.integers(0, 8 * len(payload) - 1))
    payload[bit // 8] ^= 1 << bit % 8
    streams = from_payload(batch.lists, batch.lengths, bytes(payload), tail)
    try:
        decoded = unpack([streams])
    except search.BadStreams:
        return
    padding = any(
        start + length <= bit < start + (length + 63) // 64 * 64
        for start, length in zip(batch.starts, batch.lengths, strict=True)
    )
    assert (decoded == lists) == padding
    start = data.draw(st.integers(0, len(decoded)))
    assert [tuple(row) for rows in search.unpack(streams, start) for row in rows.tolist()] == decoded[start:]


@given(some_lists((3, 20)), st.integers(0, 20))
def test_streams_of_earlier_formats_are_read(lists: list[tuple[int, ...]], tail: int) -> None:
    nodes = naive.bits_of_nodes(lists)
    plain = [list(itertools.chain(*depth)) for depth in nodes]
    for rows, coded_tail in ((plain, 0), ([*plain[:-1], *naive.code_nodes(nodes[-1], tail)], tail)):
        payload = b"".join(
            np.packbits(np.array(row + [0] * (-len(row) % 64), np.uint8), bitorder="little").tobytes() for row in rows
        )
        streams = from_earlier(len(lists[0]), len(lists), tuple(map(len, rows)), payload, coded_tail)
        assert unpack([streams]) == lists
