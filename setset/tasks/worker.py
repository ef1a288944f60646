"""Work of a worker process: read the source, run the kernel, write the files, return the result."""

import contextlib
import datetime
import os
import socket
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from itertools import chain, pairwise
from pathlib import Path

import numpy as np

from setset import platform
from setset.batches import files
from setset.batches import format as batch_format
from setset.batches.format import BadBatch
from setset.batches.records import NO_SOURCE, BatchFile, Span
from setset.cards import Cards
from setset.engine import deep, search
from setset.engine.bitstreams import Streams
from setset.errors import SetsetError
from setset.tasks.kinds import (
    BadSource,
    CompareTask,
    CountTask,
    ExpandTask,
    MergeTask,
    OtherLists,
    Source,
    Task,
    TaskResult,
)

Ends = tuple[Cards, Cards]
"""The first and the last list of a batch."""


def execute(task: Task | MergeTask) -> TaskResult:
    """Executes a task. The same task always writes the same bytes."""
    started, now = time.monotonic(), datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds")
    counts: dict[int, int] = {}
    entries: tuple[tuple[int, tuple[int, ...]], ...] = ()
    batches: list[BatchFile] = []
    match task:
        case ExpandTask():
            finished = _find_finished(task) if task.reuse else None
            batches = finished or list(_expand(task))
        case CountTask(only_last=True):
            with _naming_bad_source(task.source):
                subtotals = deep.count(load_source(task.source), task.target, task.size, deep.MOST_ENTRIES).tolist()
                counts, entries = {task.size: sum(subtotals)}, ((task.size, tuple(subtotals)),)
        case CountTask():
            with _naming_bad_source(task.source):
                counts = search.count(load_source(task.source), task.target, task.size, task.pruned)
        case MergeTask():
            streams = _join([load_source(source) for source in task.sources], task)
            ends = search.first_and_last(streams)
            batches = [_save(_encode(task, task.span, streams, ends, task.source_digest), task)]
    seconds = time.monotonic() - started
    results = tuple(batches), tuple(counts.items()), entries
    return TaskResult(socket.gethostname(), os.getpid(), now, seconds, *results)


def compare(task: CompareTask) -> tuple[str | None, ...]:
    """Compares batch files with the expansions of their sources. Returns the difference of each file; None if equal.

    If a file cannot be read, compares only its record with the expansion. Another part of the check reports the file as
    unreadable.
    """
    if task.batches:
        return tuple(_difference(Path(task.root), *derived) for derived in _derive(task))
    has_lists = any(True for expansion in task.expansions for _ in parts_of_expansion(expansion))
    return ("its source expands to lists, but none are recorded" if has_lists else None,)


def _derive(task: CompareTask) -> Iterator[tuple[BatchFile, Streams | None, bool]]:
    """Expands each source of a task once. Yields for each batch its record, the lists that its parts must have (None if
    the sources expand to fewer parts), and whether the batch ends with the last part of a source."""
    waiting = sorted(task.batches, key=lambda batch: batch.span.start)
    pieces: list[Streams] = []
    for expansion in task.expansions:
        for number, is_last, part in parts_of_expansion(expansion):
            position = (expansion.source_number, number)
            if not waiting or position < waiting[0].span.start:
                continue
            pieces.append(part)
            if position == (waiting[0].span.last_source, waiting[0].span.last_part):
                yield waiting.pop(0), _join(pieces, expansion), is_last
                pieces = []
    for batch in waiting:
        yield batch, None, False


def _difference(root: Path, recorded: BatchFile, expected: Streams | None, ends_source: bool) -> str | None:
    if expected is None:
        return "its sources expand to fewer parts than it has"
    try:
        header, streams = files.load(root / recorded.name, recorded.digest)
    except BadBatch:
        is_equal = (expected.lists, *search.first_and_last(expected)) == (recorded.lists, recorded.first, recorded.last)
        return None if is_equal else "its sources expand to other lists than the database records"
    try:
        lists = sum(len(rows) for rows in search.unpack(streams))
        if header.version != batch_format.VERSION:
            streams = next(search.pack(search.unpack(streams), streams.size, lists, expected.tail))
    except SetsetError as error:
        return str(error)
    if lists != expected.lists or streams.lengths != expected.lengths or (streams.words != expected.words).any():
        return "its sources expand to other lists than it has"
    if header.span.ends_source != ends_source:
        return f"its header says wrongly that it is {'not ' if ends_source else ''}the last part of its source"
    return None


def recount(path: str, digest: str) -> int:
    """Decodes a file, and returns its number of lists."""
    _, streams = files.load(Path(path), digest)
    return sum(len(rows) for rows in search.unpack(streams))


def read_lists(
    source: Source, target: int, size: int, start: int = 0, chunk: int = search.BUDGET, entries: Sequence[int] = ()
) -> Iterator[search.Lists]:
    """Yields lists of `size` cards from number `start` on. Reads them from a batch, or derives them from the smaller
    lists of a batch.

    Args:
        entries: Number of lists derived from each stretch of consecutive lists in the batch. Empty if unknown.
    """
    streams = load_source(source)
    if source.size == size:
        yield from search.unpack(streams, start, chunk)
    else:
        counts = np.array(entries, np.int64) if entries else None
        yield from deep.lists(streams, target, size, start, chunk, counts)


def parts_of_expansion(task: ExpandTask) -> Iterator[tuple[int, bool, Streams]]:
    """Expands the source of a task. Yields for each part its number, whether it is the last part, and its lists."""
    with _naming_bad_source(task.source):
        if task.source is None:
            tail = search.needed(task.target, task.size)
            parts = search.pack([search.seeds(task.target)], task.size, task.batch_lists, tail)
        elif task.size == task.source.size + 1:
            parts = search.expand(load_source(task.source), task.target, task.batch_lists, task.pruned)
        else:
            parts = deep.expand(load_source(task.source), task.target, task.size, task.batch_lists)
        for number, (part, following) in enumerate(pairwise(chain(parts, [None]))):
            assert part is not None
            yield number, following is None, part


def _join(pieces: list[Streams], task: ExpandTask | MergeTask) -> Streams:
    """Joins neighbouring parts into one batch."""
    if len(pieces) == 1:
        return pieces[0]
    lists = (rows for piece in pieces for rows in search.unpack(piece))
    tail = search.needed(task.target, task.size)
    joined = list(search.pack(lists, task.size, task.batch_lists, tail))
    if len(joined) != 1:
        raise SetsetError(f"{len(pieces)} parts make {len(joined)} batches of size {task.size} instead of one")
    return joined[0]


def _expand(task: ExpandTask) -> Iterator[BatchFile]:
    """Writes and yields the files of an expansion. Computes the next part while a thread writes a file."""
    saving: Future[BatchFile] | None = None
    number = 0
    with ThreadPoolExecutor(1) as writer:
        for number, is_last, part in parts_of_expansion(task):
            if saving:
                yield saving.result()
            saving = writer.submit(_save_part, task, number, is_last, part, search.first_and_last(part))
        if saving:
            yield saving.result()
    for recorded in task.recorded:
        if not saving or recorded.span.last_part > number:
            raise OtherLists(task.size, recorded.name, recorded.digest, "none")


def _save_part(task: ExpandTask, number: int, is_last: bool, part: Streams, ends: Ends) -> BatchFile:
    """Writes a part, unless its file has the recorded digest. Raises OtherLists if the lists differ from the record."""
    source = task.source_number
    data = _encode(task, Span(source, number, source, number, is_last), part, ends, _source_digest(task))
    if task.recorded:
        batch = files.describe(data)
        recorded = next((file for file in task.recorded if file.span.start == batch.span.start), None)
        if recorded is None:
            raise OtherLists(task.size, batch.name, "none", batch.digest)
        completed = replace(recorded, source_digest=recorded.source_digest or batch.source_digest)
        if batch.digest != recorded.digest and batch.content != completed.content:
            raise OtherLists(task.size, batch.name, recorded.digest, batch.digest)
        if files.holds(Path(task.destination.root) / batch.name, recorded.digest):
            return batch if batch.digest == recorded.digest else replace(recorded, name=batch.name)
    return _save(data, task)


def _encode(task: ExpandTask | MergeTask, span: Span, streams: Streams, ends: Ends, source_digest: str) -> bytes:
    return batch_format.encode(
        streams, task.target, task.batch_lists, span, ends, bytes.fromhex(source_digest), task.pruned
    )


def _save(data: bytes, task: ExpandTask | MergeTask) -> BatchFile:
    return files.save_batch(data, Path(task.destination.root), task.destination.owner)


def _find_finished(task: ExpandTask) -> list[BatchFile] | None:
    """Returns the records of all files of a task, if an earlier run finished them but did not record them."""
    finished: list[BatchFile] = []
    source = task.source_number
    folder = Path(task.destination.root) / files.size_folder(task.target, task.size, task.pruned)
    while True:
        try:
            path = folder / files.file_name(Span(source, len(finished), source, len(finished), False))
            header, digest = files.verify(path)
            files.load(path, digest)
        except BadBatch:
            return None
        span = Span(source, len(finished), source, len(finished), header.span.ends_source)
        in_header = header.target, header.pruned, header.size, header.batch_lists, header.span
        fits = in_header == (task.target, task.pruned, task.size, task.batch_lists, span)
        if not fits or header.source_digest.hex() != _source_digest(task):
            return None
        finished.append(files.record(header, digest))
        if header.span.ends_source:
            # The writer may have been killed before it synced the folder.
            platform.sync_folder(folder)
            return finished


def load_source(source: Source) -> Streams:
    """Loads the bits of a source batch. Raises BadSource if the file differs from its record."""
    try:
        header, streams = files.load(Path(source.path), source.digest)
        if header.size != source.size:
            raise BadBatch("the file has lists of another size")
    except BadBatch as error:
        raise BadSource(source.size, source.number, str(error)) from error
    return streams


@contextlib.contextmanager
def _naming_bad_source(source: Source | None) -> Iterator[None]:
    """Converts BadStreams to BadSource, which names the source batch. Converts nothing if there is no source."""
    try:
        yield
    except search.BadStreams as error:
        if source is None:
            raise
        raise BadSource(source.size, source.number, str(error)) from error


def _source_digest(task: ExpandTask) -> str:
    return NO_SOURCE if task.source is None else task.source.digest
