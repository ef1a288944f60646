"""The export of a size: to a folder, a file for each batch, by worker processes; or to one file, by this one."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, TypeVar

from setset import durable
from setset.errors import BadInput, NoSpace, SetsetError
from setset.executors.local import LocalExecutor
from setset.executors.window import submit_ahead
from setset.export.files import (
    LOCK,
    ExportTask,
    Manifest,
    locked,
    measure,
    name_pattern,
    others_and_strays,
    write_file,
    write_lists,
)
from setset.export.formats import Content, refuse_existing
from setset.platform import usable_cores
from setset.progress import Activity, ProgressListener
from setset.tasks.kinds import BadSource

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Lists = npt.NDArray[np.uint8]

SAMPLES = 6
"""Batches of which some lists are encoded to learn how many bytes an export will take."""
Stopping = Callable[[], None]
"""Raises an error if the export was asked to end."""
_Result = TypeVar("_Result")


@dataclass(frozen=True)
class Exported:
    """What an export wrote, or with `dry_run` would write.

    Example:
        >>> size = setset.open(example).exploration(18)[4]
        >>> size.export(example.parent / "four", format="npy", dry_run=True).bytes
        2724804
    """

    files: int
    """All files of the export."""
    written: int
    """Those that were not there already."""
    lists: int
    bytes: int
    """Of all files; about, if they are not written yet."""
    free: int | None = None
    """Bytes that are free there, after a dry run."""
    missing: int = 0
    """Bytes by which the disk is too small, after a dry run."""


def export_folder(
    folder: Path,
    target: int,
    tasks: list[ExportTask],
    *,
    overwrite: bool,
    dry_run: bool,
    workers: int | None,
    progress: ProgressListener,
    raise_if_stopped: Stopping,
) -> Exported:
    """Writes a file for each batch that has none yet.

    Args:
        folder: Where; files in it that are not of this export are left alone.
        target: Of the exploration.
        tasks: All files of the export, in order.
        overwrite: Replace files that have the names of this export's, but are something else.
        dry_run: Say what would be done, and do nothing.
        workers: Worker processes; all cores if None.
        progress: Is told how it goes.
        raise_if_stopped: Is called between files.
    """
    content, lists = tasks[0].content, sum(task.lists for task in tasks)
    pattern = name_pattern(target, content.size, content.format)
    with nullcontext() if dry_run else locked(folder / LOCK, folder):
        manifest = Manifest(folder)
        others, strays = others_and_strays(folder, pattern, {Path(task.path).name for task in tasks})
        waiting = [task for task in tasks if not manifest.is_finished(task)]
        obstacles = others + [Path(task.path) for task in waiting if Path(task.path).exists()]
        if obstacles and not overwrite:
            raise BadInput(
                f"{obstacles[0]} is there, and not of this export: give --overwrite to replace such files, "
                "or -o another folder"
            )
        done = {task.path for task in tasks} - {task.path for task in waiting}
        there = sum(Path(path).stat().st_size for path in done)
        if not waiting and not dry_run:
            _remove(strays + others)
            return Exported(len(tasks), 0, lists, there)
        with _executor(workers or usable_cores()) as executor:
            expected = _expected_bytes(executor, waiting)
            if dry_run:
                return expectation(folder, len(tasks), len(waiting), lists, there, expected)
            _remove(strays + others)
            require_room(folder, expected)
            try:
                written = _write_files(executor, waiting, manifest, progress, raise_if_stopped)
            finally:
                executor.shutdown(wait=False, cancel_futures=True)  # nobody writes any more
                _remove(others_and_strays(folder, pattern, set())[1])
    return Exported(len(tasks), len(waiting), lists, there + written)


def _write_files(
    executor: Executor,
    tasks: list[ExportTask],
    manifest: Manifest,
    progress: ProgressListener,
    raise_if_stopped: Stopping,
) -> int:
    """Writes the files in worker processes; how many bytes they have."""
    progress.begin(tasks[0].content.size, Activity.EXPORT, len(tasks), sum(task.lists for task in tasks))
    total = 0
    try:
        for task, count in _results(executor, write_file, tasks):
            total += count
            manifest.finish(task, count)
            progress.advance(task.content.size, task.lists, task.lists)
            raise_if_stopped()
    finally:
        manifest.save()
        progress.end(tasks[0].content.size)
    return total


def _results(
    executor: Executor, function: Callable[[ExportTask], _Result], tasks: Iterable[ExportTask]
) -> Iterator[tuple[ExportTask, _Result]]:
    """Tasks with their results, in order."""
    for task, future in submit_ahead(tasks, lambda task: executor.submit(function, task)):
        try:
            yield task, future.result()
        except BadSource as error:
            raise SetsetError(f"{error}; run 'setset repair'") from error


def _expected_bytes(executor: Executor, tasks: list[ExportTask]) -> int:
    """How many bytes the files will have, about, by encoding lists of some of them."""
    if not tasks:
        return 0
    lists = sum(task.lists for task in tasks)
    step = max(1, len(tasks) // SAMPLES)
    samples = tasks[step // 2 :: step][:SAMPLES]
    total = sum(size * task.lists for task, size in _results(executor, measure, samples))
    return int(total / sum(task.lists for task in samples) * lists)


def export_file(
    path: Path,
    content: Content,
    lists: int,
    blocks: Iterable[Lists],
    *,
    overwrite: bool,
    progress: ProgressListener,
    raise_if_stopped: Stopping,
) -> Exported:
    """Writes lists to one file, whole or not at all."""
    refuse_existing(path, overwrite)
    with locked(path.parent / f".{path.name}.lock", path):
        _remove(others_and_strays(path.parent, re.escape(path.name), {path.name})[1])
        with durable.written(path) as file:
            export_stream(file, content, lists, blocks, progress, raise_if_stopped)
    return Exported(1, 1, lists, path.stat().st_size)


def export_stream(
    file: BinaryIO,
    content: Content,
    lists: int,
    blocks: Iterable[Lists],
    progress: ProgressListener,
    raise_if_stopped: Stopping,
) -> None:
    """Writes lists to an open file."""

    def watched() -> Iterator[Lists]:
        for block in blocks:
            yield block
            progress.advance(content.size, len(block), len(block))
            raise_if_stopped()

    progress.begin(content.size, Activity.EXPORT, 0, lists)
    write_lists(file, content, lists, watched())
    progress.end(content.size)


def require_room(folder: Path, expected: int) -> None:
    """Refuses to begin what will not fit on the disk."""
    free = free_bytes(folder)
    if expected > free:
        raise NoSpace(f"the export takes about {expected:,} bytes, and {folder} has room for {free:,}")


def free_bytes(folder: Path) -> int:
    """What is free on the disk on which a folder is, or will be."""
    while not folder.exists():
        folder = folder.parent
    return shutil.disk_usage(folder).free


def expectation(folder: Path, files: int, written: int, lists: int, there: int, expected: int) -> Exported:
    """What an export would be: so many bytes are there, and so many expected."""
    free = free_bytes(folder)
    return Exported(files, written, lists, there + expected, free, max(0, expected - free))


def _remove(paths: Iterable[Path]) -> None:
    for path in paths:
        path.unlink(missing_ok=True)


@contextmanager
def _executor(workers: int) -> Iterator[Executor]:
    executor = LocalExecutor(workers)
    try:
        yield executor
    finally:
        executor.shutdown(wait=False, cancel_futures=True)
