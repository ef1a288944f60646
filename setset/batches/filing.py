"""Putting batch files in their places below a storage root."""

from __future__ import annotations

from pathlib import Path

from setset.batches import files
from setset.batches import format as batch_format
from setset.batches.format import Header
from setset.folder import TOKEN, require_root
from setset.tasks.kinds import NewBatch


def save_batch(data: bytes, root: str) -> NewBatch:
    """Puts a batch file in its place below a storage root that is there."""
    batch = describe(data)
    require_root(Path(root))
    files.save(Path(root) / batch.path, data, witness=f"../../{TOKEN}")
    return batch


def describe(data: bytes) -> NewBatch:
    """The record of a batch file."""
    header, digest = batch_format.verify(data)
    return record(header, digest.hex())


def record(header: Header, digest: str) -> NewBatch:
    """The record of a batch file that is sound."""
    path = f"{files.folder(header.target, header.size)}/{files.name(header.span)}"
    return NewBatch(header.span, header.lists, header.first, header.last, path, header.file_bytes, digest)
