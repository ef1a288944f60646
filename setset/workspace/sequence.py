"""Lists of one size as a sequence: the common interface of stored, counted and computed lists."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, overload

from setset.cards import Cards, Hand
from setset.errors import BadInput, SetsetError, require_between, require_whole
from setset.export.formats import ROW_GROUP_SIZE
from setset.lazy import Shown
from setset.progress import NoProgress
from setset.statistics.histograms import USUAL, Statistics, parse_by

if TYPE_CHECKING:  # programs that read only counts load neither numpy nor numba
    import numpy as np
    import numpy.typing as npt
    import pyarrow

    from setset.export.lists import Exported
    from setset.export.stored import StoredSize
    from setset.jobs.signals import StopRequest
    from setset.progress import ProgressListener
    from setset.statistics.collection import Piece

CHUNK = 100_000


class ListSequence(Shown, ABC):
    """Lists of one size, numbered from 0.

    `lists[i]` is list number i, `lists[i:j]` an array. Iteration yields tuples; `arrays()` is faster.
    """

    size: int
    lists: int
    """Number of lists."""
    kind: str
    """Origin of the lists: the word stored, counted or known."""

    @abstractmethod
    def _range(self, start: int, count: int, chunk: int = CHUNK) -> Iterator[npt.NDArray[np.uint8]]:
        """Yields `count` lists from number `start` on, in arrays of up to `chunk` rows."""

    @abstractmethod
    def _stored(self) -> StoredSize:
        """Description of the lists for `export` and `statistics`."""

    @abstractmethod
    def _pieces(self) -> Iterator[Piece]:
        """Yields all lists in pieces for the workers of `statistics`."""

    def __len__(self) -> int:
        return self.lists

    def arrays(self, start: int = 0, chunk: int = CHUNK) -> Iterator[npt.NDArray[np.uint8]]:
        """Yields uint8 arrays of up to `chunk` lists, from number `start` on. The caller may change the arrays.

        Raises:
            BadInput: There is no such list.
        """
        require_between("chunk", chunk, 1)
        require_between("start", start, 0)
        if start >= self.lists:
            raise BadInput(
                f"there is no list {start:,} of size {self.size}: {self.lists:,} are {self.kind}, numbered from 0"
            )
        return self._range(start, self.lists - start, chunk)

    def export(
        self,
        output: str | Path | BinaryIO,
        *,
        format: str | None = None,  # noqa: A002 (the word of the command line)
        as_: str = "cards",
        start: int = 0,
        limit: int | None = None,
        row_group_size: int = ROW_GROUP_SIZE,
        partial: bool = False,
        overwrite: bool = False,
        dry_run: bool = False,
        workers: int | None = None,
        progress: ProgressListener | None = None,
        stop: StopRequest | None = None,
    ) -> Exported:
        """Writes the lists for other programs: a file for each batch into a folder, or one file.

        Worker processes write the files of a folder. After a stop at any moment, the next call resumes, and the result
        has the same bytes. The next call keeps finished files whose batches are unchanged.

        Args:
            output: A folder, a file, or an open binary file. A path is a file if it has the suffix of a format, or if
                `start` or `limit` is given.
            format: parquet, npy, csv or jsonl; the suffix of the name decides if None.
            as_: cards (0 to 80), vectors (four digits 0 to 2 per card) or names.
            start: Number of the first list, from 0.
            limit: Maximum number of lists.
            row_group_size: Rows in a row group of Parquet.
            partial: Export the stored lists of an incomplete size.
            overwrite: Replace existing files.
            dry_run: Estimate the files and bytes, and write nothing.
            workers: Worker processes; all cores if None.
            progress: Listener that the export reports to.
            stop: Ends the export when another thread or a signal handler sets it.

        Raises:
            BadInput: An argument is out of range, a file exists already, or the size is incomplete.
            MissingExtra: Parquet needs `setset[export]`.
            NoSpace: The disk is full. The export checks the free space before it writes.
            Locked: Another export to the same output is under way.
        """
        from setset.export.lists import export_lists
        from setset.export.stored import ExportOptions

        to = Path(output) if isinstance(output, str) else output
        options = ExportOptions(to, format, as_, start, limit, row_group_size, partial, overwrite, dry_run, workers)
        check_stop = (lambda _: None) if stop is None else stop.raise_if_set
        return export_lists(self._stored(), options, progress, check_stop)

    def statistics(
        self,
        by: str | Iterable[str] = USUAL,
        *,
        workers: int | None = None,
        progress: ProgressListener | None = None,
        stop: StopRequest | None = None,
    ) -> Statistics:
        """Makes histograms over all lists, in worker processes. Writes nothing.

        Args:
            by: Any of remaining, lowest, highest, card, feature and class; all but class by default.
            workers: Worker processes; all cores if None.
            progress: Listener that gets the progress of the workers.
            stop: Ends the work when another thread or a signal handler sets it.

        Raises:
            BadInput: There is no such histogram, or the size is incomplete.
            SetsetError: A file is damaged; `setset repair` rebuilds it.
        """
        from setset.statistics.collection import collect

        chosen, stored, pieces = parse_by(by), self._stored(), list(self._pieces())
        if stored.run or not pieces:
            raise BadInput(f"size {self.size} is incomplete: '{stored.run}' completes it")
        check_stop = (lambda _: None) if stop is None else stop.raise_if_set
        tally = collect(pieces, chosen, workers, progress or NoProgress(), check_stop, self._explain)
        return Statistics(self.size, tally.lists, stored.rule, tuple(tally.bins()))

    def _explain(self, number: int, reason: str) -> SetsetError:
        """Returns the error to raise if a worker cannot read list `number`: a file is damaged or was changed."""
        try:
            next(self._range(number, 1))
        except SetsetError as error:
            return error
        return SetsetError(f"{reason}; run 'setset repair'")

    def to_arrow(
        self, *, as_: str = "cards", start: int = 0, limit: int | None = None, rows: int = ROW_GROUP_SIZE
    ) -> pyarrow.RecordBatchReader:
        """Returns a reader of Arrow record batches with up to `rows` lists each. Keeps one record batch in memory.

        DuckDB, polars and pyarrow accept the reader directly. Needs `setset[export]`.

        Example:
            >>> reader = setset.open(example).exploration(18)[4].to_arrow()
            >>> reader.schema.names, sum(batch.num_rows for batch in reader)
            (['c1', 'c2', 'c3', 'c4'], 681201)
        """
        from setset.export.lists import arrow_reader

        return arrow_reader(self._stored(), as_, start, limit, rows)

    def __iter__(self) -> Iterator[Cards]:
        if self.lists:
            for rows in self.arrays():
                yield from map(tuple, rows.tolist())

    @overload
    def __getitem__(self, index: int) -> Cards: ...

    @overload
    def __getitem__(self, index: slice) -> npt.NDArray[np.uint8]: ...

    def __getitem__(self, index: int | slice) -> Cards | npt.NDArray[np.uint8]:
        if isinstance(index, slice):
            return self._slice(index)
        require_whole("index", index)
        number = index + self.lists if index < 0 else index
        if not 0 <= number < self.lists:
            raise IndexError(f"there is no list {index:,} of size {self.size}: {self.lists:,} are {self.kind}")
        return Hand(next(self._range(number, 1))[0].tolist())

    def _slice(self, index: slice) -> npt.NDArray[np.uint8]:
        import numpy as np

        start, stop, step = index.indices(self.lists)
        if step < 1:
            raise BadInput("lists are read forwards: the step of a slice must be 1 or more")
        parts = list(self._range(start, stop - start)) if stop > start else []
        return np.concatenate([np.zeros((0, self.size), np.uint8), *parts])[::step]
