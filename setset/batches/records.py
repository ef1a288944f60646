"""What is known of a batch file. Loads nothing else, so that `status` starts quickly."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import xxhash

from setset.cards import Cards

SUFFIX = ".setset"
"""How the name of a batch file ends."""
BATCH_FILES = f"[tp]??/s??/*{SUFFIX}"
"""Where batch files are below a storage root, as a pattern."""


@dataclass(frozen=True)
class Span:
    """Which stretch of all expansions of a size a batch holds.

    From part `first_part` of what source batch number `first_source` became, to part `last_part` of what
    `last_source` became, which is that source's last part if `ends_source`. Only compacting makes batches
    of more than one part.
    """

    first_source: int
    first_part: int
    last_source: int
    last_part: int
    ends_source: bool

    @property
    def start(self) -> tuple[int, int]:
        """The source and part that it starts with."""
        return self.first_source, self.first_part

    @property
    def end(self) -> tuple[int, int]:
        """The source and part that comes next."""
        return (self.last_source + 1, 0) if self.ends_source else (self.last_source, self.last_part + 1)

    def sources(self, most: int) -> range:
        """Its source batches, which may be any numbers if it is not proven: at most `most` after the first one."""
        return range(self.first_source, min(self.last_source, self.first_source + most) + 1)

    @property
    def is_merged(self) -> bool:
        """Whether it is more than one part."""
        return (self.first_source, self.first_part) != (self.last_source, self.last_part)


@dataclass(frozen=True)
class BatchFile:
    """A batch file that was written and verified; its path is relative to the storage root."""

    span: Span
    lists: int
    first: Cards
    last: Cards
    path: str
    bytes: int
    digest: str
    source_digest: str
    """What `combine_digests` makes of the digests of its sources: it shows from which files it was made."""

    @property
    def content(self) -> tuple[Span, int, Cards, Cards, str]:
        """What a rebuilt file must have in common with the one that was lost."""
        return self.span, self.lists, self.first, self.last, self.source_digest


NO_SOURCE = "0" * 32
"""The digest of the source that the seeds do not have."""


def combine_digests(digests: Sequence[str]) -> str:
    """One digest for the sources of a batch: that of its source, or one over those of all sources of a merged batch."""
    if len(digests) == 1:
        return digests[0]
    return xxhash.xxh3_128_hexdigest("".join(digests).encode())
