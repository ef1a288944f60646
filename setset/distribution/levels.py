"""Builds the classes of all hands, with and without sets, and computes the numbers of hands with k sets from them.

The classes of a size come from the classes of the size before by adding each card, exactly as for lists
(`symmetry/build.py`): fingerprints, canonical forms where a fingerprint is not enough, and a double count of the links
between classes. To compute the number N(k) of hands of n + m cards with k sets, the classes of n cards are enough.
Every hand of n + m cards is a hand of n cards and m more cards, in C(n + m, m) ways. So, with one hand H of each class,

    N(k) = sum over H of (hands in the class of H) * #{m cards that give H + m cards k sets} / C(n + m, m).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import comb

import numpy as np
import numpy.typing as npt

from setset.cards import CARDS
from setset.distribution.counts import LAST, HandCounts, trim
from setset.errors import BadInput, SetsetError
from setset.progress import NoProgress, ProgressListener
from setset.symmetry.build import extend_classes
from setset.symmetry.geometry import GROUP_ORDER, CardArray, cached_third_table

QUICK = 15
"""Default largest size of hands. Size 15 takes seconds, size 16 a minute, and size 17 five minutes."""
MORE = 3
"""Number of cards that the count adds to a hand at once. So classes of 12 cards are enough for hands of 15 cards."""


@dataclass(frozen=True)
class HandLevel:
    """All classes of hands of one size: a representative of each class, and the number of symmetries that keep it."""

    hands: CardArray
    stabilizers: npt.NDArray[np.int64]
    links: int
    """Number of links to the classes with one card less."""

    @property
    def size(self) -> int:
        return int(self.hands.shape[1])


def build_hand_levels(last: int) -> Iterator[HandLevel]:
    """Yields the classes of all hands of 0 to `last` cards, one `HandLevel` per size.

    Raises:
        SetsetError: a check of the counts fails.
    """
    level = HandLevel(np.zeros((1, 0), np.uint8), np.array([GROUP_ORDER]), 0)
    yield level
    while level.size < last:
        free = np.ones((len(level.hands), CARDS), np.bool_)
        np.put_along_axis(free, level.hands.astype(np.int64), False, axis=1)
        forms, stabilizers, links = extend_classes(level.hands, GROUP_ORDER // level.stabilizers, free)
        level = HandLevel(forms, stabilizers, len(links))
        if (GROUP_ORDER // stabilizers).sum() != comb(CARDS, level.size):
            raise SetsetError(f"the classes of hands of {level.size} cards do not add up")
        yield level


def count_by_sets(level: HandLevel, more: int) -> HandCounts:
    """Computes the numbers of hands with k sets, from the classes of smaller hands.

    Args:
        level: the classes of the smaller hands.
        more: number of cards to add to a smaller hand, at least 2.

    Raises:
        SetsetError: the numbers do not add up to all hands, because `level` lacks a class.
    """
    from setset.distribution.kernel import count_sets

    size = level.size + more
    orders, groups = np.unique(level.stabilizers, return_inverse=True)
    ways = np.zeros((len(orders), comb(size, 2) // 3 + size), np.int64)
    count_sets(level.hands, groups, more, cached_third_table(), ways)
    weights = [GROUP_ORDER // order for order in orders.tolist()]
    # Sums exceed 64 bits, so they are Python integers.
    flags = [sum(weight * count for weight, count in zip(weights, column, strict=True)) for column in ways.T.tolist()]
    counts = [divmod(flag, comb(more, 2) * comb(size, more)) for flag in flags]
    if any(rest for _, rest in counts) or sum(count for count, _ in counts) != comb(CARDS, size):
        raise SetsetError(f"the hands of {size} cards do not add up: classes of {level.size} cards are missing")
    return HandCounts(size, trim([count for count, _ in counts]))


def compute_hands(last: int = QUICK, progress: ProgressListener | None = None) -> list[HandCounts]:
    """Computes the numbers of hands of 0 to `last` cards with k sets, without the stored tables.

    Args:
        last: the largest number of cards, at most 17. 15 takes seconds, 17 takes minutes and 3 GB.
        progress: listener that gets a notice after each size.

    Returns:
        The result of `hands` for each size.

    Raises:
        BadInput: `last` is out of range.
        SetsetError: a check of the counts fails.

    >>> [table.most for table in compute_hands(7)]
    [0, 0, 0, 1, 1, 2, 3, 5]
    """
    if not 0 <= last <= LAST:
        raise BadInput(f"numbers of hands with k sets can be computed for 0 to {LAST} cards, not {last}")
    listener = progress or NoProgress()
    tables = [HandCounts(0, (1,)), HandCounts(1, (CARDS,)), HandCounts(2, (comb(CARDS, 2),))][: last + 1]
    for level in build_hand_levels(last - MORE) if last >= MORE else ():
        tables.append(count_by_sets(level, MORE))
        listener.notice(f"hands of {level.size} cards: {len(level.hands):,} classes, {level.links:,} links")
    return tables
