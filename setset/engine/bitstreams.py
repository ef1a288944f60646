"""The lists of one batch in memory, encoded as streams of bits (the same bits as in its batch file, unpacked)."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

SPARE_WORDS = 2
"""Number of zero words after the last stream. The kernels may read up to two words past the end of a stream."""


@dataclass(frozen=True)
class Streams:
    """The lists of a batch as bits: one stream of codes per depth, then one stream of exceptions per depth.

    The docstring of engine/kernels.py explains depths, codes, exceptions and the tail. `tail` is the tail of the last
    depth. `words` holds the streams one after the other, then `SPARE_WORDS` zero words. Each stream starts with a new
    word and fills words from the least significant bit on.
    """

    lists: int
    lengths: tuple[int, ...]
    words: npt.NDArray[np.uint64]
    tail: int

    @property
    def size(self) -> int:
        """Number of cards per list."""
        return len(self.lengths) // 2

    @property
    def starts(self) -> npt.NDArray[np.int64]:
        """Index, in bits, at which each stream begins in `words`."""
        return 64 * np.concatenate(([0], np.cumsum(words_of(self.lengths)[:-1]))).astype(np.int64)

    def payload(self) -> memoryview:
        """The bits as a batch file stores them before compression: little-endian bytes, without the spare words."""
        return self.words[: len(self.words) - SPARE_WORDS].astype("<u8", copy=False).data.cast("B")


def words_of(lengths: tuple[int, ...]) -> npt.NDArray[np.int64]:
    """Computes the number of 64-bit words of each stream from its length in bits."""
    return (np.array(lengths, dtype=np.int64) + 63) // 64


def from_payload(lists: int, lengths: tuple[int, ...], payload: bytes, tail: int) -> Streams:
    """Makes `Streams` from the unpacked bytes of a batch file. The inverse of `Streams.payload`."""
    words = np.zeros(len(payload) // 8 + SPARE_WORDS, dtype=np.uint64)
    words[: len(payload) // 8] = np.frombuffer(payload, dtype="<u8")
    return Streams(lists, lengths, words, tail)


def from_earlier(size: int, lists: int, lengths: tuple[int, ...], payload: bytes, tail: int) -> Streams:
    """Converts the bits of a batch file of format 1 or 2 to `Streams`.

    Format 1 has no codes: one stream per depth has a bit per remaining card of each node. Format 2 has one more stream,
    with the codes of the last depth. In a depth without codes, each node gets the code EXCEPT.
    """
    parts = np.split(np.frombuffer(payload, dtype="<u8"), np.cumsum(words_of(lengths))[:-1])
    nodes = [1, *(int(np.bitwise_count(part).sum()) for part in parts[: size - 1])]
    codes = [_ones(2 * count) for count in nodes]
    code_lengths = [2 * count for count in nodes]
    if len(lengths) > size:
        codes[-1], code_lengths[-1] = parts.pop(size - 1), lengths[size - 1]
        lengths = (*lengths[: size - 1], lengths[size])
    all_bytes = np.concatenate([*codes, *parts]).astype("<u8", copy=False).tobytes()
    return from_payload(lists, (*code_lengths, *lengths), all_bytes, tail)


def _ones(count: int) -> npt.NDArray[np.uint64]:
    """Array of words with the first `count` bits set."""
    words = np.full((count + 63) // 64, 2**64 - 1, np.uint64)
    if count % 64:
        words[-1] = 2 ** (count % 64) - 1
    return words
