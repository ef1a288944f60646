"""What is known of a batch file. Loads nothing else, so that `status` starts quickly."""

from __future__ import annotations

from dataclasses import dataclass

from setset.cards import Cards

SUFFIX = ".setset"
"""How the name of a batch file ends."""


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
