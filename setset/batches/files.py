"""Batch files on disk: written whole or not at all, read with every bit verified."""

from __future__ import annotations

import contextlib
import errno
import os
import re
import socket
import uuid
from pathlib import Path

from setset.batches import format as batch_format
from setset.batches.format import BadBatch, Header
from setset.batches.spans import SUFFIX as SUFFIX
from setset.batches.spans import Span
from setset.engine.bitstreams import Streams
from setset.errors import NoSpace

_NAME = re.compile(r"\d{7,}-\d{3,}(_\d{7,}-\d{3,})?" + re.escape(SUFFIX))
_TEMPORARY = re.compile(r"\..+\.(setset|json)\..+\.\d+\.[0-9a-f]{8}\.tmp")
_NO_SPACE = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
MOST_BYTES = batch_format.MOST_PAYLOAD + (1 << 20)


def folder(target: int, size: int) -> str:
    """Where the batches of a size are, below a storage root."""
    return f"t{target:02d}/s{size:02d}"


def name(span: Span) -> str:
    """The name of a batch's file: its source and part, which are known before any other work is done."""
    first = f"{span.first_source:07d}-{span.first_part:03d}"
    last = f"{span.last_source:07d}-{span.last_part:03d}"
    return (first if first == last else f"{first}_{last}") + SUFFIX


def is_batch_name(file_name: str) -> bool:
    return _NAME.fullmatch(file_name) is not None


def is_temporary(file_name: str) -> bool:
    """Whether this is the name of a file that `save` had not finished."""
    return _TEMPORARY.fullmatch(file_name) is not None


def save(path: Path, data: bytes, witness: str | None = None) -> None:
    """Puts a file in its place, complete and on the disk, or leaves no trace.

    The temporary name carries host, process and a random part, so that no two writers ever share one. The
    witness is a file, named as seen from the folder, without which nothing is written: it shows that the folder
    is on the disk that it is thought to be on. All is done from within the folder, wherever it may move to.
    """
    temporary = f".{path.name}.{socket.gethostname()}.{os.getpid()}.{uuid.uuid4().hex[:8]}.tmp"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            if witness is not None:
                os.stat(witness, dir_fd=folder)
            try:
                _write_all(temporary, data, folder)
                os.replace(temporary, path.name, src_dir_fd=folder, dst_dir_fd=folder)
            except BaseException:
                with contextlib.suppress(OSError):
                    os.unlink(temporary, dir_fd=folder)
                raise
            os.fsync(folder)
        finally:
            os.close(folder)
    except OSError as error:
        if error.errno in _NO_SPACE:
            raise NoSpace(
                f"no room for {len(data):,} bytes in {path.parent}: {os.strerror(error.errno)}"
            ) from error
        raise


def _write_all(name: str, data: bytes, folder: int) -> None:
    descriptor = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666, dir_fd=folder)
    try:
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(descriptor, rest) :]
        os.fsync(descriptor)
        if os.fstat(descriptor).st_size != len(data):
            raise OSError(errno.EIO, "fewer bytes on disk than were written", name)
    finally:
        os.close(descriptor)


def read(path: Path) -> bytes:
    """All bytes of a batch file; a missing, unreadable or oversized one is a `BadBatch`."""
    try:
        with path.open("rb") as file:
            if os.fstat(file.fileno()).st_size > MOST_BYTES:
                raise BadBatch("too long for a batch file")
            return file.read(MOST_BYTES + 1)
    except FileNotFoundError as error:
        raise BadBatch("missing") from error
    except OSError as error:
        raise BadBatch(f"unreadable: {error.strerror}") from error


def load(path: Path, digest: str | None = None) -> tuple[Header, Streams]:
    """The header and bits of a file, and proof that it is the file whose digest (in hex) is given."""
    data = read(path)
    header, streams = batch_format.decode(data)
    if digest is not None and data[-batch_format.DIGEST_BYTES :].hex() != digest:
        raise BadBatch("a sound batch file, but not the one that the database vouches for")
    return header, streams


def verify(path: Path) -> tuple[Header, str]:
    """The header and digest (in hex) of a file none of whose bits is altered."""
    header, digest = batch_format.verify(read(path))
    return header, digest.hex()
