"""Batch files from strangers: two thousand mutations, each refused with an error of ours or decoded to lists."""

from __future__ import annotations

import struct
import tracemalloc
from collections import Counter
from itertools import combinations, pairwise
from random import Random

import numpy as np
import pytest

from setset.batches import format as batch_format
from setset.batches.format import BadBatch, decode, encode
from setset.batches.records import Span
from setset.cards import third
from setset.engine import search
from setset.engine.bitstreams import Streams
from setset.errors import SetsetError

FILES = 2_000
SEALED = batch_format.DIGEST_BYTES
THIRD = [[third(a, b) if a != b else a for b in range(81)] for a in range(81)]


def originals() -> list[bytes]:
    """Files of several sizes, each with some hundred lists."""
    files = []
    streams: Streams = next(search.pack([search.seeds(20)[:400]], 3, 400))
    for _ in range(3, 7):
        bounds = search.first_and_last(streams)
        files.append(encode(streams, 20, 400, Span(7, 2, 7, 2, True), bounds, bytes(16)))
        streams = next(search.expand(streams, 20, 400))
    return files


def mutated(original: bytes, files: list[bytes], random: Random) -> bytes:
    """A file altered in one of the ways in which files get altered."""
    data = bytearray(original)
    start = random.randrange(len(data))
    end = min(len(data), start + random.choice([1, 2, 8, 64, 1000]))
    match random.randrange(8):
        case 0:
            data[start] ^= 1 << random.randrange(8)
        case 1:
            data[start:end] = random.randbytes(end - start)
        case 2:
            del data[start:end]
        case 3:
            data[start:start] = random.randbytes(random.choice([1, 16, 300]))
        case 4:
            data[start:end] = bytes([random.choice([0, 255])]) * (end - start)
        case 5:
            replacement = random.choice(files)
            data[start:] = replacement[min(start, len(replacement)) :]
        case 6:
            # A number of the header, or a length of a stream, that is far too large.
            offset = random.choice([*range(16, 56, 8), *range(batch_format.HEAD_BYTES, len(original) - 8, 8)][:12])
            struct.pack_into("<Q", data, offset, random.choice([0, 2**63, 2**64 - 1, 2**32, random.randrange(2**40)]))
        case _:
            del data[start:]
    return bytes(data)


def lists_of(streams: Streams) -> list[tuple[int, ...]]:
    return [tuple(row) for rows in search.unpack(streams) for row in rows.tolist()]


def without_a_set(cards: tuple[int, ...]) -> bool:
    return all(a < b for a, b in pairwise(cards)) and not any(THIRD[a][b] in cards for a, b in combinations(cards, 2))


def test_mutated_files_are_refused_or_decoded_to_lists() -> None:
    """Half of them have a digest that fits, as a forger would make it. Memory stays in proportion to the file."""
    files = originals()
    lists = {data: lists_of(decode(data)[1]) for data in files}
    outcomes: Counter[str] = Counter()
    tracemalloc.start()
    for number in range(FILES):
        random = Random(number)
        original = random.choice(files)
        data = mutated(original, files, random)
        if resealed := random.random() < 0.5:
            body = mutated(original[:-SEALED], files, random)
            data = body + batch_format.digest_of(body)
        try:
            decoded = lists_of(decode(data)[1])
        except SetsetError:
            outcomes["refused"] += 1
            continue
        outcomes["decoded"] += 1
        if resealed:
            assert all(without_a_set(cards) for cards in decoded[:50] + decoded[-50:])
        else:
            assert decoded == lists[data]
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert outcomes["refused"] > 0.8 * FILES
    assert outcomes["decoded"] > 0
    assert peak < 40_000_000, "some megabytes, whatever the files say of themselves"


def test_a_small_file_does_not_unpack_to_a_large_one() -> None:
    """A quarter of a gigabyte of zeros packs to some kilobytes; nothing is allocated for it."""
    lengths = (2, 2 * 81, 2 * 80 * 81, 81, 80 * 81, 2**30)
    payload = bytes(8 * int(sum((length + 63) // 64 for length in lengths)))
    streams = Streams(30_000_000, lengths, np.zeros(len(payload) // 8 + 2, np.uint64), 0)
    data = encode(streams, 12, 30_000_000, Span(0, 0, 0, 0, True), ((0, 1, 3), (0, 1, 3)), bytes(16))
    assert len(data) < 100_000
    tracemalloc.start()
    with pytest.raises(BadBatch, match=r"^bad header: bytes of all streams [\d,]+ \(expected 0 to [\d,]+\)$"):
        decode(data)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1_000_000
