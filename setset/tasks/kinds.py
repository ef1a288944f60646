"""What crosses between rooms and processes: frozen, picklable, no ORM object among them."""

from __future__ import annotations

from dataclasses import dataclass

from setset.batches.spans import Cards, Span
from setset.errors import SetsetError

SEED_SOURCE_SIZE = 2
"""The seeds count as the expansion of source batch 0 of this size, which has no file."""


@dataclass(frozen=True)
class StoredBatch:
    """A row of the table of batches."""

    id: int
    target: int
    size: int
    number: int | None
    span: Span
    lists: int
    first: Cards
    last: Cards
    root_id: int
    path: str
    bytes: int
    digest: str
    defect: str | None

    def __str__(self) -> str:
        name = (
            f"source {self.span.first_source} part {self.span.first_part}"
            if self.number is None
            else self.number
        )
        return f"batch {name} of size {self.size}"


@dataclass(frozen=True)
class NewBatch:
    """A batch file that a worker has written and verified; its path is relative to the storage root."""

    span: Span
    lists: int
    first: Cards
    last: Cards
    path: str
    bytes: int
    digest: str


@dataclass(frozen=True)
class Source:
    """A source batch as a worker needs it."""

    size: int
    number: int
    path: str
    digest: str


@dataclass(frozen=True)
class ExpandOrder:
    """Make the batches of `target` and `size` from a source (None: the seeds), below the folder `root`."""

    target: int
    size: int
    batch_lists: int
    source: Source | None
    root: str


@dataclass(frozen=True)
class CountOrder:
    """Count the lists of all sizes above the source's and up to `size`."""

    target: int
    size: int
    source: Source


@dataclass(frozen=True)
class RemakeOrder:
    """Make one batch again, from the expansions that it is made of."""

    span: Span
    expansions: tuple[ExpandOrder, ...]


@dataclass(frozen=True)
class MergeOrder:
    """Make one batch of neighbouring ones."""

    target: int
    size: int
    batch_lists: int
    span: Span
    parts: tuple[Source, ...]
    root: str


Order = ExpandOrder | CountOrder | RemakeOrder | MergeOrder


@dataclass(frozen=True)
class Report:
    """What came of an order: the batches written, or the counts by size."""

    host: str
    pid: int
    seconds: float
    batches: tuple[NewBatch, ...] = ()
    counts: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True)
class Job:
    """An expansion that is due, and the order that carries it out."""

    expansion_id: int
    lists_in: int
    attempts: int
    order: ExpandOrder | CountOrder

    def __str__(self) -> str:
        source = self.order.source
        if source is None:
            return "the seeds"
        return f"the expansion of batch {source.number} of size {source.size}"


class BadSource(SetsetError):
    """The source batch of an order is not what the database vouches for."""

    def __init__(self, size: int, number: int, reason: str) -> None:
        super().__init__(size, number, reason)
        self.size, self.number, self.reason = size, number, reason

    def __str__(self) -> str:
        return f"batch {self.number} of size {self.size}: {self.reason}"
