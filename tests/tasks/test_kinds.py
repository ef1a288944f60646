"""Tasks cross between processes: frozen, picklable, and every path of them can be replaced."""

from __future__ import annotations

import pickle
from dataclasses import FrozenInstanceError

import pytest

from setset.batches.records import BatchFile, Span
from setset.tasks.kinds import (
    BadSource,
    CountTask,
    ExpandTask,
    MergeTask,
    RebuildTask,
    Source,
    Task,
    TaskResult,
)

SOURCE = Source(4, 7, "/mnt/nas/caps/t12/s04/x", "00")
OTHER = Source(4, 8, "/mnt/nas/caps/t12/s04/y", "01")
EXPAND = ExpandTask(12, 5, 100, SOURCE, "/mnt/nas/caps")
SEEDS = ExpandTask(12, 3, 100, None, "/mnt/nas/caps")
SPAN = Span(0, 0, 0, 0, True)
TASKS = [
    EXPAND,
    SEEDS,
    CountTask(12, 6, SOURCE),
    MergeTask(12, 5, 100, SPAN, (SOURCE, OTHER), "/mnt/nas/caps"),
    RebuildTask(SPAN, (EXPAND, ExpandTask(12, 5, 100, OTHER, "/mnt/nas/caps"))),
]

each_task = pytest.mark.parametrize("task", TASKS, ids=lambda task: type(task).__name__)


@each_task
def test_every_path_of_a_task_is_replaced(task: Task) -> None:
    moved = task.relocated(lambda path: path.replace("/mnt/nas", "/data"))
    assert repr(moved) == repr(task).replace("/mnt/nas", "/data")
    assert type(moved) is type(task)


@each_task
def test_a_task_crosses_between_processes_and_can_be_remembered(task: Task) -> None:
    copy = pickle.loads(pickle.dumps(task))
    assert copy == task
    assert hash(copy) == hash(task)
    with pytest.raises(FrozenInstanceError):
        task.root = "elsewhere"  # type: ignore[misc]


def test_the_sources_of_a_task_are_the_files_that_it_reads() -> None:
    sources = [task.sources for task in TASKS]
    assert sources == [(SOURCE,), (), (SOURCE,), (SOURCE, OTHER), (SOURCE, OTHER)]


def test_the_seeds_come_from_source_0() -> None:
    assert (SEEDS.source_number, EXPAND.source_number) == (0, 7)


def test_a_result_sums_up_its_batches() -> None:
    batches = tuple(BatchFile(SPAN, lists, (0, 1, 3), (0, 1, 4), "x", 10 * lists, "00") for lists in (2, 3))
    result = TaskResult("host", 1, 0.5, batches)
    assert (result.lists, result.bytes) == (5, 50)
    assert (TaskResult("host", 1, 0.5).lists, TaskResult("host", 1, 0.5).bytes) == (0, 0)


def test_a_bad_source_says_which_one_after_a_journey_too() -> None:
    error = pickle.loads(pickle.dumps(BadSource(4, 7, "missing")))
    assert (error.size, error.number, error.reason) == (4, 7, "missing")
    assert str(error) == "batch 7 of size 4: missing"
