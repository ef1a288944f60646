"""A stored or counted size of an exploration as a sequence of its lists, and its batches."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from itertools import accumulate
from typing import TYPE_CHECKING

from setset.batches.records import Batch
from setset.database import batches, storage_roots
from setset.database.explorations import SizeKey, SizeRecord
from setset.database.tallies import Part
from setset.errors import BadInput, NotStored, SetsetError, require_between
from setset.tasks.kinds import BadSource
from setset.workspace.counts import describe
from setset.workspace.sequence import CHUNK, ListSequence

if TYPE_CHECKING:  # programs that read only counts load neither numpy nor numba
    import numpy as np
    import numpy.typing as npt

    from setset.export.stored import StoredSize
    from setset.statistics.collection import Piece


class Size(ListSequence):
    """The lists of one size, in lexicographic order. `exploration[9]` returns one.

    If the size is only counted (`stored` is False), reading derives its lists again from the source batches.

    `size[i]` is list number i, `size[i:j]` an array of lists. Iteration yields tuples; `arrays()` is faster.
    Attributes: `target`, `size`, `lists` and `bytes` (up to the first missing batch), `complete` (has all lists),
    `batch_lists` (maximum number of lists in a file), `pruned` (sizes below the target keep only lists that may reach
    the target). The attributes describe the size at the moment when it was opened. Reading gives the lists of that
    moment, or raises ChangedMeanwhile.

    Example:
        >>> import setset
        >>> with setset.open(example) as workspace:
        ...     four = workspace.exploration(18)[4]
        ...     print(four.lists, four[0], four[2:4].tolist())
        681201 (0, 1, 3, 4) [[0, 1, 3, 7], [0, 1, 3, 9]]
    """

    def __init__(self, at: SizeKey, counted: list[Part] | None = None) -> None:
        self._at, exploration, self.stored = at, at.exploration, counted is None
        self.kind = "stored" if self.stored else "counted"
        self.target, self.size, self.pruned = exploration.target, at.size, exploration.pruned
        with at.database.transaction():
            self.complete, self.batch_lists = True, 0
            if isinstance(at, SizeRecord):
                self.complete, self.batch_lists = at.is_complete(), at.batch_lists
            self._parts = counted or [Part(batch, batch.lists) for batch in batches.numbered(at)]
        self._ends = list(accumulate(part.lists for part in self._parts))
        """For each part, the total number of lists up to the end of the part."""
        self.lists = self._ends[-1] if self._ends else 0
        self.bytes = sum(part.batch.bytes for part in self._parts) if self.stored else 0

    def __repr__(self) -> str:
        state = "complete" if self.complete else "incomplete"
        return f"<setset.Size {self.size} of target {self.target}: {self.lists:,} lists, {state}>"

    @property
    def batches(self) -> list[Batch]:
        """The batch files, in the order of their lists. Empty for a size that is only counted."""
        return batches.read(self._at) if self.stored else []

    def arrays(self, start: int = 0, chunk: int = CHUNK, batch: int | None = None) -> Iterator[npt.NDArray[np.uint8]]:
        """Yields uint8 arrays of up to `chunk` lists, from number `start` on. The caller may change the arrays.

        Reads only files with lists in the range. With `batch`, reads only that batch, and `start` is a number in it.

        Raises:
            BadInput: There is no such list or batch.
            SetsetError: A file is damaged; `setset repair` rebuilds it.
        """
        if batch is not None:
            require_between("chunk", chunk, 1)
            if not self.stored:
                raise BadInput(f"size {self.size} is counted, and has no batches: leave out --batch")
            only = batches.get(self._at, batch)
            if not 0 <= start < only.lists:
                raise BadInput(f"there is no list {start:,} in {only}: its {only.lists:,} lists are numbered from 0")
            return self._read([Part(only, only.lists)], start, only.lists - start, chunk)
        if not self.lists:
            command = f"setset run {self.size} {self._at.exploration.options}"
            raise NotStored(f"no lists of size {self.size} are stored yet: run '{command}' first")
        return super().arrays(start, chunk)

    def _range(self, start: int, count: int, chunk: int = CHUNK) -> Iterator[npt.NDArray[np.uint8]]:
        """Yields `count` lists from number `start` on. Reads only the files that are needed."""
        first, last = bisect_right(self._ends, start), bisect_right(self._ends, start + count - 1)
        skip = start - (self._ends[first] - self._parts[first].lists)
        return self._read(self._parts[first : last + 1], skip, count, min(count, chunk))

    def _read(self, parts: list[Part], skip: int, count: int, chunk: int) -> Iterator[npt.NDArray[np.uint8]]:
        """Yields `count` lists of these parts, after skipping the first `skip` lists."""
        from setset.batches.format import BadBatch
        from setset.engine.search import BadStreams
        from setset.tasks.worker import read_lists

        for part in parts:
            left = part.lists - skip
            try:
                for rows in read_lists(
                    batches.source_of(part.batch), self.target, self.size, skip, chunk, part.entries
                ):
                    yield rows[:count].copy()
                    count, left = count - len(rows), left - len(rows)
                    if count <= 0:
                        return
                if left:
                    raise BadBatch(f"read {part.lists - left:,} lists, expected {part.lists:,}")
            except (BadBatch, BadSource, BadStreams) as error:
                storage_roots.require_present(self._at.database, part.batch.root_id)
                batches.require_unchanged(part.batch, self._at.exploration.at(part.batch.size))
                reason = error.reason if isinstance(error, BadSource) else error
                raise SetsetError(f"{part.batch}: {reason}; run 'setset repair'") from error
            skip = 0

    def _pieces(self) -> Iterator[Piece]:
        from setset.statistics.collection import stored_pieces

        for part in self._parts:
            source = batches.source_of(part.batch)
            yield from stored_pieces(source, self.target, self.size, part.lists, part.entries)

    def _stored(self) -> StoredSize:
        from setset.export.stored import StoredSize

        rule = describe(self.target, self.size, self.pruned)
        run = "" if self.complete else f"setset run --size {self.size} {self._at.exploration.options}"
        parts = tuple((part.lists, batches.source_of(part.batch)) for part in self._parts)
        return StoredSize(self.target, self.size, self.lists, rule, run, parts, self._range)
