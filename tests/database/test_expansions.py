"""Expansions: planned once, claimed by one run, recorded and numbered in any order with the same outcome."""

from __future__ import annotations

from pathlib import Path

import pytest
from setset.database.stages import storing

from setset.batches.records import BatchFile, Span
from setset.database import Database, expansions, explorations, roots, runs
from setset.database.expansions import Claim, ClaimedExpansion, Unfinished
from setset.database.models import State
from setset.tasks.kinds import TaskResult
from tests.small import TARGET, build, rows, writing


def result(expansion: ClaimedExpansion, parts: int) -> TaskResult:
    """What a worker may return: so many batches."""
    task = expansion.task
    assert task.source is not None
    source = task.source.number
    made = tuple(
        BatchFile(
            Span(source, part, source, part, part == parts - 1),
            10,
            (0,),
            (1,),
            f"{source}-{part}",
            1,
            "ab",
            task.source.digest,
        )
        for part in range(parts)
    )
    return TaskResult("host", 1, "2026-01-01T00:00:00.000+00:00", 0.5, made)


def begin(database: Database, run_id: int, size: int) -> Claim:
    exploration = explorations.find(database, TARGET)
    batch_lists = explorations.begin_size(database, exploration, size, 1000).batch_lists
    stage = storing(exploration, size)
    expansions.take_back(database, stage)
    expansions.plan(database, stage)
    root_id = roots.use_root(database, None)
    return Claim(run_id, stage, root_id, roots.destination(database, root_id), batch_lists)


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """Size 4 in four batches."""
    return build(tmp_path / "w", 4)[0].path


@pytest.mark.parametrize("order", [(0, 1, 2, 3), (3, 2, 1, 0), (2, 0, 3, 1)])
def test_numbers_do_not_depend_on_the_order_of_the_work(workspace: Path, order: tuple[int, ...]) -> None:
    with writing(workspace) as database, runs.record_run(database, "test", 1) as run_id:
        claim = begin(database, run_id, 5)
        claimed = expansions.record_and_claim(database, claim, [], [], 99)
        assert [each.task.source.number for each in claimed if each.task.source] == [0, 1, 2, 3]
        for place, source in enumerate(order):
            expansion = claimed[source]
            expansions.record_and_claim(database, claim, [(expansion, result(expansion, source + 1))], [], 0)
            complete = explorations.is_complete(database, claim.stage.exploration, 5)
            assert complete == (place == 3)
    assert rows(workspace, "SELECT path FROM batches WHERE size = 5 ORDER BY number") == [
        (f"{source}-{part}",) for source in range(4) for part in range(source + 1)
    ]


def test_what_is_claimed_is_not_claimed_twice_and_comes_back_after_the_run(workspace: Path) -> None:
    with writing(workspace) as database:
        with runs.record_run(database, "test", 1) as run_id:
            claim = begin(database, run_id, 5)
            first = expansions.record_and_claim(database, claim, [], [], 3)
            assert len(first) == 3
            assert len(expansions.record_and_claim(database, claim, [], [], 99)) == 1
            assert expansions.record_and_claim(database, claim, [], [], 99) == []
        states = rows(workspace, "SELECT DISTINCT state FROM expansions WHERE size = 5")
        assert states == [("planned",)]


def test_what_was_given_up_is_tried_again_by_the_next_run(workspace: Path) -> None:
    with writing(workspace) as database:
        with runs.record_run(database, "test", 1) as run_id:
            claim = begin(database, run_id, 5)
            (expansion,) = expansions.record_and_claim(database, claim, [], [], 1)
            given_up = Unfinished(expansion.tried_again(), State.FAILED, "too much")
            expansions.record_and_claim(database, claim, [], [given_up], 0)
        failed = "SELECT source, attempts, error FROM expansions WHERE state = 'failed'"
        assert rows(workspace, failed) == [(0, 1, "too much")]
        assert expansions.remaining(database, claim.stage)[0] == 4
        with runs.record_run(database, "test", 1) as run_id:
            begin(database, run_id, 5)
        assert rows(workspace, failed) == []
