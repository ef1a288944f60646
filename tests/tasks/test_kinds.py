"""Tasks cross between processes: frozen, picklable, and every path of them can be replaced."""

from __future__ import annotations

import pickle
from dataclasses import FrozenInstanceError, replace

import pytest

from setset.batches.ownership import Token
from setset.batches.records import NO_SOURCE, BatchFile, Span
from setset.tasks.kinds import (
    BadSource,
    CountTask,
    Destination,
    ExpandTask,
    MergeTask,
    OtherLists,
    Source,
    Task,
    TaskResult,
)

SOURCE = Source(4, 7, "/mnt/nas/caps/t12/s04/x", "00")
OTHER = Source(4, 8, "/mnt/nas/caps/t12/s04/y", "01")
DESTINATION = Destination("/mnt/nas/caps", Token("mine", "/home/me/w"))
EXPAND = ExpandTask(12, 5, 100, SOURCE, DESTINATION)
SEEDS = ExpandTask(12, 3, 100, None, DESTINATION)
SPAN = Span(0, 0, 0, 0, True)
BATCH = BatchFile(SPAN, 2, (0, 1, 3), (0, 1, 4), "x", 20, "00", NO_SOURCE)
TASKS: list[Task] = [EXPAND, SEEDS, CountTask(12, 6, SOURCE)]
MERGE = MergeTask(12, 5, 100, SPAN, (SOURCE, OTHER), "02", DESTINATION)


@pytest.mark.parametrize("task", TASKS, ids=lambda task: type(task).__name__)
def test_every_path_of_a_task_is_replaced(task: Task) -> None:
    relocated = task.relocated(lambda path: path.replace("/mnt/nas", "/data"))
    assert repr(relocated) == repr(task).replace("/mnt/nas", "/data")
    assert type(relocated) is type(task)


@pytest.mark.parametrize("task", [*TASKS, MERGE], ids=lambda task: type(task).__name__)
def test_a_task_crosses_between_processes_and_can_be_remembered(task: Task | MergeTask) -> None:
    copy = pickle.loads(pickle.dumps(task))
    assert copy == task
    assert hash(copy) == hash(task)
    with pytest.raises(FrozenInstanceError):
        task.target = 4  # type: ignore[misc,union-attr]


def test_the_sources_of_a_task_are_the_files_that_it_reads() -> None:
    sources = [task.sources for task in TASKS]
    assert sources == [(SOURCE,), (), (SOURCE,)]


def test_the_seeds_come_from_source_0() -> None:
    assert (SEEDS.source_number, EXPAND.source_number) == (0, 7)


def test_a_result_sums_up_its_batches() -> None:
    batches = tuple(replace(BATCH, lists=lists, bytes=10 * lists) for lists in (2, 3))
    result = TaskResult("host", 1, "2026-01-01T00:00:00.000+00:00", 0.5, batches)
    assert (result.lists, result.bytes) == (5, 50)
    empty = replace(result, batches=())
    assert (empty.lists, empty.bytes) == (0, 0)


def test_a_bad_source_says_which_one_after_a_journey_too() -> None:
    error = pickle.loads(pickle.dumps(BadSource(4, 7, "missing")))
    assert (error.size, error.number, error.reason) == (4, 7, "missing")
    assert str(error) == "batch 7 of size 4: missing"


def test_other_lists_are_named_with_both_digests_after_a_journey_too() -> None:
    error = pickle.loads(pickle.dumps(OtherLists(4, "t12/s04/x", "0a", "0b")))
    assert (error.size, error.path, error.recorded, error.derived) == (4, "t12/s04/x", "0a", "0b")
    assert str(error).startswith(
        "t12/s04/x: its source gives other lists (digest 0b) than the database records (digest 0a), and nothing was "
        "replaced; 'setset check --deep --size 4'"
    )
