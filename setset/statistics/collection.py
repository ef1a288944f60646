"""Collects the statistics of a size. Each worker process makes histograms of pieces (consecutive lists), and this
process adds up the histograms."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from setset.errors import SetsetError
from setset.executors.local import LocalExecutor
from setset.executors.window import submit_ahead
from setset.platform import usable_cores
from setset.progress import Activity, ProgressListener
from setset.statistics.histograms import By, Tally
from setset.tasks.kinds import BadSource, Source

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

PIECE = 50_000_000
"""Approximate number of lists per piece: one or two seconds of work."""
BLOCK = 100_000
"""Number of lists that a worker has in memory at a time."""
STOPPED = "interrupted; nothing was written"


@dataclass(frozen=True)
class StoredPiece:
    """A piece of work for a worker: consecutive lists. They are in a batch, or derived from the smaller lists in a
    batch."""

    source: Source
    target: int
    size: int
    start: int
    lists: int
    entries: tuple[int, ...] = ()
    """Number of lists derived from each stretch of consecutive lists in the batch. Empty if these numbers are unknown,
    or if no lists are derived."""

    def read(self) -> Iterator[npt.NDArray[np.uint8]]:
        """Yields arrays with a list per row, from the first list of the piece to the end of the batch."""
        from setset.engine.search import BadStreams
        from setset.tasks.worker import read_lists

        try:
            yield from read_lists(self.source, self.target, self.size, self.start, BLOCK, self.entries)
        except BadStreams as error:
            raise BadSource(self.source.size, self.source.number, str(error)) from error


@dataclass(frozen=True)
class ClassPiece:
    """A piece of work for a worker: consecutive lists of a class."""

    size: int
    number: int
    start: int
    lists: int

    def read(self) -> Iterator[npt.NDArray[np.uint8]]:
        """Yields arrays with a list per row, from the first list of the piece to the end of the class."""
        from setset.symmetry.catalogue import catalogue_in_memory
        from setset.symmetry.ranking import member_arrays

        return member_arrays(catalogue_in_memory().get(self.size, self.number), self.start, BLOCK)


Piece = StoredPiece | ClassPiece


def stored_pieces(source: Source, target: int, size: int, lists: int, entries: Sequence[int]) -> Iterator[StoredPiece]:
    """Cuts the lists of a source batch, or the lists derived from it, into pieces of about `PIECE` lists. Cuts only
    between stretches (see `StoredPiece.entries`), so that no list is derived twice."""
    start = before = 0
    for entry in entries or (lists,):
        before += entry
        if before - start >= PIECE:
            yield StoredPiece(source, target, size, start, before - start, tuple(entries))
            start = before
    if start < lists:
        yield StoredPiece(source, target, size, start, lists - start, tuple(entries))


def class_pieces(size: int, number: int, lists: int) -> Iterator[ClassPiece]:
    """Cuts the lists of a class into pieces."""
    for start in range(0, lists, PIECE):
        yield ClassPiece(size, number, start, min(PIECE, lists - start))


def tally_piece(piece: Piece, by: tuple[By, ...]) -> Tally:
    """Makes the partial histograms of a piece, for the properties `by`. Runs in a worker."""
    tally = Tally(piece.size, by)
    for rows in piece.read():
        tally.add_rows(rows[: piece.lists - tally.lists])
        if tally.lists == piece.lists:
            break
    return tally


def collect(
    pieces: Sequence[Piece],
    by: tuple[By, ...],
    workers: int | None,
    progress: ProgressListener,
    check_stop: Callable[[str], None],
    explain: Callable[[int, str], SetsetError],
) -> Tally:
    """Counts the lists of all pieces of a size in worker processes, and adds up the results.

    Args:
        pieces: At least one, in the order of their lists.
        explain: Function that makes the error for an unreadable list, from the index of the list and the reason.
    """
    size = pieces[0].size
    total = Tally(size, by)
    executor = LocalExecutor(min(workers or usable_cores(), len(pieces)), progress.notice)
    progress.begin(size, Activity.STATISTICS, len(pieces), sum(piece.lists for piece in pieces))
    try:
        for piece, future in submit_ahead(pieces, lambda piece: executor.submit(tally_piece, piece, by)):
            try:
                tally = future.result()
            except BadSource as error:
                raise explain(total.lists, str(error)) from error
            if tally.lists != piece.lists:
                raise explain(total.lists, f"read {tally.lists:,} lists, expected {piece.lists:,}")
            total.add(tally)
            progress.advance(size, tally.lists, tally.lists)
            check_stop(STOPPED)
    finally:
        executor.shutdown(wait=False, cancel_futures=True)
        progress.end(size)
    return total
