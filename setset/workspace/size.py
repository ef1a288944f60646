"""A stored size of an exploration, as a sequence of its lists; its batches."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, overload

from setset.cards import Cards
from setset.database import Database, batches, explorations, roots
from setset.database.batches import StoredBatch
from setset.database.explorations import ExplorationKey
from setset.errors import BadInput, SetsetError, require_between
from setset.export.formats import ROW_GROUP_SIZE
from setset.lazy import Shown

if TYPE_CHECKING:  # whoever asks only for counts loads neither numpy nor numba
    import numpy as np
    import numpy.typing as npt
    import pyarrow

    from setset.export.lists import Exported
    from setset.jobs.signals import StopRequest
    from setset.progress import ProgressListener
    from setset.tasks.kinds import Source

CHUNK = 100_000


@dataclass(frozen=True)
class Batch:
    """A batch file: `number` is its place among those of its size, None if something before it is missing.

    Example:
        >>> (batch,) = setset.open(example).exploration(18)[3].batches
        >>> batch.number, batch.lists, batch.first
        (0, 45189, (0, 1, 3))
    """

    target: int
    size: int
    number: int | None
    lists: int
    bytes: int
    first: Cards
    last: Cards
    path: str
    digest: str
    defect: str | None


class Size(Shown):
    """The lists of one size, in lexicographic order. `exploration[9]` gives one.

    `size[i]` is list number i, `size[i:j]` an array of lists, iteration gives tuples, `arrays()` the fast way.

    Example:
        >>> import setset
        >>> with setset.open(example) as workspace:
        ...     four = workspace.exploration(18)[4]
        ...     print(four.lists, four[0], four[2:4].tolist())
        681201 (0, 1, 3, 4) [[0, 1, 3, 7], [0, 1, 3, 9]]
    """

    def __init__(self, database: Database, exploration: ExplorationKey, size: int) -> None:
        self._database, self._exploration = database, exploration
        record = explorations.get_size(database, exploration, size)
        self.target, self.size = exploration.target, size
        self.pruned = exploration.pruned
        """Whether, below the target, only lists that may reach it are kept."""
        self.complete = record.complete
        """Whether all lists of this size are stored."""
        self.batch_lists = record.batch_lists
        """The most lists in a file."""
        self.lists, self.bytes = batches.totals(database, exploration, size)

    def __repr__(self) -> str:
        state = "complete" if self.complete else "incomplete"
        return f"<setset.Size {self.size} of target {self.target}: {self.lists:,} lists, {state}>"

    def __len__(self) -> int:
        return self.lists

    @property
    def batches(self) -> list[Batch]:
        """The batch files, in the order of their lists."""
        return [self._public(batch) for batch in self._in_order()]

    def _in_order(self) -> Iterator[StoredBatch]:
        return batches.in_order(self._database, self._exploration, self.size)

    def _numbered(self) -> Iterator[tuple[StoredBatch, Source]]:
        """The batches without a gap before them, also as what workers read."""
        for batch in batches.numbered_from(self._database, self._exploration, self.size, 0):
            yield batch, batches.source_of(self._database, batch)

    def _public(self, batch: StoredBatch) -> Batch:
        path = str(batches.path_of(self._database, batch))
        values = (batch.lists, batch.bytes, batch.first, batch.last, path, batch.digest, batch.defect)
        return Batch(batch.target, batch.size, batch.number, *values)

    def arrays(
        self, start: int = 0, chunk: int = CHUNK, batch: int | None = None
    ) -> Iterator[npt.NDArray[np.uint8]]:
        """The lists from number `start` on, in arrays of up to `chunk` rows, each array the caller's own.

        Args:
            start: The number of the first list, from 0.
            chunk: The most rows of an array.
            batch: Only the lists of this batch; then `start` counts within it.

        Returns:
            An iterator of uint8 arrays of shape (rows, size). Only files with lists in the range are read.

        Raises:
            BadInput: There is no such list or batch.
            SetsetError: A file is damaged; `setset repair` rebuilds it.
        """
        require_between("chunk", chunk, 1)
        if batch is not None:
            only = batches.get(self._database, self._exploration, self.size, batch)
            if not 0 <= start < only.lists:
                raise BadInput(
                    f"there is no list {start:,} in {only}: it has {only.lists:,}, numbered from 0"
                )
            return self._read([only], start, chunk)
        require_between("start", start, 0)
        first, skip = batches.find_list(self._database, self._exploration, self.size, start)
        numbered = batches.numbered_from(self._database, self._exploration, self.size, first.number or 0)
        return self._read(numbered, skip, chunk)

    def _read(
        self, found: Iterator[StoredBatch] | list[StoredBatch], skip: int, chunk: int
    ) -> Iterator[npt.NDArray[np.uint8]]:
        from setset.batches import files
        from setset.batches.format import BadBatch
        from setset.engine import search

        for batch in found:
            try:
                _, streams = files.load(batches.path_of(self._database, batch), batch.digest)
                for rows in search.unpack(streams, skip, chunk):
                    yield rows.copy()
            except (BadBatch, search.BadStreams) as error:
                roots.require_there(self._database, batch.root_id)
                raise SetsetError(f"{batch}: {error}; run 'setset repair'") from error
            skip = 0

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

        A folder is filled by worker processes. Stopped at any moment, by Ctrl-C or by a power cut, it goes on where
        it was when it is called again, and ends with the same bytes; files that are there and were made from the
        batches as they are recorded now are left alone.

        Args:
            output: A folder; or a file, if the name ends with a format or if there is a range; or an open binary file.
            format: parquet, npy, csv or jsonl; what the name ends with if None.
            as_: cards (0 to 80), vectors (four digits 0 to 2 a card) or names.
            start: The number of the first list, from 0.
            limit: So many lists; all if None.
            row_group_size: Rows in a row group of Parquet.
            partial: Export what there is of an incomplete size.
            overwrite: Replace files that are in the way.
            dry_run: Say how many files and bytes that would be, and write nothing.
            workers: Worker processes; all cores if None.
            progress: Is told how it goes.
            stop: Ends the export when it is set.

        Raises:
            BadInput: An argument cannot be taken, something is in the way, or the size is incomplete.
            MissingExtra: Parquet needs `setset[export]`.
            NoSpace: The disk is too small, which is noticed before anything is written, or full.
            Locked: Another export to the same place is under way.
        """
        from setset.workspace.export import ListsRequest, export_lists

        place = Path(output) if isinstance(output, str) else output
        request = ListsRequest(
            place, format, as_, start, limit, row_group_size, partial, overwrite, dry_run, workers
        )
        return export_lists(self, request, progress, stop)

    def to_arrow(
        self, *, as_: str = "cards", start: int = 0, limit: int | None = None, rows: int = ROW_GROUP_SIZE
    ) -> pyarrow.RecordBatchReader:
        """The lists as Arrow record batches of up to `rows`, one after the other, in flat memory.

        DuckDB, polars and pyarrow take the reader as it is. Needs `setset[export]`.

        Example:
            >>> reader = setset.open(example).exploration(18)[4].to_arrow()
            >>> reader.schema.names, sum(batch.num_rows for batch in reader)
            (['c1', 'c2', 'c3', 'c4'], 681201)
        """
        from setset.workspace.export import arrow_reader

        return arrow_reader(self, as_, start, limit, rows)

    def __iter__(self) -> Iterator[Cards]:
        if self.lists:
            for rows in self.arrays():
                yield from map(tuple, rows.tolist())

    @overload
    def __getitem__(self, place: int) -> Cards: ...

    @overload
    def __getitem__(self, place: slice) -> npt.NDArray[np.uint8]: ...

    def __getitem__(self, place: int | slice) -> Cards | npt.NDArray[np.uint8]:
        if isinstance(place, slice):
            return self._slice(place)
        number = place + self.lists if place < 0 else place
        if not 0 <= number < self.lists:
            raise IndexError(f"there is no list {place:,} of size {self.size}: {self.lists:,} are stored")
        return tuple(next(self.arrays(number, 1))[0].tolist())

    def _slice(self, place: slice) -> npt.NDArray[np.uint8]:
        import numpy as np

        start, stop, step = place.indices(self.lists)
        if step < 1:
            raise BadInput("lists are read forwards: the step of a slice must be 1 or more")
        parts = []
        left = stop - start
        if left > 0:
            for rows in self.arrays(start, min(left, CHUNK)):
                parts.append(rows[:left])
                left -= len(rows)
                if left <= 0:
                    break
        whole = np.concatenate([np.zeros((0, self.size), np.uint8), *parts])
        return whole[::step]
