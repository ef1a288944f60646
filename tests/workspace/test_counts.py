"""Counts: by enumeration, by classes, by reference, by decoding; they agree, or it is said."""

from __future__ import annotations

from pathlib import Path

import pytest

from setset.workspace.counts import Count, CountVerdict, describe, read_counts
from setset.workspace.known import reference
from tests.small import change, reading


def counts(folder: Path, decoded: dict[tuple[int, int], int] | None = None) -> dict[int, Count]:
    with reading(folder) as database:
        return {count.size: count for count in read_counts(database, decoded=decoded)}


def test_enumeration_and_classes_agree(counted: Path, counted_and_classified: Path) -> None:
    unclassified = counts(counted)
    # Without classes in the workspace, sizes from the target on are compared with the totals in the package.
    by_package = [(unclassified[size].class_sum, unclassified[size].agree) for size in (3, 4, 5)]
    assert by_package == [(None, None), (1_579_500, True), (22_441_536, True)]
    assert [unclassified[size].verdict for size in (3, 4)] == [CountVerdict.COMPLETE, CountVerdict.OK]
    by_size = counts(counted_and_classified)
    assert (by_size[3].class_sum, by_size[3].agree) == (None, None)  # seeds are not all lists of 3 cards
    assert (by_size[4].lists, by_size[4].class_sum, by_size[4].agree) == (1_579_500, 1_579_500, True)
    assert (by_size[5].lists, by_size[5].class_sum, by_size[5].agree) == (22_441_536, 22_441_536, True)
    assert [by_size[size].verdict for size in (4, 5)] == [CountVerdict.OK, CountVerdict.OK]


@pytest.mark.parametrize(
    "forgery",
    [
        "UPDATE tallies SET lists = lists - 1 WHERE rowid = (SELECT MIN(rowid) FROM tallies)",
        "UPDATE classes SET stabilizer = stabilizer / 2, lists = lists * 2 WHERE (size, number) = (5, 0)",
    ],
)
def test_a_disagreement_is_wrong(counted_and_classified: Path, forgery: str) -> None:
    change(counted_and_classified, forgery)
    by_size = counts(counted_and_classified)
    assert (by_size[5].agree, by_size[5].verdict) == (False, CountVerdict.WRONG)
    assert by_size[4].verdict is CountVerdict.OK


def test_nothing_is_said_of_a_count_that_is_not_complete(counted_and_classified: Path) -> None:
    change(counted_and_classified, "DELETE FROM tallies WHERE rowid = (SELECT MIN(rowid) FROM tallies)")
    count = counts(counted_and_classified)[5]
    assert (count.class_sum, count.agree, count.verdict) == (22_441_536, None, CountVerdict.INCOMPLETE)


def test_what_decoding_found_is_compared(counted: Path) -> None:
    assert counts(counted, {(4, 4): 1_579_500})[4].verdict is CountVerdict.OK
    count = counts(counted, {(4, 4): 1_579_499})[4]
    assert (count.decoded, count.verdict) == (1_579_499, CountVerdict.WRONG)


def test_what_is_counted_is_said_in_words() -> None:
    assert describe(12, 3) == "seeds for target 12"
    assert describe(12, 9) == "lists of 9 with 3 or more cards remaining"
    assert describe(12, 12) == "all lists of 12 cards"


def test_below_the_target_the_reference_is_that_of_the_target() -> None:
    assert reference(12, 6) == 141_370_218
    assert reference(11, 6) is None
    assert reference(4, 20) == reference(20, 20) == 682_344
