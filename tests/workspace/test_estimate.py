"""Estimates against what runs really make."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import setset
from setset.engine import search
from setset.engine.bitstreams import Streams
from setset.engine.probing import probe_counts
from setset.jobs.options import RunOptions
from setset.symmetry import Catalogue
from setset.workspace import speed
from setset.workspace.known import ALL_LISTS
from tests import small


def test_all_lists_are_those_of_the_classes(catalogue: Catalogue) -> None:
    assert {size: catalogue.level(size).lists for size in ALL_LISTS} == ALL_LISTS


def test_what_a_run_made_is_what_was_estimated(reference: Path) -> None:
    """The workspace was made from nothing; an estimate for another one of the same kind must fit it."""
    with setset.open(reference) as workspace:
        made = workspace.exploration(small.TARGET)[small.SIZE]
        expected = (
            setset.open(reference.parent / "new", mode="a")
            .exploration(small.TARGET)
            .estimate(small.SIZE, batch_lists=small.BATCH_LISTS, seconds=0, seed=1)
        )
        five = expected.sizes[-1]
        assert five.origin is setset.CountOrigin.PROBED
        assert abs(five.lists - made.lists) < 4 * five.error
        assert five.files == pytest.approx(len(made.batches), rel=0.1)
        assert five.bytes == pytest.approx(made.bytes, rel=0.9)


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
    for refused in (exploration.estimate, exploration.run):
        with pytest.raises(setset.BadInput, match="--batch-lists 0: expected 1 to"):
            refused(5, batch_lists=0)


def test_measuring_a_high_target_is_no_work_of_minutes(monkeypatch: pytest.MonkeyPatch) -> None:
    """There are many more lists of 12 than of 18 cards; those are no reason to make more of them."""
    most, real = 100_000, search.pack
    packed: list[int] = []

    def pack(chunks: list[search.Lists], *arguments: int) -> Iterator[Streams]:
        packed.extend(map(len, chunks))
        return real(chunks, *arguments)

    monkeypatch.setattr(speed, "LISTS_MEASURED", most)
    monkeypatch.setattr(search, "pack", pack)
    lists = {size: many.lists for size, many in probe_counts(18, 18, batches=2, seed=1).items()}
    measured = speed.measure_speed(RunOptions(18, 18), 18, lists, seed=1)
    assert measured.lists_per_second > 0
    assert most < sum(packed) < 2 * speed.STRETCHES * most


def test_sizes_made_in_one_walk_have_the_same_sources(tmp_path: Path) -> None:
    exploration = setset.open(tmp_path / "w", mode="a").exploration(16)
    estimate = exploration.estimate(6, store=[5, 6], via=3, batch_lists=10_000, thorough=False)
    three, five, six = estimate.sizes
    assert (three.size, five.size, six.size, three.files) == (3, 5, 6, 6)
    for size in (five, six):  # the last file of each source is half full
        assert size.files == pytest.approx(size.lists / 10_000 + three.files / 2, abs=1)
    assert not any("did you mean" in warning for warning in estimate.warnings)
