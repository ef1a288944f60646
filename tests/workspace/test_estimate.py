"""Estimates against what runs really make."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import setset
from setset.engine import search
from setset.engine.bitstreams import Streams
from setset.engine.probing import probe_counts
from setset.jobs.options import RunOptions
from setset.symmetry import Catalogue
from setset.workspace import speed
from setset.workspace.known import ALL_LISTS, KEPT_FOR_12
from tests import small


def blocks(size: setset.Size) -> int:
    """Bytes that the files of a size take on a disk."""
    return sum(-(-batch.bytes // 4096) * 4096 for batch in size.batches)


def test_all_lists_are_those_of_the_classes(catalogue: Catalogue) -> None:
    assert {size: catalogue.level(size).lists for size in ALL_LISTS} == ALL_LISTS


def test_what_a_run_made_is_what_was_estimated(reference: Path) -> None:
    """The workspace was made from nothing; an estimate for another one of the same kind must fit it."""
    with setset.open(reference) as workspace:
        actual = workspace.exploration(small.TARGET)[small.SIZE]
        expected = (
            setset.open(reference.parent / "new", mode="a")
            .exploration(small.TARGET)
            .estimate(small.SIZE, batch_lists=small.BATCH_LISTS, seconds=0, seed=1)
        )
        estimate = expected.sizes[-1]
        assert estimate.origin is setset.CountOrigin.PROBED
        assert abs(estimate.lists - actual.lists) < 4 * estimate.error
        assert estimate.files == pytest.approx(len(actual.batches), rel=0.1)
        assert estimate.bytes == pytest.approx(blocks(actual), rel=0.3)


def test_nothing_is_due_where_all_is_there(reference: Path) -> None:
    estimate = setset.open(reference).exploration(small.TARGET).estimate(small.SIZE)
    assert (estimate.lists, estimate.files, estimate.bytes, estimate.seconds) == (0, 0, 0, 0)
    assert {size.origin for size in estimate.sizes} == {setset.CountOrigin.HERE}


def test_a_count_takes_no_disk() -> None:
    estimate = setset.estimate(12, count_only=True, workers=2)
    assert estimate.files <= 1
    assert estimate.bytes < 10_000
    assert estimate.sizes[-1].due == 2_284_535_476_080
    assert estimate.core_seconds == pytest.approx(estimate.sizes[-1].seconds)


def test_a_disk_that_is_too_small_is_noticed_before(tmp_path: Path) -> None:
    exploration = setset.open(tmp_path / "w", mode="a").exploration(12)
    estimate = exploration.estimate(20, batch_lists=1, thorough=False)
    assert estimate.is_long
    short = estimate.bytes > estimate.free_bytes
    assert any("--count-only" in warning for warning in estimate.warnings) == short
    assert any("such as --store 12,20" in warning for warning in estimate.warnings)
    assert not exploration.estimate(5, thorough=False).warnings


@pytest.mark.parametrize("arguments", [{"size": 2}, {"size": 21}, {"size": 9, "target": 3}, {"size": 9, "workers": 0}])
def test_what_cannot_be_is_refused(arguments: dict[str, int]) -> None:
    with pytest.raises(setset.BadInput):
        setset.estimate(**arguments)


def test_an_estimate_refuses_the_options_that_its_run_refuses(tmp_path: Path) -> None:
    exploration = setset.open(tmp_path / "w", mode="a").exploration(12)
    for method in (exploration.estimate, exploration.run):
        with pytest.raises(setset.BadInput, match="--batch-lists 0: expected 1 to"):
            method(5, batch_lists=0)


def test_small_files_take_whole_blocks(tmp_path: Path) -> None:
    folder, _ = small.build(tmp_path / "w", 4, target=18, batch_lists=5_000)
    actual = setset.open(folder.path).exploration(18)[4]
    new = setset.open(tmp_path / "new", mode="a").exploration(18)
    expected = new.estimate(4, batch_lists=5_000, thorough=False).sizes[-1]
    assert expected.bytes == pytest.approx(blocks(actual), rel=0.1)
    assert expected.bytes > 5 * actual.bytes


def test_sources_before_the_first_are_not_to_do(reference: Path) -> None:
    exploration = setset.open(reference).exploration(small.TARGET)
    files = len(exploration[small.SIZE].batches)
    whole, part = (
        exploration.estimate(small.SIZE + 1, first=first, thorough=False).sizes[-1] for first in (0, files // 2)
    )
    assert part.due == pytest.approx(whole.due * (1 - files // 2 / files), rel=0.01)
    assert part.seconds == pytest.approx(whole.seconds * part.due / whole.due)
    assert part.files < whole.files


def test_a_run_that_takes_long_is_measured_as_estimate_does(tmp_path: Path) -> None:
    exploration = setset.open(tmp_path / "w", mode="a").exploration(12)
    assert exploration.estimate(6, thorough=False).speeds == "typical"
    brief, thorough = exploration.estimate(11, thorough=False), exploration.estimate(11)
    assert brief.speeds == thorough.speeds == "measured now"
    assert (brief.lists, brief.files, brief.sizes[-1].bytes) == (
        thorough.lists,
        thorough.files,
        thorough.sizes[-1].bytes,
    )


def test_records_count_in_proportion_to_their_seconds() -> None:
    options, usual = RunOptions(12), speed.typical_speed(RunOptions(12), 12, {})

    def expected(seconds: float) -> tuple[float, float]:
        """Time per list at a recorded size and at another one, if the records say a tenth of the usual speed."""
        typical = speed.typical_speed(options, 9, {})
        slow = speed.Speed(typical.lists_per_second / 10, typical.bytes_per_list, seconds)
        predicted = speed.typical_speed(options, 12, {9: slow})
        blend = slow.blended(typical).lists_per_second
        return typical.lists_per_second / blend, usual.lists_per_second / predicted.lists_per_second

    assert expected(0.001) == pytest.approx((1, 1), rel=0.01)
    assert expected(10) == pytest.approx((2.3, 1.15), rel=0.1)
    assert expected(100_000) == pytest.approx((10, 10), rel=0.01)


def test_a_counted_size_is_measured_by_counting() -> None:
    lists = {size: float(KEPT_FOR_12.get(size, 0) or ALL_LISTS[size]) for size in range(3, 13)}
    counting, storing = (
        speed.measure_speed(options, 12, lists, seed=1)
        for options in (RunOptions(12, count=(12,)), RunOptions(12, store=(12,)))
    )
    assert 0 < storing.lists_per_second < counting.lists_per_second


def test_measuring_a_high_target_is_no_work_of_minutes(monkeypatch: pytest.MonkeyPatch) -> None:
    """There are many more lists of 12 than of 18 cards; those are no reason to make more of them."""
    original, lists_made = search.expand, 0

    def expand(*arguments: Any) -> Iterator[Streams]:
        nonlocal lists_made
        for part in original(*arguments):
            lists_made += part.lists
            yield part

    monkeypatch.setattr(speed, "CPU_SECONDS", 0.0)
    monkeypatch.setattr(search, "expand", expand)
    lists = {size: count.lists for size, count in probe_counts(18, 18, batches=2, seed=1).items()}
    result = speed.measure_speed(RunOptions(18, 18), 18, lists, seed=1)
    assert result.lists_per_second > 0
    assert 0 < lists_made < 10 * speed.FEWEST_STARTS * speed.LISTS_PER_START


def test_sizes_made_in_one_walk_have_the_same_sources(tmp_path: Path) -> None:
    exploration = setset.open(tmp_path / "w", mode="a").exploration(16)
    estimate = exploration.estimate(6, store=[5, 6], via=3, batch_lists=10_000, thorough=False)
    smallest, middle, largest = estimate.sizes
    assert (smallest.size, middle.size, largest.size, smallest.files) == (3, 5, 6, 6)
    for size in (middle, largest):  # the last file of each source is half full
        assert size.files == pytest.approx(size.lists / 10_000 + smallest.files / 2, abs=1)
    assert not any("did you mean" in warning for warning in estimate.warnings)
