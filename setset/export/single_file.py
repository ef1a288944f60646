"""One file of an export to a folder: how a worker process writes it, and how a later export recognises it as
finished."""

from __future__ import annotations

import io
import json
import os
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from setset import durable, platform
from setset.errors import BadInput, Locked
from setset.export.formats import Content, Format, exactly
from setset.tasks.kinds import BadSource, Source

if TYPE_CHECKING:
    from setset.export.formats import Lists

MANIFEST = "setset-export.json"
LOCK = ".setset-export.lock"
SECONDS_BETWEEN_SAVES = 1.0
SAMPLE = 1 << 18
"""Number of lists encoded to measure the bytes per list."""


@dataclass(frozen=True)
class ExportTask:
    """Task for a worker process: write the lists of one batch to a file."""

    source: Source
    lists: int
    path: str
    content: Content


def remove_temporaries(folder: Path, names: str) -> None:
    """Removes unfinished files of killed exports. `names` is a regular expression for names of exported files."""
    for path in folder.iterdir() if folder.is_dir() else ():
        if durable.is_temporary(path.name, f"{names}|{MANIFEST}"):
            durable.remove(path)


def write_file(task: ExportTask) -> int:
    """Writes the file of a task, complete or not at all, and returns its number of bytes. The same task always writes
    the same bytes."""
    with durable.written(Path(task.path)) as file:
        write_lists(file, task.content, task.lists, _read_lists(task))
        return file.tell()


def recognise(task: ExportTask) -> int | None:
    """Returns the number of bytes of a task's file if it has the content that `write_file` would write, otherwise None.
    Not for Parquet files, which `Manifest.is_finished` recognises by their metadata."""
    from setset.export.encoding import encode

    with Path(task.path).open("rb") as file:
        for piece in encode(task.content, task.lists, _read_lists(task)):
            expected = memoryview(piece).tobytes()
            if file.read(len(expected)) != expected:
                return None
        return None if file.read(1) else file.tell()


def _read_lists(task: ExportTask) -> Iterator[Lists]:
    """Reads all lists of the batch of a task, block by block."""
    from setset.engine import search
    from setset.tasks.worker import read_lists

    batch, target = (task.source.size, task.source.number), int(task.content.metadata["target"])
    unpacked = read_lists(task.source, target, task.content.size, 0, block_rows(task.content))
    try:
        yield from exactly(task.lists, unpacked, BadSource(*batch, f"expected {task.lists:,} lists"))
    except search.BadStreams as error:
        raise BadSource(*batch, str(error)) from error


def measure(task: ExportTask) -> float:
    """Estimates the bytes per list of a task's file from a sample. If the lists are stored in a batch, takes the sample
    from the middle of the batch. If the lists are derived from a batch of a smaller size, takes the first lists."""
    from setset.tasks.worker import read_lists

    content, rows = task.content, min(SAMPLE, task.content.row_group_size, task.lists)
    start = (task.lists - rows) // 2 if task.source.size == content.size else 0
    sample = next(read_lists(task.source, int(content.metadata["target"]), content.size, start, rows))
    return bytes_per_list(content, sample)


def bytes_per_list(content: Content, sample: Lists) -> float:
    """Computes the bytes per list of a sample, without the constant overhead of a file."""
    empty, full = io.BytesIO(), io.BytesIO()
    write_lists(empty, content, 0, [])
    write_lists(full, content, len(sample), [sample])
    return (len(full.getvalue()) - len(empty.getvalue())) / len(sample)


def write_lists(file: BinaryIO, content: Content, lists: int, blocks: Iterable[Lists]) -> None:
    """Writes `lists` lists to a file, block by block."""
    if content.format is Format.PARQUET:
        from setset.export import parquet

        parquet.write(file, content, blocks)
        return
    from setset.export.encoding import encode

    file.writelines(encode(content, lists, blocks))


def block_rows(content: Content) -> int:
    """Number of lists to encode at a time for a file."""
    from setset.export.encoding import BLOCK

    return content.row_group_size if content.format is Format.PARQUET else BLOCK


class Manifest:
    """The manifest of an export: a JSON file with the names and the metadata of all finished files in the folder.

    The manifest leaves out Parquet files, because each Parquet file contains its own metadata.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / MANIFEST
        self._saved, self._changed = time.monotonic(), False
        self._files: dict[str, dict[str, Any]] = {}
        try:
            if self.path.exists():
                self._files = dict(json.loads(self.path.read_bytes())["files"])
        except (OSError, ValueError, TypeError, KeyError) as error:
            raise BadInput(f"{self.path} is not the manifest of an export: move it away and try again") from error

    def finish(self, task: ExportTask, count: int) -> None:
        """Adds a finished file, already on the disk, to the manifest in memory. `save` writes the manifest."""
        if task.content.format is not Format.PARQUET:
            self._files[Path(task.path).name] = {**task.content.metadata, "bytes": count}
            self._changed = True

    def save(self, seconds_between: float = 0) -> None:
        """Writes the manifest to the disk if it has changed, and the last save is at least `seconds_between` seconds
        ago."""
        if self._changed and time.monotonic() - self._saved >= seconds_between:
            files = dict(sorted(self._files.items()))
            durable.save(self.path, (json.dumps({"files": files}, indent=1) + "\n").encode())
            self._saved, self._changed = time.monotonic(), False

    def is_finished(self, task: ExportTask) -> bool:
        """Whether the file of a task exists, is complete, and was made from the batch that the database records now."""
        path = Path(task.path)
        if not path.is_file():
            return False
        if task.content.format is Format.PARQUET:
            from setset.export.parquet import read_metadata

            metadata: Mapping[str, Any] = read_metadata(path)
            is_complete = metadata.get("rows") == str(task.lists)
        else:
            metadata = self._files.get(path.name, {})
            is_complete = metadata.get("bytes") == path.stat().st_size
        # Any version of setset writes the same lists, so the version may differ.
        return is_complete and all(
            metadata.get(key) == value for key, value in task.content.metadata.items() if key != "version"
        )


@contextmanager
def locked(path: Path, output: Path) -> Iterator[None]:
    """Locks `output` for the block, so that no second export writes to it. Removes the lock file `path` at the end."""
    durable.make_folder(path.parent)
    while True:
        with path.open("ab") as file:
            if not platform.lock_for_handle(file, wait=False):
                raise Locked(f"another export to {output} is under way: wait for its end, or give -o another name")
            if not _is_same_file(path, file):  # the export that held the lock has removed the file: try again
                continue
            try:
                yield
            finally:
                platform.remove_locked(path, file)
            return


def _is_same_file(path: Path, file: BinaryIO) -> bool:
    with suppress(FileNotFoundError):
        return os.path.samestat(path.stat(), os.fstat(file.fileno()))
    return False
