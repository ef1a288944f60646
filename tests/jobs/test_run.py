"""Runs: the right lists, in order, in the same bytes whatever happens on the way."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import setset
from setset.batches import files
from setset.database import batches, explorations, runs
from setset.engine import search
from setset.errors import BadInput, SetsetError
from setset.folder import WorkspaceFolder
from setset.jobs.options import RunOptions
from setset.jobs.run import run
from setset.workspace.counts import Count
from tests.engine import naive
from tests.jobs.executors import StoppingExecutor
from tests.small import (
    BATCH_LISTS,
    BATCHES,
    COUNTS,
    SIZE,
    TARGET,
    Copy,
    build,
    change,
    change_by_hand,
    digests,
    findings,
    reading,
    rows,
)


@cache
def kept(target: int, size: int) -> int:
    """How many lists are kept, by the naive twin."""
    if size == 3:
        return sum(1 for _ in naive.seeds(target))
    return int(_histograms()[size][max(target - size, 0) :].sum())


@cache
def _histograms() -> dict[int, Any]:
    return naive.remaining_by_size(5)


def counts(path: Path) -> dict[int, Count]:
    with setset.open(path) as workspace:
        return {count.size: count for count in workspace.counts()}


def is_complete(path: Path, size: int) -> bool:
    with reading(path) as database:
        return explorations.find(database, TARGET).at(size).is_complete()


@pytest.mark.parametrize("target", [4, 7, 12, 15, 18, 20])
def test_size_5_is_right_for_any_target(target: int, tmp_path: Path) -> None:
    folder, _ = build(tmp_path / "w", 5, target=target, batch_lists=None)
    results = counts(folder.path)
    assert results.keys() == {3, 4, 5}
    for count in results.values():
        assert count.complete
        assert count.lists == kept(target, count.size)


def test_the_lists_in_the_files_are_ascending_across_batches(reference: Path) -> None:
    previous = np.zeros(SIZE, np.uint8)
    total = 0
    with reading(reference) as database:
        exploration = explorations.find(database, TARGET)
        for number, batch in enumerate(batches.read(exploration.at(SIZE))):
            assert batch.number == number
            _, streams = files.load(Path(batch.path), batch.digest)
            for chunk in search.unpack(streams):
                keys = np.vstack([previous, chunk]).astype(np.int64) @ 81 ** np.arange(SIZE)[::-1]
                assert (np.diff(keys) > 0).all()
                previous = chunk[-1].copy()
                total += len(chunk)
    assert total == kept(TARGET, SIZE)


def test_no_file_has_more_lists_than_allowed(reference: Path) -> None:
    assert max(row[2] for row in rows(reference, BATCHES)) <= BATCH_LISTS


def test_bytes_do_not_depend_on_the_workers(reference: Path, tmp_path: Path) -> None:
    folder, _ = build(tmp_path / "w", workers=5)
    assert digests(folder.path) == digests(reference)
    assert rows(folder.path, BATCHES) == rows(reference, BATCHES)


def test_running_again_does_nothing(copy: Copy) -> None:
    folder = copy()
    before = {path: path.stat().st_mtime_ns for path in folder.path.rglob("*.setset")}
    build(folder.path)
    assert {path: path.stat().st_mtime_ns for path in folder.path.rglob("*.setset")} == before
    query = "SELECT batches_added, outcome FROM runs ORDER BY id DESC LIMIT 1"
    assert rows(folder.path, query) == [(0, "done")]


@pytest.mark.parametrize("after", [1, 2, 3, 4, 5])
def test_bytes_do_not_depend_on_interruptions(reference: Path, tmp_path: Path, after: int) -> None:
    folder = WorkspaceFolder(tmp_path / "w")
    request = RunOptions(SIZE, TARGET, 2, BATCH_LISTS)
    with pytest.raises(SetsetError, match="stopped by the test"):
        run(folder, replace(request, executor=lambda workers: StoppingExecutor(workers, after)))
    build(folder.path)
    assert digests(folder.path) == digests(reference)
    assert rows(folder.path, BATCHES) == rows(reference, BATCHES)


def test_from_a_source_on_and_then_the_rest(reference: Path, tmp_path: Path) -> None:
    """Later batches have no numbers until the earlier ones are made. The end result is the same."""
    folder, _ = build(tmp_path / "w", SIZE - 1)
    build(folder.path, first=2)
    records = rows(folder.path, f"SELECT number, source FROM files WHERE size = {SIZE}")
    assert {source for _, source in records} == {2, 3}
    assert {number for number, _ in records} == {None}
    assert not is_complete(folder.path, SIZE)
    build(folder.path)
    assert digests(folder.path) == digests(reference)
    assert rows(folder.path, BATCHES) == rows(reference, BATCHES)


def test_from_beyond_what_is_known_is_refused(copy: Copy, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="--from 99: there is no batch 99"):
        build(copy().path, first=99)
    build(tmp_path / "new", 3)
    with pytest.raises(BadInput, match=r"there is no batch 1 of size 3; batches: 1, numbered from 0"):
        build(tmp_path / "new", 4, first=1)


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        (RunOptions(2), "--size 2: expected 3 to 20"),
        (RunOptions(21), "--size 21: expected 3 to 20"),
        (RunOptions(6, target=3), "--target 3: expected 4 to 20"),
        (RunOptions(6, workers=0), "--workers 0: expected 1 or more"),
        (RunOptions(6, batch_lists=0), "--batch-lists 0: expected 1 to"),
        (RunOptions(3, first=1), "--from cannot be used with --size 3"),
        (RunOptions(6, first=1, count_only=True), "--from cannot be combined with --count-only"),
    ],
)
def test_what_cannot_be_asked_for_changes_nothing(request_: RunOptions, message: str, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=message):
        run(WorkspaceFolder(tmp_path / "w"), request_)
    assert not (tmp_path / "w").exists()


def test_the_history_has_every_refusal(copy: Copy) -> None:
    with setset.open(copy().path, mode="a") as workspace:
        exploration = workspace.exploration(TARGET)
        for options in ({"workers": 0}, {"maps": ("here",)}, {"ship": True}):
            with pytest.raises(BadInput) as error:
                exploration.run(SIZE, **options)
            assert workspace.runs(1)[0].outcome == f"refused: {error.value}"


def test_a_size_keeps_its_batch_lists(reference: Path, tmp_path: Path) -> None:
    """Files of one size never differ in how they are cut, whatever later runs ask for."""
    folder, _ = build(tmp_path / "w", SIZE - 1)
    build(folder.path, first=2)
    _, notices = build(folder.path, batch_lists=1_000_000)
    messages = [text for text in notices.texts if "--batch-lists" in text]
    assert messages == ["--batch-lists ignored for sizes that were begun before (size 3: 200,000)"]
    assert digests(folder.path) == digests(reference)


def test_another_output_folder_is_remembered(reference: Path, tmp_path: Path) -> None:
    folder, _ = build(tmp_path / "w", SIZE - 1)
    build(folder.path, output=tmp_path / "nas")
    own, external = digests(folder.own_root), digests(tmp_path / "nas")
    assert own.keys() & external.keys() == set()
    assert own | external == digests(reference / "batches")
    with setset.open(folder.path) as workspace:
        assert len(workspace.exploration(TARGET)[SIZE][:1000]) == 1000


def test_counting_agrees_with_storing(tmp_path: Path) -> None:
    folder, _ = build(tmp_path / "w", 4)
    build(folder.path, 6, count_only=True)
    results = counts(folder.path)
    assert results[5].lists == kept(TARGET, 5)
    assert results[6].lists == 88_637_490
    assert results[6].complete
    assert results[6].origin == "counted from size 4"
    assert not list(folder.own_root.glob("t16/s05/*"))


def test_counting_goes_on_where_it_was(tmp_path: Path) -> None:
    folder, _ = build(tmp_path / "w", 4)
    request = RunOptions(5, TARGET, 1, count_only=True)
    with pytest.raises(SetsetError, match="stopped by the test"):
        run(folder, replace(request, executor=lambda workers: StoppingExecutor(workers, 2)))
    assert not counts(folder.path)[5].complete
    build(folder.path, 5, count_only=True)
    count = counts(folder.path)[5]
    assert (count.lists, count.complete) == (kept(TARGET, 5), True)


UNPROVEN = {
    "a part is not recorded": f"DELETE FROM batches WHERE size = {SIZE} AND first_source = 1 AND first_part = 1",
    "the last part is not recorded": f"DELETE FROM batches WHERE size = {SIZE} AND first_source = 1 AND ends_source",
    "no part is recorded": f"DELETE FROM batches WHERE size = {SIZE} AND first_source = 1",
    "no part of any source is recorded": f"DELETE FROM batches WHERE size = {SIZE}",
    "made from another source": f"UPDATE batches SET source_digest = digest WHERE size = {SIZE} AND first_source = 2",
    "its row is gone": f"DELETE FROM expansions WHERE size = {SIZE} AND source = 2",
    "nothing made and nothing recorded": f"UPDATE expansions SET source_digest = 'feed', batches_out = 0 "
    f"WHERE size = {SIZE} AND source = 2",
    "of a source that is not there": f"UPDATE batches SET first_source = 70, last_source = 70 "
    f"WHERE size = {SIZE} AND first_source = 3 AND ends_source",
    "a span without end": f"UPDATE batches SET last_source = 2147483000 WHERE size = {SIZE} AND first_source = 0",
    "a source is not recorded": "DELETE FROM batches WHERE size = 4 AND number = 2",
    "the seeds are not recorded": "DELETE FROM batches WHERE size = 3",
}


def test_rows_that_vanished_are_planned_and_done_again(copy: Copy, reference: Path) -> None:
    """Not only a source's batches, but the row that says that it was expanded."""
    folder = copy()
    change(
        folder.path,
        "DELETE FROM batches WHERE size = 4 AND first_part = 1",
        "DELETE FROM expansions WHERE size = 4",
        f"DELETE FROM batches WHERE size = {SIZE} AND first_source = 1",
        f"DELETE FROM expansions WHERE size = {SIZE} AND source = 1",
    )
    build(folder.path)
    assert rows(folder.path, BATCHES) == rows(reference, BATCHES)
    assert rows(folder.path, COUNTS) == rows(reference, COUNTS)
    assert digests(folder.path) == digests(reference)
    assert findings(folder, deep=True) == []


def test_what_is_planned_again_must_give_the_same(copy: Copy, reference: Path) -> None:
    """Its batches are recorded still, so nothing is renumbered and nothing is written."""
    folder = copy()
    before = {path: path.stat().st_mtime_ns for path in folder.path.rglob("*.setset")}
    change(folder.path, f"UPDATE expansions SET state = 'planned' WHERE size = {SIZE} AND source = 2")
    build(folder.path)
    assert {path: path.stat().st_mtime_ns for path in folder.path.rglob("*.setset")} == before
    assert rows(folder.path, BATCHES) == rows(reference, BATCHES)
    assert findings(folder, deep=True) == []


@pytest.mark.parametrize("statement", UNPROVEN.values(), ids=UNPROVEN.keys())
def test_what_is_recorded_as_done_but_not_proven_is_done_again(copy: Copy, reference: Path, statement: str) -> None:
    folder = copy()
    change(folder.path, statement)
    _, notices = build(folder.path)
    assert any("expansions again; reason for the first one: " in text for text in notices.texts)
    assert rows(folder.path, BATCHES) == rows(reference, BATCHES)
    assert rows(folder.path, COUNTS) == rows(reference, COUNTS)
    assert digests(folder.path) == digests(reference)
    assert findings(folder, deep=True) == []
    assert build(folder.path)[1].texts == []


@pytest.mark.parametrize("renamed", [False, pytest.param(True, marks=pytest.mark.posix("renames an open database"))])
@pytest.mark.parametrize("same_run", [False, True])
def test_another_database_in_the_place_of_this_one_is_one_line(
    same_run: bool, renamed: bool, reference: Path, tmp_path: Path
) -> None:
    """`cp` or `mv` of older.db to setset.db while a run is at work: a copy of the time before this run, or of its
    beginning."""
    folder, _ = build(tmp_path / "w", 3)
    older = tmp_path / "older.db"
    if not same_run:
        shutil.copy(folder.database, older)

    class Replacing(ThreadPoolExecutor):
        """Replaces the database before the third task."""

        submitted = 0

        def submit(self, fn: Callable[..., Any], /, *args: Any, **_: Any) -> Future[Any]:
            self.submitted += 1
            if self.submitted == 1 and same_run:
                shutil.copy(folder.database, older)
            if self.submitted == 3 and renamed:
                shutil.copy(older, tmp_path / "coming.db")
                (tmp_path / "coming.db").replace(folder.database)
            elif self.submitted == 3:
                folder.database.write_bytes(older.read_bytes())
            return super().submit(fn, *args)

    try:
        build(folder.path, executor=Replacing)
    except SetsetError as error:
        assert "was changed by another program meanwhile" in str(error)  # noqa: PT017 (it may also go well)
    else:
        assert same_run
    build(folder.path)
    assert digests(folder.path) == digests(reference)
    assert rows(folder.path, COUNTS) == rows(reference, COUNTS)
    assert findings(folder, deep=True) == []


@pytest.mark.parametrize("size", [4, 5])
def test_a_size_whose_rows_vanished_with_its_batches_is_done_again(size: int, copy: Copy, reference: Path) -> None:
    """Only the expansions still say that it was done."""
    folder = copy()
    change_by_hand(folder.path, f"DELETE FROM batches WHERE size = {size}", f"DELETE FROM sizes WHERE size = {size}")
    build(folder.path)
    assert rows(folder.path, COUNTS) == rows(reference, COUNTS)
    assert digests(folder.path) == digests(reference)
    assert findings(folder, deep=True) == []


def test_a_run_whose_record_is_gone_is_one_line(copy: Copy) -> None:
    with reading(copy().path) as database, pytest.raises(SetsetError, match=r"changed by another program.*run 99 is"):
        runs.get(database, 99)
