"""A stored or counted size of an exploration, as a sequence of its lists; its batches."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING

from setset.batches.records import Batch
from setset.database import batches, roots
from setset.database.connection import damaged
from setset.database.explorations import SizeKey, SizeRecord
from setset.database.tallies import Part
from setset.errors import BadInput, ChangedMeanwhile, NotStored, SetsetError, require_between
from setset.tasks.kinds import BadSource
from setset.workspace.counts import describe
from setset.workspace.sequence import CHUNK, ListSequence

if TYPE_CHECKING:  # whoever asks only for counts loads neither numpy nor numba
    import numpy as np
    import numpy.typing as npt

    from setset.export.stored import StoredSize
    from setset.statistics.collection import Piece


class Size(ListSequence):
    """The lists of one size, in lexicographic order. `exploration[9]` gives one.

    If the size is only counted, not `stored`, its lists are made again from the source that holds them.

    `size[i]` is list number i, `size[i:j]` an array of lists, iteration gives tuples, `arrays()` the fast way.
    Attributes: `target`, `size`, `lists` and `bytes` (those with no gap before them), `complete` (all lists are
    stored), `batch_lists` (most lists in a file), `pruned` (below the target, only lists that may reach it are kept).
    They are as of the moment when the size was opened. Reading gives these lists or raises ChangedMeanwhile.

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
        self._counted = counted or []
        if isinstance(at, SizeRecord):
            self.complete, self.batch_lists = at.is_complete(), at.batch_lists
            self.lists, self.bytes = batches.readable_totals(at)
        else:
            self.complete, self.batch_lists = True, 0
            self.lists, self.bytes = sum(part.lists for part in self._counted), 0

    def __repr__(self) -> str:
        state = "complete" if self.complete else "incomplete"
        return f"<setset.Size {self.size} of target {self.target}: {self.lists:,} lists, {state}>"

    @property
    def batches(self) -> list[Batch]:
        """The batch files, in the order of their lists; none of a size that is only counted."""
        return batches.read(self._at) if self.stored else []

    def arrays(self, start: int = 0, chunk: int = CHUNK, batch: int | None = None) -> Iterator[npt.NDArray[np.uint8]]:
        """The lists from number `start` on: uint8 arrays of up to `chunk` rows, each array the caller's own.

        Only files with lists in the range are read. With `batch` it reads that batch, and `start` counts within it.

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
                raise BadInput(f"there is no list {start:,} in {only}: it has {only.lists:,}, numbered from 0")
            return self._read([Part(only, only.lists)], start, only.lists - start, chunk)
        if not self.lists:
            command = f"setset run {self.size} {self._at.exploration.options}"
            raise NotStored(f"no lists of size {self.size} are stored yet: run '{command}' first")
        return super().arrays(start, chunk)

    def _range(self, start: int, count: int, chunk: int = CHUNK) -> Iterator[npt.NDArray[np.uint8]]:
        """`count` lists from number `start` on, read from no more files than needed."""
        found, ends = self._snapshot
        first, last = bisect_right(ends, start), bisect_right(ends, start + count - 1)
        skip = start - (ends[first] - found[first].lists)
        return self._read(found[first : last + 1], skip, count, min(count, chunk))

    @cached_property
    def _snapshot(self) -> tuple[list[Part], list[int]]:
        """The parts of the lists that the size had when it was opened, and after how many lists each ends."""
        found = self._counted or [Part(batch, batch.lists) for batch in batches.numbered(self._at)]
        ends = list(accumulate(part.lists for part in found))
        count = bisect_left(ends, self.lists) + 1 if self.lists else 0  # a run may have added some since
        if self.lists and ends[count - 1 : count] != [self.lists]:
            if self.stored and batches.readable_totals(self._at)[0] == self.lists:
                raise damaged(self._at.database.folder.database, f"batches of size {self.size} have no storage root")
            raise ChangedMeanwhile(self.size)
        return found[:count], ends[:count]

    def _read(self, found: list[Part], skip: int, count: int, chunk: int) -> Iterator[npt.NDArray[np.uint8]]:
        """`count` lists of some parts, without the first `skip`."""
        from setset.batches.format import BadBatch
        from setset.engine.search import BadStreams
        from setset.tasks.worker import read_lists

        for part in found:
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
                    raise BadBatch(f"it gives {part.lists - left:,} lists, not {part.lists:,}")
            except (BadBatch, BadSource, BadStreams) as error:
                roots.require_there(self._at.database, part.batch.root_id)
                batches.require_unchanged(part.batch, self._at.exploration.at(part.batch.size))
                reason = error.reason if isinstance(error, BadSource) else error
                raise SetsetError(f"{part.batch}: {reason}; run 'setset repair'") from error
            skip = 0

    def _pieces(self) -> Iterator[Piece]:
        from setset.statistics.collection import stored_pieces

        for part in self._snapshot[0]:
            source = batches.source_of(part.batch)
            yield from stored_pieces(source, self.target, self.size, part.lists, part.entries)

    def _stored(self) -> StoredSize:
        from setset.export.stored import StoredSize

        rule = describe(self.target, self.size, self.pruned)
        run = "" if self.complete else f"setset run --size {self.size} {self._at.exploration.options}"
        found = tuple((part.lists, batches.source_of(part.batch)) for part in self._snapshot[0])
        return StoredSize(self.target, self.size, self.lists, rule, run, found, self._range)
