"""Where a batch stands among all batches of its size. Loads nothing else, so that `status` starts quickly."""

from __future__ import annotations

from dataclasses import dataclass

Cards = tuple[int, ...]

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
