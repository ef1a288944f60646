"""How many lists there are, what is counted, and whether that is right."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from setset.database import Database, views
from setset.lazy import Shown

REFERENCE_BY_TARGET = {
    (12, 3): 58_896,
    (12, 4): 1_004_589,
    (12, 5): 13_394_538,
    (12, 6): 141_370_218,
    (12, 7): 1_180_345_041,
    (12, 8): 7_920_450_378,
    (12, 9): 43_126_538_805,
}
"""Lists kept for a target at sizes below it, from independent programs."""

REFERENCE = {
    12: 2_284_535_476_080,
    15: 2_970_003_246_912,
    18: 6_482_268_000,
    20: 682_344,
}
"""All lists of a size: what every exploration keeps from its target on (Knuth, SETSET-ALL)."""


class CountVerdict(enum.StrEnum):
    """What is known of a count."""

    OK = "OK"
    """Complete, and the same as the reference and the class sum, as far as there are any."""
    WRONG = "WRONG"
    """Complete, but another one than the reference, the class sum or the decoded files."""
    COMPLETE = "complete"
    """Complete, with nothing to compare it with."""
    INCOMPLETE = "incomplete"


@dataclass(frozen=True)
class Count(Shown):
    """How many lists of a size are kept for a target.

    Example:
        >>> (count,) = setset.open(example).counts(size=3)
        >>> count.lists, count.verdict.value, count.counts
        (45189, 'complete', 'seeds for target 18')
    """

    target: int
    size: int
    lists: int
    complete: bool
    origin: str
    """stored, or counted from another size."""
    reference: int | None
    class_sum: int | None
    """The same by the catalogue, for sizes from the target on, if the size is in the catalogue."""
    counts: str
    """What is counted, in words."""
    agree: bool | None
    """Whether enumeration and classes come to the same; None if one of them is not complete."""
    verdict: CountVerdict
    decoded: int | None = None
    """The same by decoding every file, if that was asked for."""
    pruned: bool = False
    """Whether, below the target, only lists that may reach it are kept."""


class Counts(list[Count], Shown):
    """A list of counts, which notebooks show as a table."""


def read_counts(
    database: Database,
    size: int | None = None,
    decoded: dict[tuple[int, int], int] | None = None,
    target: int | None = None,
) -> Counts:
    """The counts of all targets and sizes, or of one; compared with what decoding found, if given."""
    sums = views.class_sums(database)
    found = Counts()
    for row in views.counts(database):
        if size not in (None, row.size) or target not in (None, row.target):
            continue
        by_classes = sums.get(row.size) if row.size >= row.target else None
        by_decoding = (decoded or {}).get((row.target, row.size))
        by_others = reference(row.target, row.size, row.pruned)
        others = {by_others, by_classes, by_decoding} - {None}
        found.append(
            Count(
                row.target,
                row.size,
                row.lists,
                row.complete,
                row.origin,
                by_others,
                by_classes,
                describe(row.target, row.size, row.pruned),
                row.lists == by_classes if row.complete and by_classes is not None else None,
                _verdict(row.lists, row.complete, others),
                by_decoding,
                row.pruned,
            )
        )
    return found


def reference(target: int, size: int, pruned: bool = False) -> int | None:
    """What others have found. They did not prune, except that seeds are not touched by it."""
    if size >= target:
        return REFERENCE.get(size)
    return None if pruned and size > 3 else REFERENCE_BY_TARGET.get((target, size))


def describe(target: int, size: int, pruned: bool = False) -> str:
    """What is counted, in words."""
    if size >= target:
        return f"all lists of {size} cards"
    if size == 3:
        return f"seeds for target {target}"
    if pruned:
        return f"pruned: lists of {size} that may reach {target}"
    return f"lists of {size} with {target - size} or more cards remaining"


def _verdict(lists: int, complete: bool, others: set[int | None]) -> CountVerdict:
    if not complete:
        return CountVerdict.INCOMPLETE
    if not others:
        return CountVerdict.COMPLETE
    return CountVerdict.OK if others == {lists} else CountVerdict.WRONG
