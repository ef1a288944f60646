"""Export of the lists of a size: to a folder, one file per batch, written by worker processes; or to a single file,
written by this process."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, TypeVar

from setset import durable
from setset.errors import BadInput, NoSpace, SetsetError
from setset.executors.local import LocalExecutor
from setset.executors.window import submit_ahead
from setset.export.formats import Content, Format, refuse_existing
from setset.export.single_file import (
    LOCK,
    SAMPLE,
    SECONDS_BETWEEN_SAVES,
    ExportTask,
    Manifest,
    block_rows,
    bytes_per_list,
    locked,
    measure,
    recognise,
    remove_temporaries,
    write_file,
    write_lists,
)
from setset.export.stored import ExportOptions, StoredSize
from setset.platform import free_bytes, usable_cores
from setset.progress import Activity, NoProgress, ProgressListener
from setset.tasks.kinds import BadSource

if TYPE_CHECKING:
    import pyarrow

    from setset.export.formats import Lists

SAMPLES = 6
"""Number of batches sampled to estimate the bytes of an export."""
STOPPED = "interrupted; finished files stay: run the same command again to resume"
STOPPED_FILE = (
    "interrupted; nothing was written: a single file is written whole or not at all. "
    "To keep finished files, give -o FOLDER"
)
CheckStop = Callable[[str], None]
"""Raises Interrupted with the given message if the export must stop."""
_Result = TypeVar("_Result")


@dataclass(frozen=True)
class Exported:
    """Files that an export wrote, or with `dry_run` would write.

    Example:
        >>> size = setset.open(example).exploration(18)[4]
        >>> size.export(example.parent / "four", format="npy", dry_run=True).bytes
        2724804
    """

    files: int
    """Number of files of the export, including files that existed before."""
    written: int
    """Number of files that this export wrote."""
    lists: int
    bytes: int
    """Total bytes of all files. After a dry run, an estimate."""
    free: int | None = None
    """Free bytes on the disk. Known only after a dry run."""
    missing: int = 0
    """Bytes that the export needs beyond the free bytes of the disk; 0 if it fits. Known only after a dry run."""


def export_lists(
    size: StoredSize, options: ExportOptions, progress: ProgressListener | None, check_stop: CheckStop
) -> Exported:
    """Exports a stored size to a folder, a file or an open file: see `Size.export`."""
    export = _Export(size, options, progress or NoProgress(), check_stop)
    if size.run and not options.partial:
        raise BadInput(
            f"size {size.size} of target {size.target} is incomplete, only its first {len(size.batches):,} batches "
            f"exist: '{size.run}' makes all batches, --partial exports the existing batches"
        )
    folder = options.folder()
    return export.to_file() if folder is None else export.to_folder(folder)


def arrow_reader(size: StoredSize, values: str, start: int, limit: int | None, rows: int) -> pyarrow.RecordBatchReader:
    """Makes a reader that gives the lists of a size as Arrow record batches: see `Size.to_arrow`."""
    from setset.export import parquet

    content = size.content(ExportOptions(Path("lists.parquet"), None, values, row_group_size=rows))
    blocks = size.read(start, size.range_length(start, limit), rows)
    batches = parquet.record_batches(content, blocks)
    return parquet.require_arrow().RecordBatchReader.from_batches(parquet.schema(content), batches)


class _Export:
    """One export of a size: its options, progress, and worker processes."""

    def __init__(
        self, size: StoredSize, options: ExportOptions, progress: ProgressListener, check_stop: CheckStop
    ) -> None:
        self._size, self._options, self._progress, self._check_stop = size, options, progress, check_stop
        self._content = size.content(options)

    @cached_property
    def _executor(self) -> LocalExecutor:
        """Pool of worker processes, started at first use."""
        return LocalExecutor(self._options.workers or usable_cores())

    def to_folder(self, folder: Path) -> Exported:
        """Writes one file per batch to a folder. Skips batches whose file is finished, and keeps unrelated files."""
        dry_run = self._options.dry_run
        tasks = list(self._size.tasks(self._content, folder))
        names = self._size.file_names(self._content)
        lists = sum(task.lists for task in tasks)
        with nullcontext() if dry_run else locked(folder / LOCK, folder):
            manifest = Manifest(folder)
            try:
                waiting = self._find_waiting(tasks, manifest)
                stale = self._stale_files(folder, names, tasks, waiting)
                missing = {task.path for task in waiting}
                existing_bytes = sum(Path(task.path).stat().st_size for task in tasks if task.path not in missing)
                if not dry_run:
                    for path in stale:
                        durable.remove(path)
                    remove_temporaries(folder, names)
                    manifest.save()
                    if not waiting:
                        return Exported(len(tasks), 0, lists, existing_bytes)
                expected = self._expected_bytes(waiting)
                planned = self._plan(folder, len(tasks), len(waiting), lists, existing_bytes, expected)
                if dry_run:
                    return planned
                written = self._write_files(waiting, manifest)
            finally:
                if "_executor" in vars(self):
                    self._executor.shutdown(wait=False, cancel_futures=True)  # after this call no worker writes
                if not dry_run:
                    remove_temporaries(folder, names)
        return Exported(len(tasks), len(waiting), lists, existing_bytes + written)

    def _find_waiting(self, tasks: list[ExportTask], manifest: Manifest) -> list[ExportTask]:
        """Finds the tasks whose file is not finished.

        A killed export may leave finished files that its manifest lacks. The method recognises such files by their
        content, and adds them to the manifest.
        """
        waiting = [task for task in tasks if not manifest.is_finished(task)]
        is_parquet = self._content.format is Format.PARQUET
        doubtful = [] if is_parquet else [task for task in waiting if Path(task.path).is_file()]
        finished = set()
        for task, count in self._results(recognise, doubtful):
            self._check_stop(STOPPED)
            if count is not None:
                manifest.finish(task, count)
                finished.add(task.path)
        return [task for task in waiting if task.path not in finished]

    def _stale_files(
        self, folder: Path, names: str, tasks: Iterable[ExportTask], waiting: Iterable[ExportTask]
    ) -> list[Path]:
        """Finds the files to remove: files whose name fits this export, but belongs to no task. Without `overwrite`,
        raises BadInput if the export would remove or replace a file."""
        own = {Path(task.path).name for task in tasks}
        entries = sorted(folder.iterdir()) if folder.is_dir() else []
        stale = [path for path in entries if re.fullmatch(names, path.name) and path.name not in own]
        obstacles = stale + [Path(task.path) for task in waiting if Path(task.path).exists()]
        if obstacles and not self._options.overwrite:
            raise BadInput(
                f"{obstacles[0]} exists and is not from this export: add --force to replace such files, "
                "or give -o another folder"
            )
        return stale

    def _write_files(self, tasks: list[ExportTask], manifest: Manifest) -> int:
        """Writes the files of the tasks in worker processes. Returns the total bytes of the files."""
        total = 0
        with self._progressing(len(tasks), sum(task.lists for task in tasks)) as advance:
            try:
                for task, count in self._results(write_file, tasks):
                    total += count
                    manifest.finish(task, count)
                    manifest.save(SECONDS_BETWEEN_SAVES)
                    advance(task.lists)
            finally:
                manifest.save()
        return total

    def to_file(self) -> Exported:
        """Writes a range of lists to one file. The output is an open file of the caller, or a path. If the output is a
        path, the file is written whole or not at all."""
        options, output = self._options, self._options.output
        count = self._size.range_length(options.start, options.limit)
        metadata = {"first_list": str(options.start), "lists": str(count), **self._content.metadata}
        content = replace(self._content, metadata=metadata)
        blocks = self._size.read(options.start, count, block_rows(content))
        if not isinstance(output, Path):
            self._write_blocks(output, content, count, blocks)
            return Exported(1, 1, count, 0)
        refuse_existing(output, options.overwrite)
        sample = next(blocks)
        expected = int(bytes_per_list(content, sample[:SAMPLE]) * count)
        planned = self._plan(output.parent, 1, 1, count, 0, expected)
        if options.dry_run:
            return planned
        with locked(output.parent / f".{output.name}.lock", output):
            refuse_existing(output, options.overwrite)
            remove_temporaries(output.parent, re.escape(output.name))
            with durable.written(output) as file:
                self._write_blocks(file, content, count, chain([sample], blocks))
        return Exported(1, 1, count, output.stat().st_size)

    def _write_blocks(self, file: BinaryIO, content: Content, lists: int, blocks: Iterable[Lists]) -> None:
        def watched() -> Iterator[Lists]:
            for block in blocks:
                yield block
                advance(len(block))

        with self._progressing(0, lists, STOPPED_FILE) as advance:
            write_lists(file, content, lists, watched())

    @contextmanager
    def _progressing(self, files: int, lists: int, stopped: str = STOPPED) -> Iterator[Callable[[int], None]]:
        """Reports the progress of an export while the `with` block runs. Yields a function that the block calls with
        the number of lists of each finished file or array. The function raises Interrupted if the export must stop."""

        def advance(lists: int) -> None:
            self._progress.advance(self._size.size, lists, lists)
            self._check_stop(stopped)

        self._progress.begin(self._size.size, Activity.EXPORT, files, lists)
        try:
            yield advance
        finally:
            self._progress.end(self._size.size)

    def _plan(self, folder: Path, files: int, written: int, lists: int, existing_bytes: int, expected: int) -> Exported:
        """Returns the files and bytes that the export will have. Raises NoSpace if the new bytes do not fit on the
        disk, except in a dry run."""
        free = free_bytes(folder)
        if expected > free and not self._options.dry_run:
            raise NoSpace(f"the export takes about {expected:,} bytes, and {folder} has room for {free:,}")
        return Exported(files, written, lists, existing_bytes + expected, free, max(0, expected - free))

    def _results(
        self, function: Callable[[ExportTask], _Result], tasks: Iterable[ExportTask]
    ) -> Iterator[tuple[ExportTask, _Result]]:
        """Calls a function for each task in worker processes. Yields each task with its result, in the order of the
        tasks."""
        for task, future in submit_ahead(tasks, lambda task: self._executor.submit(function, task)):
            try:
                yield task, future.result()
            except BadSource as error:
                raise self._explain(task, error) from error

    def _explain(self, task: ExportTask, error: BadSource) -> SetsetError:
        """Makes the error for a batch that cannot be read: it is damaged, or another command changed the size
        meanwhile."""
        try:
            next(self._size.read(int(task.content.metadata["first_list"]), 1, 1))
        except SetsetError as size_error:
            return size_error
        return SetsetError(f"{error}; run 'setset repair'")

    def _expected_bytes(self, tasks: list[ExportTask]) -> int:
        """Estimates the total bytes of the files of tasks, from samples of some batches."""
        if not tasks:
            return 0
        step = max(1, len(tasks) // SAMPLES)
        samples = tasks[step // 2 :: step][:SAMPLES]
        total = sum(size * task.lists for task, size in self._results(measure, samples))
        return int(total / sum(task.lists for task in samples) * sum(task.lists for task in tasks))
