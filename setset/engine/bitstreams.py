"""The bits of one batch in memory."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

SPARE_WORDS = 2
"""The kernels read whole words, so there are two behind the last stream."""


@dataclass(frozen=True)
class Streams:
    """One stream of bits a depth: for each inner node one bit for each of its remaining cards.

    The nodes of the last depth are coded, and the last stream has the bits of those that the code does not
    describe; `tail` is how many of its highest remaining cards a node there usually goes on without, see
    engine/kernels.py. `words` holds the streams one after the other, each starting at a word of its own, little-endian,
    least significant bit first, and `SPARE_WORDS` more words.
    """

    lists: int
    lengths: tuple[int, ...]
    words: npt.NDArray[np.uint64]
    tail: int

    @property
    def size(self) -> int:
        """How many cards each list has."""
        return len(self.lengths) - 1

    @property
    def starts(self) -> npt.NDArray[np.int64]:
        """Where each stream starts, in bits."""
        return 64 * np.concatenate(([0], np.cumsum(words_of(self.lengths)[:-1]))).astype(np.int64)

    def payload(self) -> memoryview:
        """The words as bytes, without the spare ones."""
        return self.words[: len(self.words) - SPARE_WORDS].astype("<u8", copy=False).data.cast("B")


def words_of(lengths: tuple[int, ...]) -> npt.NDArray[np.int64]:
    """How many words each stream takes."""
    return (np.array(lengths, dtype=np.int64) + 63) // 64


def from_payload(lists: int, lengths: tuple[int, ...], payload: bytes, tail: int) -> Streams:
    """The streams whose `payload()` this is."""
    words = np.zeros(len(payload) // 8 + SPARE_WORDS, dtype=np.uint64)
    words[: len(payload) // 8] = np.frombuffer(payload, dtype="<u8")
    return Streams(lists, lengths, words, tail)


def from_plain(lists: int, lengths: tuple[int, ...], payload: bytes) -> Streams:
    """Streams from a payload without codes: each node of the last depth is an exception."""
    *upper, _ = words_of(lengths)
    before = int(sum(upper))
    ones = np.unpackbits(np.frombuffer(payload, np.uint8)[8 * (before - int(upper[-1])) : 8 * before]).sum()
    codes = np.full((2 * int(ones) + 7) // 8, 0xFF, np.uint8).tobytes()
    codes = codes.ljust(8 * ((len(codes) + 7) // 8), b"\0")
    coded = (*lengths[:-1], 2 * int(ones), lengths[-1])
    return from_payload(lists, coded, payload[: 8 * before] + codes + payload[8 * before :], 0)
