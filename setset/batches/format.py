"""Byte format of a batch file. docs/batch-file.md has a table of the byte offsets.

A file holds lists and names the batches that they come from. A reader needs no pruning rule and no other file to decode
it. The last 16 bytes are a digest of all bytes before them, which detects any altered bit.
"""

import struct
import sys
from dataclasses import dataclass

import xxhash

from setset.batches.records import Span
from setset.cards import CARDS, LARGEST, Cards
from setset.engine.bitstreams import Streams, from_earlier, from_payload, words_of
from setset.errors import SetsetError

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

MAGIC = b"\x93SETSET\n"
VERSION = 3
"""Format of new files. A file names the lowest format that its reader must know. Every new format needs a new schema
revision, so that an older setset refuses the workspace instead of reporting the files as damaged."""
PLAIN_VERSION, LAST_CODED_VERSION = 1, 2
"""Formats of earlier setset versions, which are still readable. docs/batch-file.md explains how they encode lists."""
MOST_LISTS = 1 << 30
"""Maximum number of lists in a batch file."""
MOST_BATCHES = 1 << 31
"""Upper limit of batch numbers, far above any in use. A larger number in a header means that the file is corrupted."""
MOST_PAYLOAD = 1 << 28
MOST_GROWTH = 1000
"""Maximum number of unpacked bytes per compressed byte, after the first megabyte. Real batches have up to 60. A crafted
file could have far more, to fill the memory."""
LEVEL = 1
"""Compression level of zstandard. Level 3 saves 7 % of the bytes but makes every run 50 % slower."""

DIGEST_BYTES = 16
ENDS_SOURCE = 1
PRUNED = 2
_HEAD = struct.Struct("<8sHBBBB2xQQQQIIQ20s20s16s")
HEAD_BYTES = _HEAD.size
_PAD = 0xFF


class BadBatch(SetsetError):
    """A file is missing, unreadable, damaged, or no batch file."""


@dataclass(frozen=True)
class Header:
    """Fields in the header of a batch file. docs/batch-file.md explains each field."""

    target: int
    size: int
    lists: int
    batch_lists: int
    span: Span
    first: Cards
    last: Cards
    source_digest: bytes
    lengths: tuple[int, ...]
    packed: int
    tail: int
    version: int
    pruned: bool
    """Whether only lists that may reach the target were kept."""

    @property
    def start(self) -> int:
        """Byte offset of the compressed lists in the file."""
        return HEAD_BYTES + 8 * len(self.lengths)

    @property
    def file_bytes(self) -> int:
        return self.start + self.packed + DIGEST_BYTES


def encode(
    streams: Streams,
    target: int,
    batch_lists: int,
    span: Span,
    ends: tuple[Cards, Cards],
    source_digest: bytes,
    pruned: bool = False,
) -> bytes:
    """Encodes the lists of a batch as the bytes of a batch file. `ends` are its first and its last list."""
    packed = pack_bits(streams)
    head = _HEAD.pack(
        MAGIC,
        VERSION,
        target,
        streams.size,
        (ENDS_SOURCE if span.ends_source else 0) | (PRUNED if pruned else 0),
        streams.tail,
        streams.lists,
        batch_lists,
        span.first_source,
        span.last_source,
        span.first_part,
        span.last_part,
        len(packed),
        *(bytes(cards).ljust(LARGEST, bytes([_PAD])) for cards in ends),
        source_digest,
    )
    body = head + struct.pack(f"<{len(streams.lengths)}Q", *streams.lengths) + packed
    return body + digest_of(body)


def pack_bits(streams: Streams) -> bytes:
    """Compresses the bits of a batch. Raises SetsetError if they take more than MOST_PAYLOAD bytes uncompressed."""
    payload = streams.payload()
    if len(payload) > MOST_PAYLOAD:
        raise SetsetError(f"a batch of {streams.lists} lists takes {len(payload)} bytes: give a smaller --batch-lists")
    return zstd.compress(payload, LEVEL)


def digest_of(body: bytes | memoryview) -> bytes:
    return xxhash.xxh3_128_digest(body)


def format_of(data: bytes) -> int | None:
    """Format number of a batch file, even of a newer setset; None if the data is not a batch file."""
    return int.from_bytes(data[8:10], "little") if data[:8] == MAGIC and len(data) >= HEAD_BYTES else None


def parse_header(data: bytes | memoryview) -> Header:
    """Parses the header of a batch file, and checks the range of each field."""
    if len(data) < HEAD_BYTES:
        raise BadBatch("too short for a batch file")
    fields = _HEAD.unpack_from(data)
    magic, version, target, size, flags, tail = fields[:6]
    lists, batch_lists, first_source, last_source, first_part, last_part, packed = fields[6:13]
    if magic != MAGIC:
        raise BadBatch("not a batch file")
    if not PLAIN_VERSION <= version <= VERSION:
        raise BadBatch(f"a batch file of format {version}; this setset reads up to format {VERSION}")
    _require("size", size, 3, LARGEST)
    _require("target", target, 4, LARGEST)
    _require("flags", flags, 0, ENDS_SOURCE | PRUNED)
    _require("tail", tail, 0, 0 if version == PLAIN_VERSION else LARGEST)
    _require("maximum lists per file", batch_lists, 1, MOST_LISTS)
    _require("lists", lists, 1, batch_lists)
    _require("last source", last_source, first_source, MOST_BATCHES - 1)
    _require("last part", last_part, first_part if first_source == last_source else 0, MOST_BATCHES - 1)
    streams = {PLAIN_VERSION: size, LAST_CODED_VERSION: size + 1, VERSION: 2 * size}[version]
    if len(data) < HEAD_BYTES + 8 * streams:
        raise BadBatch("too short for a batch file")
    lengths = struct.unpack_from(f"<{streams}Q", data, HEAD_BYTES)
    most = min(MOST_PAYLOAD, (1 << 20) + MOST_GROWTH * packed)
    _require("longest stream", max(lengths), 0, lists * CARDS)
    _require("bytes of all streams", 8 * int(words_of(lengths).sum()), 0, most)
    first, last = (tuple(cards[:size]) for cards in fields[13:15])
    span = Span(first_source, first_part, last_source, last_part, bool(flags & ENDS_SOURCE))
    pruned = bool(flags & PRUNED)
    return Header(
        target, size, lists, batch_lists, span, first, last, fields[15], lengths, packed, tail, version, pruned
    )


def _require(field: str, value: int, least: int, most: int) -> None:
    if not least <= value <= most:
        raise BadBatch(f"bad header: {field} {value:,} (expected {least:,} to {most:,})")


def verify(data: bytes | memoryview) -> tuple[Header, bytes]:
    """Returns the header and the digest of a whole batch file. Raises BadBatch if any bit is altered."""
    header = parse_header(data)
    if len(data) != header.file_bytes:
        raise BadBatch(f"{len(data)} bytes long instead of {header.file_bytes}")
    digest = bytes(data[-DIGEST_BYTES:])
    if digest_of(memoryview(data)[:-DIGEST_BYTES]) != digest:
        raise BadBatch("checksum mismatch: the file was altered")
    return header, digest


def decode(data: bytes | memoryview) -> tuple[Header, Streams]:
    """Verifies a whole batch file, and returns its header and bits. Does not check the lists that the bits encode."""
    header, _ = verify(data)
    start, expected = header.start, 8 * int(words_of(header.lengths).sum())
    decompressor = zstd.ZstdDecompressor()
    try:
        payload = decompressor.decompress(data[start : start + header.packed], max_length=expected + 1)
    except zstd.ZstdError as error:
        raise BadBatch(f"its bits cannot be unpacked: {error}") from error
    if len(payload) != expected or not decompressor.eof or decompressor.unused_data:
        raise BadBatch("its number of bits differs from its header")
    if header.version < VERSION:
        return header, from_earlier(header.size, header.lists, header.lengths, payload, header.tail)
    return header, from_payload(header.lists, header.lengths, payload, header.tail)
