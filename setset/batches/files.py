"""Batch files on disk: named, written whole or not at all, read with every bit verified."""

import contextlib
import os
import re
import stat
from pathlib import Path

from setset import durable, platform
from setset.batches import format as batch_format
from setset.batches.format import BadBatch, Header
from setset.batches.records import SUFFIX, BatchFile, Span
from setset.batches.roots import TOKEN, Token, require_root
from setset.engine.bitstreams import Streams
from setset.errors import SetsetError

_NAME = re.compile(r"\d{7,}-\d{3,}(_\d{7,}-\d{3,})?" + re.escape(SUFFIX))
NOT_RECORDED = "a sound batch file, but the database records another one"
MOST_BYTES = batch_format.MOST_PAYLOAD + (1 << 20)


NEWEST_FORMAT = 255
"""A format beyond this is damage."""


class NewerFormat(SetsetError):
    """A batch file of a format that this version does not know. Nothing may replace it."""

    def __init__(self, path: str, version: int) -> None:
        super().__init__(path, version)
        self.path, self.version = path, version

    def __str__(self) -> str:
        return (
            f"{self.path} was made by a newer setset (batch format {self.version}; this one reads up to format "
            f"{batch_format.VERSION}): upgrade setset; if no newer one was here, the file is damaged: move it away and "
            "run 'setset repair'"
        )


def size_folder(target: int, size: int, pruned: bool = False) -> str:
    """Folder of the batches of a size, below a storage root."""
    return f"{'p' if pruned else 't'}{target:02d}/s{size:02d}"


def file_name(span: Span) -> str:
    """Name of a batch file: its source and part, which are known before any work is done."""
    first = f"{span.first_source:07d}-{span.first_part:03d}"
    last = f"{span.last_source:07d}-{span.last_part:03d}"
    return (first if first == last else f"{first}_{last}") + SUFFIX


def is_batch_name(name: str) -> bool:
    return _NAME.fullmatch(name) is not None


def save_batch(data: bytes, root: Path, owner: Token) -> BatchFile:
    """Saves a batch file below an existing storage root of `owner`.

    Raises:
        NewerFormat: A file of a newer setset has that name.
    """
    batch = describe(data)
    require_root(root, owner)
    with contextlib.suppress(BadBatch):
        read(root / batch.name)
    durable.save(root / batch.name, data, below=root, witness=TOKEN)
    return batch


def holds(path: Path, digest: str) -> bool:
    """Whether a sound batch file has this digest (in hex)."""
    try:
        return verify(path)[1] == digest
    except BadBatch:
        return False


def describe(data: bytes) -> BatchFile:
    """Record of a batch file. Verifies every bit."""
    header, digest = batch_format.verify(data)
    return record(header, digest.hex())


def record(header: Header, digest: str) -> BatchFile:
    """Record of a sound batch file."""
    path = f"{size_folder(header.target, header.size, header.pruned)}/{file_name(header.span)}"
    return BatchFile(
        header.span,
        header.lists,
        header.first,
        header.last,
        path,
        header.file_bytes,
        digest,
        header.source_digest.hex(),
    )


def read(path: Path) -> bytes:
    """All bytes of a batch file.

    Raises:
        BadBatch: It is missing, unreadable, oversized or irregular.
        NewerFormat: It is of a format that this version does not know.
    """
    try:
        descriptor = durable.retry_while_open(lambda: os.open(path, platform.READ))
    except FileNotFoundError as error:
        raise BadBatch("missing") from error
    except OSError as error:
        raise BadBatch("not a regular file" if path.is_symlink() else f"unreadable: {error.strerror}") from error
    try:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):
            raise BadBatch("not a regular file")
        if found.st_size > MOST_BYTES:
            raise BadBatch("too long for a batch file")
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            data = file.read(found.st_size + 1)  # one more, to notice if it grows; no more memory than that
    except OSError as error:
        raise BadBatch(f"unreadable: {error.strerror}") from error
    finally:
        os.close(descriptor)
    version = batch_format.format_of(data)
    if version is not None and batch_format.VERSION < version <= NEWEST_FORMAT:
        raise NewerFormat(str(path), version)
    return data


def load(path: Path, digest: str | None = None) -> tuple[Header, Streams]:
    """Header and bits of a file, which must have the given digest (in hex).

    Compares the first and the last list with the header. The code that walks the bits counts the lists.
    """
    from setset.engine import search

    data = read(path)
    header, streams = batch_format.decode(data)
    if digest not in (None, data[-batch_format.DIGEST_BYTES :].hex()):
        raise BadBatch(NOT_RECORDED)
    try:
        ends = search.first_and_last(streams)
    except search.BadStreams as error:
        raise BadBatch(str(error)) from error
    if ends != (header.first, header.last):
        raise BadBatch("its header names another first or last list")
    return header, streams


def verify(path: Path, expected: str | None = None) -> tuple[Header, str]:
    """Header and digest (in hex) of a file. Verifies every bit, and the digest if one is expected."""
    header, digest = batch_format.verify(read(path))
    if expected not in (None, digest.hex()):
        raise BadBatch(NOT_RECORDED)
    return header, digest.hex()
