"""Who gets which task, and who is blamed for a death."""

from __future__ import annotations

from concurrent.futures import Future

from setset.executors.base import WorkerDied
from setset.executors.dask.assignment import DEPTH, Assignment, PendingTask, Worker


def assignment(tasks: int, *slots: int) -> Assignment:
    found = Assignment()
    for number, each in enumerate(slots):
        found.workers[str(number)] = Worker(str(number), each, late=False, host="h", admitted=True)
    for number in range(tasks):
        found.queue.append(PendingTask(Future(), print, (number,)))
    return found


def assign(found: Assignment) -> dict[str, list[int]]:
    """Gives every worker what it can take; returns who has what."""
    while (chosen := found.next()) is not None:
        task, worker = chosen
        worker.tasks.append(task)
    return {address: [task.arguments[0] for task in worker.tasks] for address, worker in found.workers.items()}


def test_tasks_are_spread_and_bounded() -> None:
    assert assign(assignment(100, 1, 1)) == {"0": [0, 2], "1": [1, 3]}
    assert [len(tasks) for tasks in assign(assignment(100, 1, 4)).values()] == [DEPTH, 4 * DEPTH]


def test_the_last_tasks_wait_for_whoever_is_done_first() -> None:
    found = assignment(4, 1, 1)
    assert assign(found) == {"0": [0, 2], "1": [1]}
    found.workers["1"].tasks.clear()
    assert assign(found) == {"0": [0, 2], "1": [3]}


def test_who_is_not_admitted_or_not_running_gets_nothing() -> None:
    found = assignment(4, 1, 1, 1)
    found.workers["0"].admitted = False
    found.workers["1"].paused = True
    assert assign(found) == {"0": [], "1": [], "2": [0, 1]}


def test_a_cancelled_task_is_left_out() -> None:
    found = assignment(3, 1)
    found.queue[0].future.cancel()
    assert assign(found) == {"0": [1, 2]}


def test_of_several_tasks_none_is_blamed_and_each_is_tried_alone() -> None:
    found = assignment(4, 1, 1)
    assert assign(found) == {"0": [0, 2], "1": [1]}
    first, second = found.workers["0"].tasks
    found.remove_worker(found.workers["0"])
    assert not first.future.done()
    assert not second.future.done()
    found.workers["1"].tasks.clear()
    assert assign(found) == {"1": [0]}
    found.remove_worker(found.workers["1"])
    assert isinstance(first.future.exception(), WorkerDied)
    assert [task.arguments for task in found.queue] == [(2,), (3,)]


def test_an_task_that_was_executed_is_no_suspect_any_more() -> None:
    found = assignment(4, 1, 1)
    assign(found)
    found.remove_worker(found.workers["0"])
    found.clear(found.queue[0])
    found.workers["1"].tasks.clear()
    assert assign(found) == {"1": [0]}, "and the other one still waits for a worker of its own"


def test_messages_are_told_once() -> None:
    found = assignment(0, 1, 1)
    found.workers["0"].problem = "worker on h cannot see it"
    found.workers["1"].late = True
    assert found.problems() == ""
    assert found.new_messages() == ["a worker on h joined (1)", "worker on h cannot see it"]
    assert found.new_messages() == []
    del found.workers["1"]
    assert found.problems() == "worker on h cannot see it"
    assert Assignment().problems() == ""


def test_all_tasks_can_be_taken_back() -> None:
    found = assignment(4, 1)
    assign(found)
    assert sorted(task.arguments for task in found.empty()) == [(0,), (1,), (2,), (3,)]
    assert (found.next(), found.workers["0"].tasks) == (None, [])
