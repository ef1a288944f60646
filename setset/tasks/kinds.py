"""Kinds of tasks, and their results: frozen, picklable, small."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from setset.batches.ownership import Token
from setset.batches.records import BatchFile, Span
from setset.errors import SetsetError

SEED_SOURCE_SIZE = 2
"""Source size that the database records for the seeds (lists of 3 cards). The source is batch 0, which has no file."""


@dataclass(frozen=True)
class Source:
    """A source batch: the path and digest by which a worker reads it."""

    size: int
    number: int
    path: str
    digest: str


@dataclass(frozen=True)
class Destination:
    """The storage root that a task writes to, and the token that the root must have."""

    root: str
    owner: Token


@dataclass(frozen=True)
class ExpandTask:
    """Make the batches of `target` and `size` from a source; if the source is None, make the seeds."""

    target: int
    size: int
    batch_lists: int
    source: Source | None
    destination: Destination
    recorded: tuple[BatchFile, ...] = ()
    """Files that the database records for this expansion. The task must make the same lists again."""
    reuse: bool = True
    """Adopt files that an earlier run finished. If False, derive every list again."""
    pruned: bool = False
    """Keep only lists that may reach the target."""

    @property
    def source_number(self) -> int:
        return 0 if self.source is None else self.source.number

    @property
    def sources(self) -> tuple[Source, ...]:
        return () if self.source is None else (self.source,)

    def relocated(self, locate: Callable[[str], str]) -> ExpandTask:
        """The same task with every path replaced."""
        source = self.source and replace(self.source, path=locate(self.source.path))
        destination = replace(self.destination, root=locate(self.destination.root))
        return replace(self, source=source, destination=destination)


@dataclass(frozen=True)
class CountTask:
    """Count the lists that extend lists of the source: one count per size, up to `size`."""

    target: int
    size: int
    source: Source
    pruned: bool = False
    only_last: bool = False
    """Count only the lists of `size` cards. Gives a subtotal for each stretch of consecutive source lists."""

    @property
    def sources(self) -> tuple[Source, ...]:
        return (self.source,)

    def relocated(self, locate: Callable[[str], str]) -> CountTask:
        """The same task with every path replaced."""
        return replace(self, source=replace(self.source, path=locate(self.source.path)))


@dataclass(frozen=True)
class CompareTask:
    """Compare batch files with the expansions of their sources. Writes nothing."""

    expansions: tuple[ExpandTask, ...]
    batches: tuple[BatchFile, ...]
    """Batch files to compare, as recorded in the database."""
    root: str
    """Storage root of the batch files."""


@dataclass(frozen=True)
class MergeTask:
    """Merge neighbouring batches into one."""

    target: int
    size: int
    batch_lists: int
    span: Span
    sources: tuple[Source, ...]
    source_digest: str
    """Combined digest of the source batches that the merged batches were made from."""
    destination: Destination
    pruned: bool = False


Task = ExpandTask | CountTask
"""Kinds of tasks in the queue. Executors may send them to other machines."""


@dataclass(frozen=True)
class TaskResult:
    """Result of a task: the batches written, or the counts by size."""

    host: str
    pid: int
    started_at: str
    """UTC time by the clock of the worker's host."""
    seconds: float
    batches: tuple[BatchFile, ...] = ()
    counts: tuple[tuple[int, int], ...] = ()
    entries: tuple[tuple[int, tuple[int, ...]], ...] = ()
    """Subtotals by counted size. Each subtotal is the number of lists derived from a stretch of consecutive source
    lists."""

    @property
    def lists(self) -> int:
        return sum(batch.lists for batch in self.batches)

    @property
    def bytes(self) -> int:
        return sum(batch.bytes for batch in self.batches)


class BadSource(SetsetError):
    """The source batch of a task differs from its record."""

    def __init__(self, size: int, number: int, reason: str) -> None:
        super().__init__(size, number, reason)
        self.size, self.number, self.reason = size, number, reason

    def __str__(self) -> str:
        return f"batch {self.number} of size {self.size}: {self.reason}"


class OtherLists(SetsetError):
    """A repeated expansion gave other lists than recorded. No file was replaced."""

    def __init__(self, size: int, path: str, recorded: str, derived: str) -> None:
        super().__init__(size, path, recorded, derived)
        self.size, self.path, self.recorded, self.derived = size, path, recorded, derived

    def __str__(self) -> str:
        return (
            f"{self.path}: its source gives other lists (digest {self.derived}) than the database records (digest "
            f"{self.recorded}), and nothing was replaced; 'setset check --deep --size {self.size}' derives all files "
            "again, 'setset repair --deep' accepts what the sources give"
        )
