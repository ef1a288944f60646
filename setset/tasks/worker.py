"""What a worker process does: read the source, run the kernel, write the files, return a report."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Iterator
from pathlib import Path

from setset.batches import files
from setset.batches import format as batch_format
from setset.batches.filing import describe, save_batch
from setset.batches.format import BadBatch
from setset.batches.spans import Span
from setset.engine import search
from setset.engine.bitstreams import Streams
from setset.errors import SetsetError
from setset.tasks.kinds import (
    BadSource,
    CountOrder,
    ExpandOrder,
    MergeOrder,
    NewBatch,
    Order,
    RemakeOrder,
    Report,
    Source,
)


def carry_out(order: Order) -> Report:
    """Does what an order says. The same order always writes the same bytes."""
    started = time.monotonic()
    counts: dict[int, int] = {}
    batches: list[NewBatch] = []
    match order:
        case ExpandOrder():
            batches = _finished_before(order) or list(_expand(order))
        case CountOrder():
            counts = search.count(_load(order.source), order.target, order.size)
        case RemakeOrder():
            expansion = order.expansions[0]
            batches = [
                save_batch(_encode(expansion, order.span, join(parts_of(order), expansion)), expansion.root)
            ]
        case MergeOrder():
            batches = [save_batch(_merge(order), order.root)]
    seconds = time.monotonic() - started
    return Report(socket.gethostname(), os.getpid(), seconds, tuple(batches), tuple(counts.items()))


def differs(order: RemakeOrder, path: str, digest: str) -> str | None:
    """What is wrong with the lists of a batch file, decoded and derived anew from its sources; None if nothing."""
    try:
        _, found = files.load(Path(path), digest)
        lists = sum(len(rows) for rows in search.unpack(found))
        expected = join(parts_of(order), order.expansions[0])
    except BadSource as error:
        return f"cannot be derived anew: {error}"
    except SetsetError as error:
        return str(error)
    if lists != expected.lists or found.lengths != expected.lengths or (found.words != expected.words).any():
        return "its lists are not those that its sources expand to"
    return None


def recount(path: str, digest: str) -> int:
    """How many lists a file holds, by decoding them."""
    _, streams = files.load(Path(path), digest)
    return sum(len(rows) for rows in search.unpack(streams))


def expanded(order: ExpandOrder) -> Iterator[tuple[int, bool, Streams]]:
    """The parts that an order's source becomes: number, whether it is the last one, bits."""
    if order.source is None:
        parts = search.pack([search.seeds(order.target)], order.size, order.batch_lists)
    else:
        parts = search.expand(_load(order.source), order.target, order.batch_lists)
    ahead = next(parts, None)
    number = 0
    while ahead is not None:
        part, ahead = ahead, next(parts, None)
        yield number, ahead is None, part
        number += 1


def parts_of(order: RemakeOrder) -> Iterator[Streams]:
    """The parts within the span of a batch, of all expansions that it is made of."""
    first = (order.span.first_source, order.span.first_part)
    last = (order.span.last_source, order.span.last_part)
    for expansion in order.expansions:
        for number, _, part in expanded(expansion):
            if first <= (_number(expansion), number) <= last:
                yield part


def join(parts: Iterator[Streams], order: ExpandOrder | MergeOrder) -> Streams:
    """Neighbouring parts as one batch."""
    pieces = list(parts)
    if len(pieces) == 1:
        return pieces[0]
    lists = (rows for piece in pieces for rows in search.unpack(piece))
    joined = list(search.pack(lists, order.size, order.batch_lists))
    if len(joined) != 1:
        raise SetsetError(
            f"{len(pieces)} parts make {len(joined)} batches of size {order.size} instead of one"
        )
    return joined[0]


def _merge(order: MergeOrder) -> bytes:
    streams = join((_load(part) for part in order.parts), order)
    header, _ = files.load(Path(order.parts[0].path))
    return batch_format.encode(
        streams,
        order.target,
        order.batch_lists,
        order.span,
        search.first_and_last(streams),
        header.source_digest,
    )


def _expand(order: ExpandOrder) -> Iterator[NewBatch]:
    source = _number(order)
    for number, is_last, part in expanded(order):
        yield save_batch(_encode(order, Span(source, number, source, number, is_last), part), order.root)


def _encode(order: ExpandOrder, span: Span, streams: Streams) -> bytes:
    ends = search.first_and_last(streams)
    return batch_format.encode(streams, order.target, order.batch_lists, span, ends, _source_digest(order))


def _number(order: ExpandOrder) -> int:
    return 0 if order.source is None else order.source.number


def _finished_before(order: ExpandOrder) -> list[NewBatch] | None:
    """The complete output of this very order, if an earlier run was stopped before it could be recorded."""
    found: list[NewBatch] = []
    source = _number(order)
    folder = Path(order.root) / files.folder(order.target, order.size)
    while True:
        try:
            data = files.read(folder / files.name(Span(source, len(found), source, len(found), False)))
            header, _ = batch_format.verify(data)
        except BadBatch:
            return None
        fits = (header.target, header.size, header.batch_lists) == (
            order.target,
            order.size,
            order.batch_lists,
        )
        if not fits or header.source_digest != _source_digest(order):
            return None
        found.append(describe(data))
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


def _source_digest(order: ExpandOrder) -> bytes:
    return bytes(batch_format.DIGEST_BYTES) if order.source is None else bytes.fromhex(order.source.digest)
