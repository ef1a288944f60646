"""Batch files on disk: their names, atomic writing, and reading with every bit verified."""

import contextlib
import os
import re
import stat
from pathlib import Path

from setset import durable, platform
from setset.batches import format as batch_format
from setset.batches.format import BadBatch, Header
from setset.batches.ownership import TOKEN, Token, require_root
from setset.batches.records import SUFFIX, BatchFile, Span
from setset.engine.bitstreams import Streams
from setset.errors import SetsetError

_NAME = re.compile(r"\d{7,}-\d{3,}(_\d{7,}-\d{3,})?" + re.escape(SUFFIX))
NOT_RECORDED = "a sound batch file, but not the file that the database records"
MOST_BYTES = batch_format.MOST_PAYLOAD + (1 << 20)


NEWEST_FORMAT = 255
"""Maximum plausible format number. A greater number means a corrupted file."""


class NewerFormat(SetsetError):
    """A batch file has a format that this version does not know. setset must not replace the file."""

    def __init__(self, path: str, version: int) -> None:
        super().__init__(path, version)
        self.path, self.version = path, version

    def __str__(self) -> str:
        return (
            f"{self.path} has batch format {self.version}, but this setset reads up to format {batch_format.VERSION}: "
            "upgrade setset; if no newer setset has written here, the file is damaged: "
            "move it away and run 'setset repair'"
        )


def size_folder(target: int, size: int, pruned: bool = False) -> str:
    """Folder for the batch files of one target and size, relative to a storage root."""
    return f"{'p' if pruned else 't'}{target:02d}/s{size:02d}"


def file_name(span: Span) -> str:
    """Name of a batch file: the first and the last source and part of its expansion, known before the work."""
    first = f"{span.first_source:07d}-{span.first_part:03d}"
    last = f"{span.last_source:07d}-{span.last_part:03d}"
    return (first if first == last else f"{first}_{last}") + SUFFIX


def is_batch_name(name: str) -> bool:
    return _NAME.fullmatch(name) is not None


def save_batch(data: bytes, root: Path, owner: Token) -> BatchFile:
    """Writes a batch file below an existing storage root that belongs to `owner`, and returns its record.

    Raises:
        NewerFormat: A file of a newer setset has the name of this batch.
    """
    batch = describe(data)
    require_root(root, owner)
    with contextlib.suppress(BadBatch):
        read(root / batch.name)
    durable.save(root / batch.name, data, below=root, witness=TOKEN)
    return batch


def holds(path: Path, digest: str) -> bool:
    """Whether there is a sound batch file with this digest (in hex) at a path."""
    try:
        return verify(path)[1] == digest
    except BadBatch:
        return False


def describe(data: bytes) -> BatchFile:
    """Verifies the bytes of a batch file against the digest in them, and returns the record of the batch."""
    header, digest = batch_format.verify(data)
    return record(header, digest.hex())


def record(header: Header, digest: str) -> BatchFile:
    """Builds the BatchFile of a verified file from its header and its digest (in hex)."""
    return BatchFile(
        header.span,
        header.lists,
        header.first,
        header.last,
        f"{size_folder(header.target, header.size, header.pruned)}/{file_name(header.span)}",
        header.file_bytes,
        digest,
        header.source_digest.hex(),
    )


def read(path: Path) -> bytes:
    """Reads all bytes of a batch file.

    Raises:
        BadBatch: The file is missing, unreadable, too large or not a regular file.
        NewerFormat: The file has a format that this version does not know.
    """
    try:
        descriptor = durable.retry_while_open(lambda: os.open(path, platform.READ))
    except FileNotFoundError as error:
        raise BadBatch("missing") from error
    except OSError as error:
        raise BadBatch("not a regular file" if path.is_symlink() else f"unreadable: {error.strerror}") from error
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise BadBatch("not a regular file")
        if status.st_size > MOST_BYTES:
            raise BadBatch("too long for a batch file")
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            data = file.read(status.st_size + 1)  # one more byte, to detect a file that grows, with bounded memory
    except OSError as error:
        raise BadBatch(f"unreadable: {error.strerror}") from error
    finally:
        os.close(descriptor)
    version = batch_format.format_of(data)
    if version is not None and batch_format.VERSION < version <= NEWEST_FORMAT:
        raise NewerFormat(str(path), version)
    return data


def load(path: Path, digest: str | None = None) -> tuple[Header, Streams]:
    """Reads and verifies a batch file. If `digest` (in hex) is given, the file must have it. Returns header and lists.

    Compares the first and the last list with the header. The lists stay encoded: decoding them checks their number.
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
        raise BadBatch("its first or last list differs from its header")
    return header, streams


def verify(path: Path, expected: str | None = None) -> tuple[Header, str]:
    """Verifies a batch file against the digest in the file, and this digest against `expected` if given. Returns the
    header and the digest (in hex)."""
    header, digest = batch_format.verify(read(path))
    if expected not in (None, digest.hex()):
        raise BadBatch(NOT_RECORDED)
    return header, digest.hex()
