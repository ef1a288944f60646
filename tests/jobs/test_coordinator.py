"""The coordinator: what it does when an expansion fails, a source is damaged or a disk is away."""

from __future__ import annotations

import re
from collections.abc import Callable
from concurrent.futures import Executor
from pathlib import Path
from typing import Any

import pytest

import setset
from setset.batches.ownership import RootGone
from setset.database import expansions
from setset.database.expansions import ClaimedExpansion
from setset.database.views import ItemState, SizeState
from setset.errors import Interrupted, SetsetError
from setset.folder import WorkspaceFolder
from setset.jobs import coordinator
from setset.jobs.coordinator import ExpansionsFailed
from setset.jobs.options import RunOptions
from setset.jobs.run import run
from setset.jobs.signals import StopRequest
from setset.progress import Activity
from tests.jobs.executors import DyingExecutor, IdleExecutor, PoisonedExecutor, StoppingExecutor, WaitingExecutor
from tests.small import (
    BATCH_LISTS,
    SIZE,
    TARGET,
    Notices,
    batch_file,
    build,
    digests,
    findings,
    flip,
    merge_files,
    rows,
)


def test_a_poisonous_expansion_is_given_up_and_the_others_go_on(tmp_path: Path) -> None:
    """After three attempts the run goes on without it, says which it was, and the next run tries again."""
    folder = WorkspaceFolder(tmp_path / "w")
    with pytest.raises(ExpansionsFailed, match=r"batch 1 of size 4 failed 3 times: MemoryError: too much"):
        run(folder, RunOptions(SIZE, TARGET, 2, BATCH_LISTS, executor=PoisonedExecutor))
    states = rows(folder.path, "SELECT source, state, attempts FROM expansions WHERE size = 5 ORDER BY source")
    assert states == [(0, "done", 1), (1, "failed", 3), (2, "done", 1), (3, "done", 1)]
    with setset.open(folder.path) as workspace:
        (item,) = workspace.status().items
        assert item.state is ItemState.FAILED
        assert "too much" in item.detail
        assert workspace.status().sizes[-1].state is SizeState.FAILED
    build(folder.path)
    with setset.open(folder.path) as workspace:
        assert workspace.exploration(TARGET)[SIZE].complete


def test_what_comes_after_a_poisonous_expansion_is_done_and_told(tmp_path: Path) -> None:
    """Sources have numbers up to the expansion that is given up."""
    events: list[tuple[str, int, int]] = []

    class Listener(Notices):
        def begin(self, size: int, activity: Activity, tasks: int, lists_in: int) -> None:
            events.append((f"begin {activity}", size, tasks))
            assert lists_in > 0 or size == 3

        def advance(self, size: int, lists_in: int, lists_out: int) -> None:  # noqa: ARG002
            events.append(("advance", size, lists_out))

        def end(self, size: int) -> None:
            events.append(("end", size, 0))

    request = RunOptions(6, 20, 2, 60_000, executor=PoisonedExecutor)
    with pytest.raises(ExpansionsFailed, match="batch 1 of size 4 failed 3 times"):
        run(WorkspaceFolder(tmp_path / "w"), request, Listener())
    finished = dict(rows(tmp_path / "w", "SELECT size, COUNT(*) FROM expansions WHERE state = 'done' GROUP BY size"))
    planned = dict(rows(tmp_path / "w", "SELECT size, COUNT(*) FROM expansions GROUP BY size"))
    assert finished[5] == planned[5] - 1
    assert 0 < finished[6] == planned[6]
    for size in (3, 4, 5, 6):
        events_of_size = [(event, number) for event, size_of_event, number in events if size_of_event == size]
        assert events_of_size[0] == ("begin store", planned[size])
        assert events_of_size[-1] == ("end", 0)
        assert [event for event, _ in events_of_size[1:-1]] == ["advance"] * finished[size]


def test_no_worker_waits_for_the_last_expansion_of_a_size(tmp_path: Path) -> None:
    """The first ones of the next size are begun meanwhile, and nothing comes out otherwise for that."""
    for name in ("plain", "waiting", "stopped"):
        build(tmp_path / name, 3, target=20, batch_lists=10_000)
    build(tmp_path / "plain", 5, target=20, workers=1)
    build(tmp_path / "waiting", 5, target=20, executor=lambda workers: WaitingExecutor(workers, 4, 3))
    assert digests(tmp_path / "waiting") == digests(tmp_path / "plain")
    with pytest.raises(SetsetError, match="stopped by the test"):
        build(tmp_path / "stopped", 5, target=20, executor=lambda workers: StoppingExecutor(workers, 6))
    states = rows(tmp_path / "stopped", "SELECT DISTINCT state FROM expansions WHERE state NOT IN ('done', 'planned')")
    assert states == []
    build(tmp_path / "stopped", 5, target=20)
    assert digests(tmp_path / "stopped") == digests(tmp_path / "plain")


def test_what_comes_back_together_is_recorded_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A transaction for each result would take a part of every run, and more of it the more workers there are."""
    monkeypatch.setattr(coordinator, "RECORD_SECONDS", 60)
    counts: list[int] = []

    def record(*arguments: Any) -> list[ClaimedExpansion]:
        counts.append(len(arguments[1]))
        return original(*arguments)

    original = expansions.record_and_claim
    monkeypatch.setattr(expansions, "record_and_claim", record)
    build(tmp_path, 4, target=20, batch_lists=2_000, workers=2)
    assert sum(counts) == rows(tmp_path, "SELECT COUNT(*) FROM expansions")[0][0] > 20
    assert max(counts) > 1
    assert len(list(filter(None, counts))) < 0.8 * sum(counts)


@pytest.mark.parametrize("executor", [IdleExecutor, DyingExecutor])
def test_a_stop_waits_for_nothing_that_has_not_begun_and_blames_nothing_for_it(
    executor: Callable[[StopRequest], Executor], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither what no worker has taken yet nor a worker that ends with the run."""
    monkeypatch.setattr(coordinator, "DRAIN_SECONDS", 1e9)
    stop = StopRequest()
    folder = WorkspaceFolder(tmp_path / "w")
    request = RunOptions(3, TARGET, 2, executor=lambda _: executor(stop))
    with pytest.raises(Interrupted):
        run(folder, request, stop=stop)
    assert rows(folder.path, "SELECT state, attempts FROM expansions") == [("planned", 0)]


def test_a_run_that_reads_a_damaged_source_rebuilds_it(reference: Path, tmp_path: Path) -> None:
    """Nothing wrong is derived from it: the source is repaired, and the next size is right."""
    folder, _ = build(tmp_path / "w", 4)
    flip(batch_file(folder, 2, 4))
    _, notices = build(folder.path)
    assert any("batch 2 of size 4: checksum mismatch" in text for text in notices.texts)
    ((outcome, repaired),) = rows(folder.path, "SELECT outcome, repaired FROM runs WHERE repaired IS NOT NULL")
    assert outcome == "done"
    assert re.fullmatch(r"t16/s04/\S+\.setset \(checksum mismatch.*\)", repaired)
    assert digests(folder.path) == digests(reference)


def test_a_disk_of_sources_that_is_away_is_one_line(tmp_path: Path) -> None:
    build(tmp_path / "w", 4, output=tmp_path / "nas")
    (tmp_path / "nas").rename(tmp_path / "away")
    with pytest.raises(RootGone, match="nas is gone"):
        build(tmp_path / "w", 5)
    states = rows(tmp_path / "w", "SELECT DISTINCT state FROM expansions ORDER BY state")
    assert states == [("done",), ("planned",)]
    (tmp_path / "away").rename(tmp_path / "nas")
    build(tmp_path / "w", 5)


def test_a_run_that_reads_a_damaged_merged_source_makes_its_parts_again(reference: Path, tmp_path: Path) -> None:
    """Then the batches that follow have other numbers, and what was made from them meanwhile is done again."""
    folder, _ = build(tmp_path / "w", 3, batch_lists=5_000)
    build(folder.path, 4, batch_lists=400_000)
    assert merge_files(folder, size=4).files_after > 1
    (merged, *_) = sorted(folder.path.rglob("s04/*_*.setset"))
    flip(merged)
    _, notices = build(folder.path, 5, batch_lists=2_000_000)
    assert any("checksum mismatch" in text for text in notices.texts)
    assert not merged.exists()
    counts = "SELECT size, lists, complete FROM counts"
    assert rows(folder.path, counts) == rows(reference, counts)
    assert findings(folder, deep=True) == []
