"""Counts of lists, and their comparison with references (counts by other programs), classes and files."""

import enum
from dataclasses import dataclass, replace

from setset.database import Database, views
from setset.lazy import Shown
from setset.workspace.known import ALL_LISTS, reference


class CountVerdict(enum.StrEnum):
    """Result of the comparison of a count."""

    OK = "OK"
    """The count is complete, and equal to the reference, the class sum and the decoded files, where these exist."""
    WRONG = "WRONG"
    """The count is complete, but differs from the reference, the class sum or the decoded files."""
    COMPLETE = "complete"
    """The count is complete, but there is no number to compare it with."""
    INCOMPLETE = "incomplete"


@dataclass(frozen=True)
class Count(Shown):
    """Number of lists of a size that are kept for a target.

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
    """Origin of the count: stored, or counted from another size."""
    reference: int | None
    class_sum: int | None
    """Number of all lists of the size, summed over the classes in the workspace or else in the package. None for a
    size below the target."""
    counts: str
    """Description of the counted lists, such as "seeds for target 18"."""
    agree: bool | None
    """Whether `lists` equals `class_sum`. None if the count is incomplete or `class_sum` is None."""
    verdict: CountVerdict
    decoded: int | None = None
    """Number of lists in the decoded files; None without a recount."""
    pruned: bool = False
    """Whether sizes below the target keep only lists that may reach the target."""


class Counts(list[Count], Shown):
    """A list of counts, which notebooks show as a table."""


def read_counts(
    database: Database,
    size: int | None = None,
    decoded: dict[tuple[int, int], int] | None = None,
    target: int | None = None,
) -> Counts:
    """Counts of all targets and sizes, or only of `target` and `size`.

    `decoded` has the number of lists in the decoded files, by target and size.
    """
    counts = Counts()
    for row in views.counts(database):
        if size not in (None, row.size) or target not in (None, row.target):
            continue
        key = row.target, row.size
        reference_lists, decoded_lists = reference(*key, row.pruned), (decoded or {}).get(key)
        if row.class_sum is None and row.target <= row.size:
            row = replace(row, class_sum=ALL_LISTS.get(row.size))
        expected = {reference_lists, row.class_sum, decoded_lists} - {None}
        verdict = CountVerdict.COMPLETE if row.complete else CountVerdict.INCOMPLETE
        if row.complete and expected:
            verdict = CountVerdict.OK if expected == {row.lists} else CountVerdict.WRONG
        counts.append(
            Count(
                **vars(row),
                reference=reference_lists,
                counts=describe(*key, row.pruned),
                agree=row.lists == row.class_sum if row.complete and row.class_sum is not None else None,
                verdict=verdict,
                decoded=decoded_lists,
            )
        )
    return counts


def describe(target: int, size: int, pruned: bool = False) -> str:
    """Describes the lists that an exploration keeps of a size."""
    if size >= target:
        return f"all lists of {size} cards"
    if size == 3:
        return f"seeds for target {target}"
    if pruned:
        return f"pruned: lists of {size} that may reach {target}"
    return f"lists of {size} with {target - size} or more cards remaining"
