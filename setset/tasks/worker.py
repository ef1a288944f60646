"""What a worker process does: read the source, run the kernel, write the files, return the result."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Iterator
from pathlib import Path

from setset.batches import files
from setset.batches import format as batch_format
from setset.batches.format import BadBatch
from setset.batches.records import BatchFile, Span
from setset.engine import search
from setset.engine.bitstreams import Streams
from setset.errors import SetsetError
from setset.tasks.kinds import (
    BadSource,
    CountTask,
    ExpandTask,
    MergeTask,
    RebuildTask,
    Source,
    Task,
    TaskResult,
)


def execute(task: Task) -> TaskResult:
    """Executes a task. The same task always writes the same bytes."""
    started = time.monotonic()
    counts: dict[int, int] = {}
    batches: list[BatchFile] = []
    match task:
        case ExpandTask():
            batches = _find_finished(task) or list(_expand(task))
        case CountTask():
            counts = search.count(_load(task.source), task.target, task.size)
        case RebuildTask():
            expansion = task.expansions[0]
            batches = [
                files.save_batch(
                    _encode(expansion, task.span, join(parts_in_span(task), expansion)), Path(task.root)
                )
            ]
        case MergeTask():
            batches = [files.save_batch(_merge(task), Path(task.root))]
    seconds = time.monotonic() - started
    return TaskResult(socket.gethostname(), os.getpid(), seconds, tuple(batches), tuple(counts.items()))


def compare(task: RebuildTask, path: str, digest: str) -> str | None:
    """What is wrong with the lists of a batch file, compared with what its sources expand to; None if nothing."""
    try:
        _, found = files.load(Path(path), digest)
        lists = sum(len(rows) for rows in search.unpack(found))
        expected = join(parts_in_span(task), task.expansions[0])
    except BadSource as error:
        return f"cannot be compared: {error}"
    except SetsetError as error:
        return str(error)
    if lists != expected.lists or found.lengths != expected.lengths or (found.words != expected.words).any():
        return "its lists are not those that its sources expand to"
    return None


def recount(path: str, digest: str) -> int:
    """How many lists a file holds, by decoding them."""
    _, streams = files.load(Path(path), digest)
    return sum(len(rows) for rows in search.unpack(streams))


def parts_of_expansion(task: ExpandTask) -> Iterator[tuple[int, bool, Streams]]:
    """The parts that a task's source becomes: number, whether it is the last one, bits."""
    if task.source is None:
        parts = search.pack([search.seeds(task.target)], task.size, task.batch_lists)
    else:
        parts = search.expand(_load(task.source), task.target, task.batch_lists)
    ahead = next(parts, None)
    number = 0
    while ahead is not None:
        part, ahead = ahead, next(parts, None)
        yield number, ahead is None, part
        number += 1


def parts_in_span(task: RebuildTask) -> Iterator[Streams]:
    """The parts within the span of a batch, of all expansions that it is made of."""
    first = (task.span.first_source, task.span.first_part)
    last = (task.span.last_source, task.span.last_part)
    for expansion in task.expansions:
        for number, _, part in parts_of_expansion(expansion):
            if first <= (expansion.source_number, number) <= last:
                yield part


def join(parts: Iterator[Streams], task: ExpandTask | MergeTask) -> Streams:
    """Neighbouring parts as one batch."""
    pieces = list(parts)
    if len(pieces) == 1:
        return pieces[0]
    lists = (rows for piece in pieces for rows in search.unpack(piece))
    joined = list(search.pack(lists, task.size, task.batch_lists))
    if len(joined) != 1:
        raise SetsetError(
            f"{len(pieces)} parts make {len(joined)} batches of size {task.size} instead of one"
        )
    return joined[0]


def _merge(task: MergeTask) -> bytes:
    streams = join((_load(part) for part in task.sources), task)
    header, _ = files.load(Path(task.sources[0].path))
    return batch_format.encode(
        streams,
        task.target,
        task.batch_lists,
        task.span,
        search.first_and_last(streams),
        header.source_digest,
    )


def _expand(task: ExpandTask) -> Iterator[BatchFile]:
    source = task.source_number
    for number, is_last, part in parts_of_expansion(task):
        data = _encode(task, Span(source, number, source, number, is_last), part)
        yield files.save_batch(data, Path(task.root))


def _encode(task: ExpandTask, span: Span, streams: Streams) -> bytes:
    ends = search.first_and_last(streams)
    return batch_format.encode(streams, task.target, task.batch_lists, span, ends, _source_digest(task))


def _find_finished(task: ExpandTask) -> list[BatchFile] | None:
    """The complete output of this very task, if an earlier run was stopped before it could be recorded."""
    found: list[BatchFile] = []
    source = task.source_number
    folder = Path(task.root) / files.size_folder(task.target, task.size)
    while True:
        try:
            data = files.read(folder / files.file_name(Span(source, len(found), source, len(found), False)))
            header, _ = batch_format.verify(data)
        except BadBatch:
            return None
        fits = (header.target, header.size, header.batch_lists) == (
            task.target,
            task.size,
            task.batch_lists,
        )
        if not fits or header.source_digest != _source_digest(task):
            return None
        found.append(files.describe(data))
        if header.span.ends_source:
            return found


def _load(source: Source) -> Streams:
    try:
        header, streams = files.load(Path(source.path), source.digest)
        if header.size != source.size:
            raise BadBatch("of another size")
    except BadBatch as error:
        raise BadSource(source.size, source.number, str(error)) from error
    return streams


def _source_digest(task: ExpandTask) -> bytes:
    return bytes(batch_format.DIGEST_BYTES) if task.source is None else bytes.fromhex(task.source.digest)
