"""Dataclasses for a batch: its sources, its file, and its row in the database. Imports little, so that `status` starts
quickly."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import NoReturn

import xxhash

from setset import platform
from setset.cards import Cards
from setset.errors import SetsetError

SUFFIX = ".setset"
"""Suffix of a batch file."""
BATCH_FILES = f"[tp]??/s??/*{SUFFIX}"
"""Glob pattern for the batch files below a storage root."""


@dataclass(frozen=True)
class Span:
    """Range of parts in a batch. A part is one of the consecutive files that a source batch expands to.

    The range is from part `first_part` of source batch `first_source` to part `last_part` of `last_source`, both
    inclusive. `ends_source` tells whether `last_source` has no further part. Only compacting makes batches of several
    parts.
    """

    first_source: int
    first_part: int
    last_source: int
    last_part: int
    ends_source: bool

    @property
    def start(self) -> tuple[int, int]:
        """Number of the first source and number of the first part."""
        return self.first_source, self.first_part

    @property
    def end(self) -> tuple[int, int]:
        """Source and part at which the next batch of the size must start."""
        return (self.last_source + 1, 0) if self.ends_source else (self.last_source, self.last_part + 1)

    def sources(self, most: int) -> range:
        """Numbers of the source batches. Ends after `most` + 1 numbers, since an unverified span may claim a huge
        range."""
        return range(self.first_source, min(self.last_source, self.first_source + most) + 1)

    @property
    def is_merged(self) -> bool:
        """Whether the batch has several parts."""
        return (self.first_source, self.first_part) != (self.last_source, self.last_part)


@dataclass(frozen=True)
class BatchFile:
    """A batch file that was written and verified."""

    span: Span
    lists: int
    first: Cards
    last: Cards
    name: str
    """Path of the file, relative to the storage root."""
    bytes: int
    digest: str
    source_digest: str
    """Digest of the source batches (see `combine_digests`). Empty if setset 0.1 wrote the database row."""

    @property
    def content(self) -> tuple[Span, int, Cards, Cards, str]:
        """Values that must stay the same when the file is made again: sources, number of lists, first and last list."""
        return self.span, self.lists, self.first, self.last, self.source_digest


@dataclass(frozen=True)
class Batch(BatchFile):
    """A batch as the database records it.

    Example:
        >>> (batch,) = setset.open(example).exploration(18)[3].batches
        >>> batch.number, batch.lists, batch.first
        (0, 45189, (0, 1, 3))
    """

    id: int
    target: int
    pruned: bool
    size: int
    number: int | None
    """Index among the batches of the size; None if an earlier batch is missing."""
    root_id: int
    root: str
    """Storage root of the file."""
    defect: str | None
    """Defect that `check` recorded for the file; None if none is known."""

    @property
    def path(self) -> str:
        """Path of the file."""
        return _refuse(self.name) if platform.leads_outside(self.name) else str(Path(self.root, self.name))

    @property
    def file(self) -> BatchFile:
        """The recorded file alone, without number, storage root and defect of the batch."""
        return BatchFile(*(getattr(self, field.name) for field in fields(BatchFile)))

    def __str__(self) -> str:
        return f"batch {self._source_and_part if self.number is None else self.number} of size {self.size}"

    @property
    def _source_and_part(self) -> str:
        return f"source {self.span.first_source} part {self.span.first_part}"


def _refuse(name: str) -> NoReturn:
    raise SetsetError(f"the database names a file outside its storage root: {name!r}: restore a copy of setset.db")


NO_SOURCE = "0" * 32
"""Source digest of the seed batch, which has no source."""


def combine_digests(digests: Sequence[str]) -> str:
    """Digest of the sources of a batch: the digest of a single source, or a digest of the digests of several."""
    return digests[0] if len(digests) == 1 else xxhash.xxh3_128_hexdigest("".join(digests).encode())
