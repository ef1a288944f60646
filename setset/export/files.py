"""One file of an export: how a worker process writes it, and how the next export recognises it."""

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
"""Number of lists that are encoded to measure the bytes per list."""


@dataclass(frozen=True)
class ExportTask:
    """Write the lists of a batch to a file."""

    source: Source
    lists: int
    path: str
    content: Content


def remove_temporaries(folder: Path, names: str) -> None:
    """Removes the unfinished files that killed exports left. `names` matches the names of the finished files."""
    for path in folder.iterdir() if folder.is_dir() else ():
        if durable.is_temporary(path.name, f"{names}|{MANIFEST}"):
            path.unlink(missing_ok=True)


def write_file(task: ExportTask) -> int:
    """Writes the file of a task, complete or not at all; returns its bytes. The same task writes the same bytes."""
    with durable.written(Path(task.path)) as file:
        write_lists(file, task.content, task.lists, _read_lists(task))
        return file.tell()


def recognise(task: ExportTask) -> int | None:
    """Bytes of the file of a task if the file holds what `write_file` writes; None if it does not. Not for Parquet."""
    from setset.export.encoding import encode

    with Path(task.path).open("rb") as file:
        for piece in encode(task.content, task.lists, _read_lists(task)):
            expected = memoryview(piece).tobytes()
            if file.read(len(expected)) != expected:
                return None
        return None if file.read(1) else file.tell()


def _read_lists(task: ExportTask) -> Iterator[Lists]:
    """All lists of the batch of a task, block by block."""
    from setset.engine import search
    from setset.tasks.worker import read_lists

    batch, target = (task.source.size, task.source.number), int(task.content.marks["target"])
    unpacked = read_lists(task.source, target, task.content.size, 0, block_rows(task.content))
    try:
        yield from exactly(task.lists, unpacked, BadSource(*batch, f"it does not hold {task.lists:,} lists"))
    except search.BadStreams as error:
        raise BadSource(*batch, str(error)) from error


def measure(task: ExportTask) -> float:
    """Bytes per list of a task, from some lists in its middle."""
    from setset.engine import search
    from setset.tasks.worker import load_source

    streams = load_source(task.source)
    rows = min(SAMPLE, task.content.row_group_size, streams.lists)
    sample = next(search.unpack(streams, (streams.lists - rows) // 2, rows))
    return bytes_per_list(task.content, sample)


def bytes_per_list(content: Content, sample: Lists) -> float:
    """Bytes per list in a file that is much longer than the sample."""
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
    """Number of lists to encode at a time."""
    from setset.export.encoding import BLOCK

    return content.row_group_size if content.format is Format.PARQUET else BLOCK


class Manifest:
    """A JSON file that lists the complete files of a folder and their marks. Parquet files hold their own marks."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / MANIFEST
        self._saved, self._changed = time.monotonic(), False
        self._files: dict[str, dict[str, Any]] = {}
        try:
            if self.path.exists():
                self._files = dict(json.loads(self.path.read_bytes())["files"])
        except (OSError, ValueError, TypeError, KeyError) as error:
            raise BadInput(f"{self.path} is not the manifest of an export: remove it") from error

    def finish(self, task: ExportTask, count: int) -> None:
        """Records a file, which must be on the disk already. `save` makes the record last."""
        if task.content.format is not Format.PARQUET:
            self._files[Path(task.path).name] = {**task.content.marks, "bytes": count}
            self._changed = True

    def save(self, seconds_between: float = 0) -> None:
        """Saves the manifest if it has changed, at most once per interval."""
        if self._changed and time.monotonic() - self._saved >= seconds_between:
            files = dict(sorted(self._files.items()))
            durable.save(self.path, (json.dumps({"files": files}, indent=1) + "\n").encode())
            self._saved, self._changed = time.monotonic(), False

    def is_finished(self, task: ExportTask) -> bool:
        """Whether the file of a task exists, is complete, and was made from the batch as recorded now."""
        path = Path(task.path)
        if not path.is_file():
            return False
        if task.content.format is Format.PARQUET:
            from setset.export.parquet import read_marks

            found: Mapping[str, Any] = read_marks(path)
            is_whole = found.get("rows") == str(task.lists)
        else:
            found = self._files.get(path.name, {})
            is_whole = found.get("bytes") == path.stat().st_size
        # Another version of setset writes the same lists.
        return is_whole and all(
            found.get(key) == value for key, value in task.content.marks.items() if key != "version"
        )


@contextmanager
def locked(path: Path, what: Path) -> Iterator[None]:
    """Holds the lock of an export to `what` in a file, and removes the file afterwards."""
    durable.make_folder(path.parent)
    while True:
        with path.open("ab") as file:
            if not platform.lock_for_handle(file, wait=False):
                raise Locked(f"another export to {what} is under way")
            if not _is_there(path, file):  # the last holder has removed the file meanwhile
                continue
            try:
                yield
            finally:
                with suppress(OSError):  # Windows removes no open file; an empty one stays
                    path.unlink()
            return


def _is_there(path: Path, file: BinaryIO) -> bool:
    with suppress(FileNotFoundError):
        return os.path.samestat(path.stat(), os.fstat(file.fileno()))
    return False
