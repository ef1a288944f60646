"""The batch file: what goes in comes out, and nothing else is taken for a batch."""

from __future__ import annotations

import struct
import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from setset.batches import format as batch_format
from setset.batches.format import MOST_BATCHES, BadBatch, decode
from setset.batches.records import Span
from setset.engine import search
from setset.errors import SetsetError
from tests.batches.made import a_file
from tests.engine.lists import some_lists, unpack


@given(
    some_lists((3, 20)),
    st.integers(4, 20),
    st.tuples(*[st.tuples(st.integers(0, MOST_BATCHES - 1), st.integers(0, MOST_BATCHES - 1))] * 2)
    .map(sorted)
    .flatmap(lambda ends: st.builds(Span, *map(st.just, (*ends[0], *ends[1])), st.booleans())),
)
def test_a_file_gives_its_lists_and_header_back(lists: list[tuple[int, ...]], target: int, span: Span) -> None:
    header, streams = decode(a_file(lists, target, span))
    assert unpack([streams]) == lists
    assert (header.target, header.size, header.lists) == (target, len(lists[0]), len(lists))
    assert (header.first, header.last, header.span) == (lists[0], lists[-1], span)
    assert header.source_digest == bytes(range(16))


@given(some_lists((3, 12)), st.data())
def test_any_flipped_bit_is_noticed(lists: list[tuple[int, ...]], data: st.DataObject) -> None:
    original = a_file(lists)
    bit = data.draw(st.integers(0, 8 * len(original) - 1))
    body = bytearray(original)
    body[bit // 8] ^= 1 << bit % 8
    with pytest.raises(BadBatch):
        decode(bytes(body))


def test_every_single_flipped_bit_of_a_file_is_noticed() -> None:
    original = a_file([(0, 1, 3, 4), (0, 1, 3, 9), (5, 7, 8, 80)])
    for bit in range(8 * len(original)):
        body = bytearray(original)
        body[bit // 8] ^= 1 << bit % 8
        with pytest.raises(BadBatch):
            decode(bytes(body))


@given(some_lists((3, 12)), st.data())
def test_a_file_cut_short_or_grown_is_noticed(lists: list[tuple[int, ...]], data: st.DataObject) -> None:
    original = a_file(lists)
    with pytest.raises(BadBatch):
        decode(original[: data.draw(st.integers(0, len(original) - 1))])
    with pytest.raises(BadBatch):
        decode(original + data.draw(st.binary(min_size=1, max_size=50)))


@settings(max_examples=300)
@given(st.binary(max_size=400), st.booleans())
def test_random_bytes_are_no_batch(junk: bytes, with_magic: bool) -> None:
    with pytest.raises(BadBatch):
        decode((batch_format.MAGIC if with_magic else b"") + junk)


def seal(body: bytes) -> bytes:
    """A body with the digest that fits it, as a forger would make it."""
    return body + batch_format.digest_of(body)


@settings(max_examples=300)
@given(some_lists((3, 12)), st.data())
def test_a_forged_file_is_refused_or_holds_lists(lists: list[tuple[int, ...]], data: st.DataObject) -> None:
    """With a digest that fits, whatever was altered: an error of ours, or lists without a set."""
    body = bytearray(a_file(lists)[: -batch_format.DIGEST_BYTES])
    for _ in range(data.draw(st.integers(1, 4))):
        body[data.draw(st.integers(0, len(body) - 1))] = data.draw(st.integers(0, 255))
    try:
        _, streams = decode(seal(bytes(body)))
        decoded = unpack([streams])
    except SetsetError:
        return
    assert all(list(cards) == sorted(set(cards)) for cards in decoded)


def test_a_header_cannot_ask_for_much_memory() -> None:
    """Lengths far beyond what the file holds are refused before anything is allocated."""
    original = a_file([(0, 1, 3, 4)])
    body = bytearray(original[: -batch_format.DIGEST_BYTES])
    struct.pack_into("<Q", body, 16, batch_format.MOST_LISTS)
    struct.pack_into("<Q", body, 24, batch_format.MOST_LISTS)
    struct.pack_into("<4Q", body, batch_format.HEAD_BYTES, 81, 80, 79, 2**31)
    tracemalloc.start()
    with pytest.raises(BadBatch):
        decode(seal(bytes(body)))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 10_000_000


@pytest.mark.parametrize(
    ("offset", "code", "value", "said"),
    [
        (10, "B", 3, "target 3 (expected 4 to 20)"),
        (11, "B", 77, "size 77 (expected 3 to 20)"),
        (12, "B", 4, "flags 4 (expected 0 to 3)"),
        (16, "Q", 1001, "lists 1,001 (expected 1 to 1,000)"),
        (24, "Q", 0, "maximum lists per file 0 (expected 1 to 1,073,741,824)"),
        (40, "Q", 2, "last source 2 (expected 3 to 2,147,483,647)"),
        (52, "I", 0, "last part 0 (expected 1 to 2,147,483,647)"),
    ],
)
def test_a_bad_header_is_named_with_the_field_and_its_range(offset: int, code: str, value: int, said: str) -> None:
    body = bytearray(a_file([(0, 1, 3, 4)])[: -batch_format.DIGEST_BYTES])
    struct.pack_into(f"<{code}", body, offset, value)
    with pytest.raises(BadBatch) as error:
        decode(seal(bytes(body)))
    assert str(error.value) == f"bad header: {said}"


def test_an_altered_file_is_named_so() -> None:
    body = bytearray(a_file([(0, 1, 3, 4)]))
    body[-20] ^= 1
    with pytest.raises(BadBatch, match=r"^checksum mismatch: the file was altered$"):
        decode(bytes(body))


def test_words_are_little_endian_on_disk() -> None:
    """The documented format does not depend on the machine."""
    (batch,) = search.pack([np.array([(0, 1, 3)], np.uint8)], 3, 10)
    assert batch.payload()[24:32] == (1).to_bytes(8, "little")  # the root goes on with card 0
