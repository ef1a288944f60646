"""Expansions: planned once, claimed by one run, recorded and numbered in any order with the same outcome."""

from __future__ import annotations

from pathlib import Path

import pytest

from setset.batches.records import BatchFile, Span
from setset.database import Database, batches, expansions, explorations, runs, storage_roots
from setset.database.expansions import ClaimedExpansion, Job
from setset.database.explorations import Goal, Step
from setset.tasks.kinds import ExpandTask, TaskResult
from tests.small import TARGET, build, rows, writing


def result(expansion: ClaimedExpansion, parts: int) -> TaskResult:
    """A result of a worker, with this many batches."""
    task = expansion.task
    assert task.source is not None
    source = task.source.number
    files = tuple(
        BatchFile(
            Span(source, part, source, part, part == parts - 1),
            10,
            (0,),
            (1,),
            f"{task.size}-{source}-{part}",
            1,
            "ab",
            task.source.digest,
        )
        for part in range(parts)
    )
    return TaskResult("host", 1, "2026-01-01T00:00:00.000+00:00", 0.5, files)


def begin(database: Database, run_id: int, *stored: int, first: int = 0, again: bool = False) -> Job:
    exploration = explorations.find(database, TARGET)
    goal = Goal((3, 4, *stored))
    explorations.set_goal(exploration, goal)
    root_id = storage_roots.use_root(database, None)
    only = frozenset(goal.steps()) if again else frozenset[Step]()
    job = Job(run_id, exploration, goal.steps(), root_id, lambda _: 1000, first, only_forgotten=only)
    expansions.plan(job)
    return job


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """Size 4 in four batches."""
    return build(tmp_path / "w", 4)[0].path


@pytest.mark.parametrize("order", [(0, 1, 2, 3), (3, 2, 1, 0), (2, 0, 3, 1)])
def test_numbers_do_not_depend_on_the_order_of_the_work(workspace: Path, order: tuple[int, ...]) -> None:
    """A batch that gets its number gets the expansion that the goal asks for in the same transaction."""
    with writing(workspace) as database, runs.record_run(database, "test", 1) as run_id:
        job = begin(database, run_id, 5, 6)
        claims = expansions.record_and_claim(job, [], [], 99)
        assert [claim.task.source.number for claim in claims if claim.task.source] == [0, 1, 2, 3]
        for position, source in enumerate(order):
            expansion = claims[source]
            expansions.record_and_claim(job, [(expansion, result(expansion, source + 1))], [], 0)
            assert job.exploration.at(5).is_complete() == (position == 3)
            planned = rows(workspace, "SELECT source FROM expansions WHERE size = 6 ORDER BY source")
            numbered = rows(workspace, "SELECT number FROM files WHERE size = 5 AND number IS NOT NULL")
            assert planned == numbered
    assert rows(workspace, "SELECT path FROM batches WHERE size = 5 ORDER BY number") == [
        (f"5-{source}-{part}",) for source in range(4) for part in range(source + 1)
    ]


def test_smaller_sizes_come_first_and_sizes_overlap(workspace: Path) -> None:
    with writing(workspace) as database, runs.record_run(database, "test", 1) as run_id:
        job = begin(database, run_id, 5, 6)
        first, second = expansions.record_and_claim(job, [], [], 2)
        claims = expansions.record_and_claim(job, [(first, result(first, 2))], [], 3)
        assert [(claim.task.size, claim.task.source and claim.task.source.number) for claim in claims] == [
            (5, 2),
            (5, 3),
            (6, 0),
        ]
        expansions.record_and_claim(job, [], [second, *claims], 0)
        second_claims = expansions.record_and_claim(job, [], [], 3)
        assert [claim.task.size for claim in second_claims] == [5, 5, 5]


def test_an_expansion_goes_to_any_larger_size(workspace: Path) -> None:
    """Sizes between need no files and no rows."""
    with writing(workspace) as database, runs.record_run(database, "test", 1) as run_id:
        job = begin(database, run_id, 7)
        claims = expansions.record_and_claim(job, [], [], 99)
        assert {(claim.task.size, claim.task.source and claim.task.source.size) for claim in claims} == {(7, 4)}
        expansions.record_and_claim(job, [(claim, result(claim, 1)) for claim in claims], [], 0)
        assert job.exploration.size(7).source_size == 4
        assert job.exploration.at(7).is_complete()
    assert rows(workspace, "SELECT goal_size, goal_stored, goal_counted FROM explorations") == [(7, "3 4 7", None)]


def test_what_is_claimed_is_not_claimed_twice_and_comes_back_with_the_next_run(workspace: Path) -> None:
    with writing(workspace) as database:
        with runs.record_run(database, "test", 1) as run_id:
            job = begin(database, run_id, 5)
            assert len(expansions.record_and_claim(job, [], [], 3)) == 3
            assert len(expansions.record_and_claim(job, [], [], 99)) == 1
            assert expansions.record_and_claim(job, [], [], 99) == []
        with runs.record_run(database, "test", 1) as run_id:
            job = begin(database, run_id, 5, first=2)
            remaining = [(step.step.size, step.tasks) for step in expansions.remaining(job)]
            assert remaining == [(5, 2)]
            claims = expansions.record_and_claim(job, [], [], 99)
            assert [claim.task.source and claim.task.source.number for claim in claims] == [2, 3]


def test_what_was_given_up_is_tried_again_by_the_next_run(workspace: Path) -> None:
    with writing(workspace) as database:
        with runs.record_run(database, "test", 1) as run_id:
            job = begin(database, run_id, 5)
            (expansion,) = expansions.record_and_claim(job, [], [], 1)
            given_up = expansion.tried_again("too much", given_up=True)
            expansions.record_and_claim(job, [], [given_up], 0)
        failed = "SELECT source, attempts, error FROM expansions WHERE state = 'failed'"
        assert rows(workspace, failed) == [(0, 1, "too much")]
        assert [step.tasks for step in expansions.remaining(job)] == [4]
        with runs.record_run(database, "test", 1) as run_id:
            begin(database, run_id, 5)
        assert rows(workspace, failed) == []


def test_a_file_that_is_forgotten_keeps_its_row_its_number_and_its_root(workspace: Path) -> None:
    """Nothing is derived from it until it is made again, and repair does nothing else."""
    with writing(workspace) as database, runs.record_run(database, "test", 1) as run_id:
        job = begin(database, run_id, 5)
        key, size = job.exploration, job.exploration.size(4)
        before = rows(workspace, "SELECT number, digest, root_id FROM batches WHERE size = 4")
        batch = batches.get(size, 2)
        expansions.forget_files(size, {batch: "missing"})
        assert rows(workspace, "SELECT number, digest, root_id FROM batches WHERE size = 4") == before
        assert key.at(4).is_complete()
        due = [claim.task for claim in expansions.record_and_claim(job, [], [], 99)]
        assert [(task.size, task.source and task.source.number) for task in due] == [(4, 0), (5, 0), (5, 1), (5, 3)]
        task = due[0]
        assert isinstance(task, ExpandTask)
        assert not task.reuse
        assert [batch.digest for batch in task.recorded] == [digest for _, digest, _ in before]
        second_job = begin(database, run_id, 5, again=True)
        assert [claim.task.size for claim in expansions.record_and_claim(second_job, [], [], 99)] == [4]


def test_what_is_forgotten_as_not_proven_leaves_no_rows_and_no_numbers(workspace: Path) -> None:
    with writing(workspace) as database, runs.record_run(database, "test", 1) as run_id:
        job = begin(database, run_id, 5)
        size = job.exploration.size(4)
        assert expansions.forget(size, {0}) == {0}
        assert rows(workspace, "SELECT COUNT(*) FROM batches WHERE size = 4") == [(0,)]
        assert not job.exploration.at(4).is_complete()
        (claim,) = expansions.record_and_claim(job, [], [], 99)
        assert isinstance(claim.task, ExpandTask)
        assert (claim.task.size, claim.expansion.was_done, claim.task.recorded) == (4, True, ())
