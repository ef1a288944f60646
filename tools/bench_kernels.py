"""Expands everything up to a size on one core and keeps nothing: what a run takes in kernels alone."""

from __future__ import annotations

import sys

from setset.engine import search
from setset.engine.bitstreams import Streams

TARGET = 12
BATCH_LISTS = 16_000_000


def root() -> Streams:
    """The batch of all seeds."""
    return next(search.pack([search.seeds(TARGET)], 3, 10**6, search.needed(TARGET, 3)))


def lists_below(batch: Streams, size: int) -> int:
    """How many lists of a size the expansions of a batch come to."""
    if batch.size == size:
        return batch.lists
    return sum(lists_below(part, size) for part in search.expand(batch, TARGET, BATCH_LISTS))


if __name__ == "__main__":
    print(lists_below(root(), int(sys.argv[1])))
