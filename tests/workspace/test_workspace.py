"""`setset.open`: what can be asked of a workspace, and what each mode may touch."""

from __future__ import annotations

import signal
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path

import pytest

import setset
from setset.database import schema
from setset.database.connection import BadDatabase
from setset.errors import BadInput, NotAWorkspace, ReadOnly
from setset.folder import WorkspaceFolder
from setset.maintenance.findings import FindingKind
from tests.small import (
    BATCHES,
    COUNTS,
    SIZE,
    TARGET,
    Copy,
    Notices,
    batch_file,
    build,
    change,
    change_by_hand,
    digests,
    flip,
    rows,
)


def test_a_workspace_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(NotAWorkspace, match="no workspace at"):
        setset.open(tmp_path / "nowhere")
    with setset.open(tmp_path / "nowhere", mode="a"):
        pass
    assert not (tmp_path / "nowhere").exists()
    with pytest.raises(BadInput, match="mode 'w': expected 'r' to read or 'a' to add"):
        setset.open(tmp_path, mode="w")  # type: ignore[arg-type]


def test_from_nothing_to_an_answer(tmp_path: Path) -> None:
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    with setset.open(tmp_path / "w", mode="a") as workspace:
        exploration = workspace.exploration(18)
        exploration.run(4, workers=2, executor=ThreadPoolExecutor)
        assert [count.lists for count in exploration.count(5, workers=1)] == [45_189, 681_201, 7_964_460]
        assert [size.size for size in exploration] == [3, 4]
        assert 4 in exploration
        assert 5 not in exploration
        assert list(workspace.check()) == []
        assert [(run.command, run.outcome) for run in workspace.runs()] == [
            ("Exploration(18).run(5)", "done"),
            ("Exploration(18).run(4)", "done"),
        ]
        assert [exploration_listed.target for exploration_listed in workspace.explorations] == [18]
    after = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    assert after == before, "a library leaves signals alone"


def test_mode_r_writes_nothing(copy: Copy) -> None:
    folder = copy()
    batch_file(folder).unlink()
    before = {path: path.stat().st_mtime_ns for path in folder.path.rglob("*")}
    with setset.open(folder.path) as workspace:
        writers = (
            workspace.repair,
            workspace.upgrade,
            workspace.rebuild_database,
            workspace.build_classes,
            lambda: workspace.exploration(TARGET).run(4),
            lambda: workspace.exploration(TARGET).compact(SIZE),
        )
        for write in writers:
            with pytest.raises(ReadOnly, match=r"use setset.open\(path, mode='a'\)"):
                write()
        assert workspace.repair(dry_run=True).repaired
        workspace.counts()
        workspace.status()
    assert {path: path.stat().st_mtime_ns for path in folder.path.rglob("*")} == before


def test_records_are_plain(reference: Path) -> None:
    with setset.open(reference) as workspace:
        assert [asdict(count)["size"] for count in workspace.exploration(TARGET).counts()] == [3, 4, 5]
        assert workspace.sql(f"SELECT size, complete FROM counts WHERE size = {SIZE}") == [
            {"size": SIZE, "complete": 1}
        ]
        assert workspace.schema() == type(workspace.schema())(schema.HEAD, schema.HEAD)
        assert repr(workspace.exploration(TARGET)[SIZE]) == ("<setset.Size 5 of target 16: 9,396,567 lists, complete>")


def test_a_closed_workspace_opens_again_when_it_is_needed(reference: Path) -> None:
    workspace = setset.open(reference)
    before = workspace.counts()
    workspace.close()
    assert workspace.counts() == before
    workspace.close()


def test_what_is_damaged_is_found_and_repaired_by_workers(copy: Copy, reference: Path) -> None:
    folder = copy()
    flip(batch_file(folder, 0, 4))
    batch_file(folder, 2, SIZE).unlink()
    with setset.open(folder.path, mode="a") as workspace:
        assert len(list(workspace.check())) == 2
        result = workspace.repair()
        assert (len(result.repaired), result.left, result.needs_rebuild) == (2, [], False)
        assert list(workspace.check(deep=True)) == []
        assert workspace.runs(1)[0].command == "setset repair"
    assert digests(folder.path) == digests(reference)
    assert rows(folder.path, BATCHES) == rows(reference, BATCHES)


def test_one_batch_is_derived_again_whatever_its_state(copy: Copy) -> None:
    """A sound file is compared and stays; only a damaged one is written."""
    folder = copy()
    path = batch_file(folder, 3)
    original, before = path.read_bytes(), path.stat().st_mtime_ns
    for is_damaged in (False, True):
        if is_damaged:
            path.write_bytes(original[:-1])
        with setset.open(folder.path, mode="a") as workspace:
            result = workspace.repair(size=SIZE, batch=3, target=TARGET)
            assert [finding.where for finding in result.repaired] == [str(path)]
            (run,) = workspace.runs(limit=1)
            assert run.repaired == f"{path.relative_to(folder.own_root).as_posix()} (as asked)"
            with pytest.raises(BadInput, match="--batch needs --size"):
                workspace.repair(batch=3)
        assert (path.stat().st_mtime_ns > before) == is_damaged
        assert path.read_bytes() == original


def test_what_only_a_new_database_mends_is_said(copy: Copy) -> None:
    folder = copy()
    expected = rows(folder.path, BATCHES)
    change(folder.path, f"UPDATE batches SET number = 9999 WHERE size = {SIZE} AND number = 3")
    with setset.open(folder.path, mode="a") as workspace:
        result = workspace.repair()
        assert (result.repaired, result.needs_rebuild) == ([], True)
        assert workspace.rebuild_database() == folder.path / "setset.db.lost"
        assert list(workspace.check()) == []
    assert rows(folder.path, BATCHES) == expected


def test_a_number_of_lists_that_was_changed_by_hand_is_refused(copy: Copy) -> None:
    folder = copy()
    change_by_hand(folder.path, f"UPDATE batches SET lists = lists - 7 WHERE size = {SIZE} AND number = 0")
    change_by_hand(folder.path, f"UPDATE expansions SET lists_out = lists_out - 7 WHERE size = {SIZE} AND source = 0")
    with (
        setset.open(folder.path) as workspace,
        pytest.raises(BadDatabase, match="batch 0 of size 5 was changed by hand"),
    ):
        workspace.exploration(TARGET)[SIZE]


def test_a_size_whose_rows_vanished_is_not_complete_for_anybody(copy: Copy, tmp_path: Path) -> None:
    folder = copy()
    expected = rows(folder.path, COUNTS)
    change(folder.path, f"DELETE FROM batches WHERE size = {SIZE} AND first_source = 1")
    change(folder.path, f"DELETE FROM expansions WHERE size = {SIZE} AND source = 1")
    with setset.open(folder.path) as workspace:
        states = {size.size: size.state.value for size in workspace.status().sizes}
        assert states == {3: "complete", 4: "complete", 5: "stopped"}
        assert [row["size"] for row in workspace.sql("SELECT size FROM counts WHERE complete")] == [3, 4]
        size_of_rows = workspace.exploration(TARGET)[SIZE]
        assert not size_of_rows.complete
        assert size_of_rows.lists == sum(batch.lists for batch in size_of_rows.batches if batch.span.first_source == 0)
        with pytest.raises(IndexError, match="there is no list"):
            size_of_rows[size_of_rows.lists]  # it is in a file that no row records
        with pytest.raises(BadInput, match="size 5 of target 16 is incomplete"):
            size_of_rows.export(tmp_path / "five", format="npy")
        with pytest.raises(BadDatabase, match=r"source 1: its expansion is not recorded.*run 'setset repair'"):
            workspace.counts()
        assert FindingKind.PROOF in {finding.kind for finding in workspace.check()}
    build(folder.path)
    assert rows(folder.path, COUNTS) == expected


def test_small_files_are_merged(copy: Copy) -> None:
    folder = copy()
    change(folder.path, f"UPDATE sizes SET batch_lists = 2000000 WHERE size = {SIZE}")
    with setset.open(folder.path, mode="a") as workspace:
        exploration = workspace.exploration(TARGET)
        with pytest.raises(BadInput, match="larger sizes were made or counted"):
            exploration.compact(4)
        before = exploration[SIZE][::1_000_000].tolist()
        result = exploration.compact(SIZE)
        assert result.files_after == len(exploration[SIZE].batches) < result.files_before
        assert exploration[SIZE][::1_000_000].tolist() == before


def test_beside_a_run_a_check_looks_at_what_is_finished(copy: Copy) -> None:
    folder = copy()
    change(folder.path, f"UPDATE expansions SET batches_out = NULL WHERE size = {SIZE} AND source = 0")
    notices = Notices()
    with WorkspaceFolder(folder.path).locked(), setset.open(folder.path) as workspace:
        assert list(workspace.check(progress=notices)) == []
    assert notices.texts == ["size 5 is being written: it can be checked when the run is over"]


def test_a_run_that_is_over_without_an_outcome_was_killed(copy: Copy) -> None:
    folder = copy()
    change(folder.path, "UPDATE runs SET outcome = NULL")
    with setset.open(folder.path) as workspace:
        assert workspace.runs()[0].outcome == "killed"
        with folder.locked():
            assert workspace.runs()[0].outcome is None


def test_decoding_every_file_comes_to_the_same(reference: Path) -> None:
    with setset.open(reference) as workspace:
        (count,) = workspace.counts(4, recount=True)
    assert count.decoded == count.lists
