"""One file of an export: written in a worker process, recognised when it is there already."""

from __future__ import annotations

import io
import json
import re
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from os import fstat
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from setset import durable, platform
from setset.errors import BadInput, Locked
from setset.export.formats import Content, Format
from setset.tasks.kinds import BadSource, Source

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Lists = npt.NDArray[np.uint8]

MANIFEST = "setset-export.json"
LOCK = ".setset-export.lock"
SECONDS_BETWEEN_SAVES = 1.0
SAMPLE = 1 << 18
"""Lists that are encoded to learn how many bytes they take."""


@dataclass(frozen=True)
class ExportTask:
    """Write the lists of a batch to a file."""

    source: Source
    lists: int
    first: int
    """The number of its first list among those of its size."""
    path: str
    content: Content

    @property
    def marks(self) -> dict[str, str]:
        """What the file says of itself."""
        own = {"batch": self.source.number, "digest": self.source.digest}
        place = {"first_list": self.first, "lists": self.lists}
        return {**self.content.marks, **{key: str(value) for key, value in (own | place).items()}}


def file_name(target: int, size: int, number: int, format: Format) -> str:  # noqa: A002
    """The name of a batch's file: by name they are in the order of their lists."""
    return f"t{target:02d}-s{size:02d}-{number:06d}.{format}"


def name_pattern(target: int, size: int, format: Format) -> str:  # noqa: A002
    """What the names of all files of an export match."""
    return rf"t{target:02d}-s{size:02d}-\d{{6,}}\.{format}"


def others_and_strays(folder: Path, pattern: str, own: set[str]) -> tuple[list[Path], list[Path]]:
    """What must not be in a folder to which files are exported whose names match `pattern`.

    Returns:
        Files that readers would take for a part of the export, but are not; what killed exports left.
    """
    entries = sorted(folder.iterdir()) if folder.is_dir() else []
    others = [each for each in entries if re.fullmatch(pattern, each.name) and each.name not in own]
    return others, [each for each in entries if durable.is_temporary(each.name, f"{pattern}|{MANIFEST}")]


def write_file(task: ExportTask) -> int:
    """Writes the file of a task, whole or not at all; returns its bytes. The same task always writes the same."""
    from setset.engine import search
    from setset.tasks.worker import load_source

    streams = load_source(task.source)
    content = _with_marks(task)
    try:
        with durable.written(Path(task.path)) as file:
            write_lists(file, content, streams.lists, search.unpack(streams, 0, block_rows(content)))
            return file.tell()
    except search.BadStreams as error:
        raise BadSource(task.source.size, task.source.number, str(error)) from error


def measure(task: ExportTask) -> float:
    """How many bytes a list of this task takes, by encoding some from the middle."""
    from setset.engine import search
    from setset.tasks.worker import load_source

    streams = load_source(task.source)
    rows = min(SAMPLE, task.content.row_group_size, streams.lists)
    sample = next(search.unpack(streams, (streams.lists - rows) // 2, rows))
    return bytes_a_list(_with_marks(task), sample)


def bytes_a_list(content: Content, sample: Lists) -> float:
    """How many bytes a list takes in a file that is much longer than the sample."""
    empty, full = io.BytesIO(), io.BytesIO()
    write_lists(empty, content, 0, [])
    write_lists(full, content, len(sample), [sample])
    return (len(full.getvalue()) - len(empty.getvalue())) / len(sample)


def write_lists(file: BinaryIO, content: Content, lists: int, blocks: Iterable[Lists]) -> None:
    """Writes so many lists to a file, block by block."""
    if content.format is Format.PARQUET:
        from setset.export import parquet

        parquet.write(file, content, blocks)
        return
    from setset.export.encoding import encode

    file.writelines(encode(content, lists, blocks))


def block_rows(content: Content) -> int:
    """How many lists to encode at a time."""
    from setset.export.encoding import BLOCK

    return content.row_group_size if content.format is Format.PARQUET else BLOCK


class Manifest:
    """Which files of a folder are whole, and of what, for formats that have no place to say so: a JSON file beside."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / MANIFEST
        self._saved = time.monotonic()
        self._files: dict[str, dict[str, Any]] = {}
        try:
            self._files = dict(json.loads(self.path.read_bytes())["files"])
        except FileNotFoundError:
            pass
        except (OSError, ValueError, TypeError, KeyError) as error:
            raise BadInput(f"{self.path} is not the manifest of an export: remove it") from error

    def finish(self, task: ExportTask, count: int) -> None:
        """Remembers a file that was written. It is on the disk before it is said to be."""
        if task.content.format is Format.PARQUET:
            return
        self._files[Path(task.path).name] = {**task.marks, "bytes": count}
        if time.monotonic() - self._saved >= SECONDS_BETWEEN_SAVES:
            self.save()

    def save(self) -> None:
        """Puts it on the disk, if there is something to say."""
        if self._files:
            durable.save(self.path, (json.dumps({"files": self._files}, indent=1) + "\n").encode())
        self._saved = time.monotonic()

    def is_finished(self, task: ExportTask) -> bool:
        """Whether the file of a task is there, whole, and made from the batch as it is recorded now."""
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
            found.get(key) == value for key, value in task.marks.items() if key != "version"
        )


@contextmanager
def locked(path: Path, what: Path) -> Iterator[None]:
    """Holds a lock while something is exported to `what`, in a file that is gone afterwards."""
    durable.make_folder(path.parent)
    while True:
        with path.open("ab") as file:
            if not platform.lock_for_handle(file, wait=False):
                raise Locked(f"another export to {what} is under way")
            if not _is_there(path, file):  # its last holder has removed it meanwhile
                continue
            try:
                yield
            finally:
                with suppress(OSError):  # Windows removes no open file; an empty one stays
                    path.unlink()
            return


def _is_there(path: Path, file: Any) -> bool:
    try:
        there, here = path.stat(), fstat(file.fileno())
    except FileNotFoundError:
        return False
    return (there.st_dev, there.st_ino) == (here.st_dev, here.st_ino)


def _with_marks(task: ExportTask) -> Content:
    content = task.content
    return Content(content.format, content.values, content.size, content.row_group_size, task.marks)
