"""Assignment of tasks to workers, and blame for a dead worker."""

from __future__ import annotations

from concurrent.futures import Future
from types import SimpleNamespace

from setset.errors import NoSpace
from setset.executors.base import WorkerDied
from setset.executors.dask.assignment import DEPTH, MOST_FAILURES, Assignment
from setset.executors.dask.workers import PendingTask, Worker, WorkerState


def assignment(tasks: int, *slots: int) -> Assignment:
    assigned = Assignment()
    for number, slot_count in enumerate(slots):
        assigned.workers[str(number)] = Worker(str(number), slot_count, late=False, host="h", admitted=True)
    for number in range(tasks):
        assigned.queue.append(PendingTask(Future(), print, (number,)))
    return assigned


def assign(assigned: Assignment) -> dict[str, list[int]]:
    """Gives every worker what it can take; returns who has what."""
    while (pair := assigned.next()) is not None:
        task, worker = pair
        worker.tasks.append(task)
    return {address: [task.arguments[0] for task in worker.tasks] for address, worker in assigned.workers.items()}


def test_tasks_are_spread_and_bounded() -> None:
    assert assign(assignment(100, 1, 1)) == {"0": [0, 2], "1": [1, 3]}
    assert [len(tasks) for tasks in assign(assignment(100, 1, 4)).values()] == [DEPTH, 4 * DEPTH]


def test_the_last_tasks_wait_for_whoever_is_done_first() -> None:
    assigned = assignment(4, 1, 1)
    assert assign(assigned) == {"0": [0, 2], "1": [1]}
    assigned.workers["1"].tasks.clear()
    assert assign(assigned) == {"0": [0, 2], "1": [3]}


def test_who_is_not_admitted_or_not_running_gets_nothing() -> None:
    assigned = assignment(4, 1, 1, 1)
    assigned.workers["0"].admitted = False
    assigned.workers["1"].paused = True
    assert assign(assigned) == {"0": [], "1": [], "2": [0, 1]}


def test_a_cancelled_task_is_left_out() -> None:
    assigned = assignment(3, 1)
    assigned.queue[0].future.cancel()
    assert assign(assigned) == {"0": [1, 2]}


def test_of_several_tasks_none_is_blamed_and_each_is_tried_alone() -> None:
    assigned = assignment(4, 1, 1)
    assert assign(assigned) == {"0": [0, 2], "1": [1]}
    first, second = assigned.workers["0"].tasks
    assigned.remove_worker(assigned.workers["0"])
    assert not first.future.done()
    assert not second.future.done()
    assigned.workers["1"].tasks.clear()
    assert assign(assigned) == {"1": [0]}
    assigned.remove_worker(assigned.workers["1"])
    assert isinstance(first.future.exception(), WorkerDied)
    assert [task.arguments for task in assigned.queue] == [(2,), (3,)]


def test_an_task_that_was_executed_is_no_suspect_any_more() -> None:
    assigned = assignment(4, 1, 1)
    assign(assigned)
    assigned.remove_worker(assigned.workers["0"])
    assigned.clear(assigned.queue[0])
    assigned.workers["1"].tasks.clear()
    assert assign(assigned) == {"1": [0]}, "and the other one still waits for a worker of its own"


def test_messages_are_told_once() -> None:
    assigned = assignment(0, 1, 1)
    assigned.workers["0"].problem, assigned.workers["0"].admitted = "worker on h cannot see it", False
    assigned.workers["1"].late = True
    assert assigned.problems() == ""
    assert assigned.new_messages(30) == ["a worker on h joined (1)", "worker on h cannot see it"]
    assert assigned.new_messages(30) == []
    del assigned.workers["1"]
    assert assigned.problems() == "worker on h cannot see it"
    assert Assignment().problems() == ""


def test_all_tasks_can_be_taken_back() -> None:
    assigned = assignment(4, 1)
    assign(assigned)
    assert sorted(task.arguments for task in assigned.empty()) == [(0,), (1,), (2,), (3,)]
    assert (assigned.next(), assigned.workers["0"].tasks) == (None, [])


def fail(assigned: Assignment, address: str, error: Exception | None = None) -> PendingTask:
    """The worker at an address fails its first task, and is being checked."""
    worker = assigned.workers[address]
    task = worker.tasks.pop(0)
    assigned.fail(worker, task, error or OSError("broken"))
    worker.checking = True
    return task


def test_a_failed_task_goes_to_another_worker_and_counts_when_none_is_left() -> None:
    assigned = assignment(1, 1, 1)
    for first, second in (("0", "1"), ("1", "0")):
        assert assign(assigned)[first] == [0]
        task = fail(assigned, first)
        assert assigned.take_hopeless() == [], "the check of the worker decides"
        assigned.end_check(assigned.workers[first], "")
        if task.failed_on != {"0", "1"}:
            assert assign(assigned) == {first: [], second: [0]}
            assigned.workers[second].tasks.clear()
            assigned.queue.append(task)
    assert [task for task, _ in assigned.take_hopeless()] == [task]


def test_a_check_that_explains_the_failure_clears_the_task_and_suspends_the_worker() -> None:
    assigned = assignment(4, 1, 1)
    assert assign(assigned) == {"0": [0, 2], "1": [1]}
    task = fail(assigned, "0")
    assigned.end_check(assigned.workers["0"], "cannot see the storage root /nas")
    assert (task.failed_on, task.error) == (set(), None)
    assert assigned.workers["0"].state is WorkerState.SUSPENDED
    assigned.workers["1"].tasks.clear()
    assert assign(assigned) == {"0": [], "1": [2, 0]}
    assert assigned.new_messages(30) == [
        "worker on h cannot see the storage root /nas; suspended, checked again every 30 s"
    ]
    assigned.end_check(assigned.workers["0"], "")
    assert assigned.workers["0"].ready


def test_a_worker_alone_with_a_lost_mount_keeps_its_tasks_waiting() -> None:
    assigned = assignment(2, 1)
    assign(assigned)
    fail(assigned, "0")
    assigned.end_check(assigned.workers["0"], "cannot see the storage root /nas")
    assert assigned.take_hopeless() == []
    assert len(assigned.queue) == 2
    assert assigned.waiting_for("tcp://s") == "waiting for a worker: h cannot see the storage root /nas"


def test_a_full_disk_everywhere_ends_what_was_begun() -> None:
    assigned = assignment(2, 1)
    assign(assigned)
    fail(assigned, "0", NoSpace("full"))
    assigned.end_check(assigned.workers["0"], "cannot write to the storage root /nas")
    assert [str(error) for _, error in assigned.take_hopeless()] == ["full", "full"]


def test_three_failures_in_a_row_suspend_a_worker_unless_it_is_the_last() -> None:
    assigned = assignment(9, 1, 1)
    for worker in assigned.workers.values():
        for _ in range(MOST_FAILURES):
            assign(assigned)
            fail(assigned, worker.address)
            assigned.end_check(worker, "")
    assert [worker.state for worker in assigned.workers.values()] == [WorkerState.SUSPENDED, WorkerState.PRESENT]
    assert assigned.workers["0"].problem == "worker on h failed 3 times in a row (broken)"


def test_a_late_task_has_a_copy_and_the_first_result_counts() -> None:
    assigned = assignment(1, 1, 1)
    assign(assigned)
    assert assigned.copy_late_tasks(60, now=10) == []
    (worker, task), *more = assigned.copy_late_tasks(60, now=100)
    assert (worker.address, more) == ("0", [])
    assert assign(assigned) == {"0": [0], "1": [0]}
    task.fail(OSError("slow and broken"))
    assert not task.future.done()
    assigned.workers["1"].tasks[0].succeed(7)
    assert task.future.result() == 7


def test_a_task_that_waits_behind_a_late_one_has_a_copy_too() -> None:
    assigned = assignment(2, 1)
    assert assign(assigned) == {"0": [0, 1]}
    for address in ("1", "2"):
        assigned.workers[address] = Worker(address, 1, late=False, admitted=True)
    assigned.workers["0"].start_tasks(10)
    assigned.workers["0"].tasks[1].seen_at = 99.0  # the scheduler still has it
    assert assigned.copy_late_tasks(60, now=60) == []
    assert len(assigned.copy_late_tasks(60, now=100)) == 2
    assert assign(assigned) == {"0": [0, 1], "1": [0], "2": [1]}


def test_tasks_of_a_worker_that_stands_go_to_an_idle_one() -> None:
    assigned = assignment(1, 1, 1, 1)
    assign(assigned)
    assigned.workers["0"].silent = True
    assert [worker.address for worker, _ in assigned.copy_late_tasks(60, now=0)] == ["0"]
    assert assign(assigned) == {"0": [0], "1": [0], "2": []}
    assert assigned.copy_late_tasks(60, now=0) == [], "one at work is enough"
    assigned.workers["1"].paused = True
    assert len(assigned.copy_late_tasks(60, now=0)) == 1
    assert assign(assigned) == {"0": [0], "1": [0], "2": [0]}


def test_a_task_of_a_worker_that_was_cut_off_is_not_blamed() -> None:
    assigned = assignment(1, 1)
    assign(assigned)
    assigned.workers["0"].silent = True
    (task,) = assigned.workers["0"].tasks
    assigned.remove_worker(assigned.workers["0"])
    assert (list(assigned.queue), task.future.done()) == ([task], False)


def test_a_task_is_lost_if_the_scheduler_does_not_know_it_unless_its_worker_is_paused() -> None:
    """The scheduler reports a task as processing only after the worker can take it."""
    assigned = assignment(1, 1)
    assign(assigned)
    worker = assigned.workers["0"]
    (task,) = worker.tasks
    task.remote = SimpleNamespace(key="a", done=lambda: False, release=lambda: None)
    worker.paused = True
    assert worker.take_lost_tasks(set(), now=100, patience=60) == []
    worker.paused = False
    assert worker.take_lost_tasks({"a"}, now=200, patience=60) == []
    assert worker.take_lost_tasks({"b"}, now=260, patience=60) == []
    assert worker.take_lost_tasks({"b"}, now=261, patience=60) == [task]
    assert (worker.tasks, task.remote) == ([], None)


def test_a_task_behind_a_lost_task_starts_then() -> None:
    worker = Worker("0", 1, late=False, host="h", admitted=True)
    lost, waiting = (PendingTask(Future(), print, (number,)) for number in range(2))
    for task, key in ((lost, "a"), (waiting, "b")):
        task.remote = SimpleNamespace(key=key, done=lambda: False, release=lambda: None)
        worker.give(task, now=100)
    assert waiting.started_at == 0
    assert worker.take_lost_tasks({"b"}, now=161, patience=60) == [lost]
    assert waiting.started_at == 161


def test_a_worker_paused_before_its_check_is_named() -> None:
    assigned = assignment(0, 1)
    assigned.workers["0"].admitted, assigned.workers["0"].paused = False, True
    assert assigned.waiting_for("tcp://s").startswith("waiting for a worker: h is paused by Dask (short of memory")


def test_tasks_of_a_lost_scheduler_are_not_blamed() -> None:
    assigned = assignment(1, 1)
    assign(assigned)
    assigned.disconnect()
    assert (len(assigned.queue), assigned.workers) == (1, {})
