"""Assignment of tasks to workers, and blame for a dead worker."""

from __future__ import annotations

from concurrent.futures import Future
from types import SimpleNamespace

from setset.errors import NoSpace
from setset.executors.base import WorkerDied
from setset.executors.dask.assignment import DEPTH, MOST_FAILURES, Assignment
from setset.executors.dask.workers import PendingTask, Worker, WorkerState


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
    found.workers["0"].problem, found.workers["0"].admitted = "worker on h cannot see it", False
    found.workers["1"].late = True
    assert found.problems() == ""
    assert found.new_messages(30) == ["a worker on h joined (1)", "worker on h cannot see it"]
    assert found.new_messages(30) == []
    del found.workers["1"]
    assert found.problems() == "worker on h cannot see it"
    assert Assignment().problems() == ""


def test_all_tasks_can_be_taken_back() -> None:
    found = assignment(4, 1)
    assign(found)
    assert sorted(task.arguments for task in found.empty()) == [(0,), (1,), (2,), (3,)]
    assert (found.next(), found.workers["0"].tasks) == (None, [])


def fail(found: Assignment, address: str, error: Exception | None = None) -> PendingTask:
    """The worker at an address fails its first task, and is being checked."""
    worker = found.workers[address]
    task = worker.tasks.pop(0)
    found.fail(worker, task, error or OSError("broken"))
    worker.checking = True
    return task


def test_a_failed_task_goes_to_another_worker_and_counts_when_none_is_left() -> None:
    found = assignment(1, 1, 1)
    for first, second in (("0", "1"), ("1", "0")):
        assert assign(found)[first] == [0]
        task = fail(found, first)
        assert found.take_hopeless() == [], "the check of the worker decides"
        found.end_check(found.workers[first], "")
        if task.failed_on != {"0", "1"}:
            assert assign(found) == {first: [], second: [0]}
            found.workers[second].tasks.clear()
            found.queue.append(task)
    assert [task for task, _ in found.take_hopeless()] == [task]


def test_a_check_that_explains_the_failure_clears_the_task_and_suspends_the_worker() -> None:
    found = assignment(4, 1, 1)
    assert assign(found) == {"0": [0, 2], "1": [1]}
    task = fail(found, "0")
    found.end_check(found.workers["0"], "cannot see the storage root /nas")
    assert (task.failed_on, task.error) == (set(), None)
    assert found.workers["0"].state is WorkerState.SUSPENDED
    found.workers["1"].tasks.clear()
    assert assign(found) == {"0": [], "1": [2, 0]}
    assert found.new_messages(30) == [
        "worker on h cannot see the storage root /nas; suspended, checked again every 30 s"
    ]
    found.end_check(found.workers["0"], "")
    assert found.workers["0"].ready


def test_a_worker_alone_with_a_lost_mount_keeps_its_tasks_waiting() -> None:
    found = assignment(2, 1)
    assign(found)
    fail(found, "0")
    found.end_check(found.workers["0"], "cannot see the storage root /nas")
    assert found.take_hopeless() == []
    assert len(found.queue) == 2
    assert found.waiting_for("tcp://s") == "waiting for a worker: h cannot see the storage root /nas"


def test_a_full_disk_everywhere_ends_what_was_begun() -> None:
    found = assignment(2, 1)
    assign(found)
    fail(found, "0", NoSpace("full"))
    found.end_check(found.workers["0"], "cannot write to the storage root /nas")
    assert [str(error) for _, error in found.take_hopeless()] == ["full", "full"]


def test_three_failures_in_a_row_suspend_a_worker_unless_it_is_the_last() -> None:
    found = assignment(9, 1, 1)
    for worker in found.workers.values():
        for _ in range(MOST_FAILURES):
            assign(found)
            fail(found, worker.address)
            found.end_check(worker, "")
    assert [worker.state for worker in found.workers.values()] == [WorkerState.SUSPENDED, WorkerState.PRESENT]
    assert found.workers["0"].problem == "worker on h failed 3 times in a row (broken)"


def test_a_late_task_has_a_copy_and_the_first_result_counts() -> None:
    found = assignment(1, 1, 1)
    assign(found)
    assert found.copy_late_tasks(60, now=10) == []
    (worker, task), *more = found.copy_late_tasks(60, now=100)
    assert (worker.address, more) == ("0", [])
    assert assign(found) == {"0": [0], "1": [0]}
    task.fail(OSError("slow and broken"))
    assert not task.future.done()
    found.workers["1"].tasks[0].succeed(7)
    assert task.future.result() == 7


def test_tasks_of_a_worker_that_stands_go_to_an_idle_one() -> None:
    found = assignment(1, 1, 1, 1)
    assign(found)
    found.workers["0"].silent = True
    assert [worker.address for worker, _ in found.copy_late_tasks(60, now=0)] == ["0"]
    assert assign(found) == {"0": [0], "1": [0], "2": []}
    assert found.copy_late_tasks(60, now=0) == [], "one at work is enough"
    found.workers["1"].paused = True
    assert len(found.copy_late_tasks(60, now=0)) == 1
    assert assign(found) == {"0": [0], "1": [0], "2": [0]}


def test_a_task_of_a_worker_that_was_cut_off_is_not_blamed() -> None:
    found = assignment(1, 1)
    assign(found)
    found.workers["0"].silent = True
    (task,) = found.workers["0"].tasks
    found.remove_worker(found.workers["0"])
    assert (list(found.queue), task.future.done()) == ([task], False)


def test_a_task_is_lost_if_the_scheduler_does_not_know_it_unless_its_worker_is_paused() -> None:
    """The scheduler reports a task as processing only after the worker can take it."""
    found = assignment(1, 1)
    assign(found)
    worker = found.workers["0"]
    (task,) = worker.tasks
    task.remote = SimpleNamespace(key="a", done=lambda: False, release=lambda: None)
    worker.paused = True
    assert worker.take_lost_tasks(set(), now=100, patience=60) == []
    worker.paused = False
    assert worker.take_lost_tasks({"a"}, now=200, patience=60) == []
    assert worker.take_lost_tasks({"b"}, now=260, patience=60) == []
    assert worker.take_lost_tasks({"b"}, now=261, patience=60) == [task]
    assert (worker.tasks, task.remote) == ([], None)


def test_a_worker_paused_before_its_check_is_named() -> None:
    found = assignment(0, 1)
    found.workers["0"].admitted, found.workers["0"].paused = False, True
    assert found.waiting_for("tcp://s").startswith("waiting for a worker: h is paused by Dask (short of memory")


def test_tasks_of_a_lost_scheduler_are_not_blamed() -> None:
    found = assignment(1, 1)
    assign(found)
    found.disconnect()
    assert (len(found.queue), found.workers) == (1, {})
