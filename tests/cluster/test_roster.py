"""Who gets which order, and who is blamed for a death."""

from __future__ import annotations

from concurrent.futures import Future

from setset.executors.dask.assignment import DEPTH, Roster, Task, Worker
from setset.executors.local import WorkerDied


def roster(orders: int, *slots: int) -> Roster:
    found = Roster()
    for number, each in enumerate(slots):
        found.workers[str(number)] = Worker(str(number), each, late=False, host="h", admitted=True)
    for number in range(orders):
        found.queue.append(Task(Future(), print, (number,)))
    return found


def hand_out(found: Roster) -> dict[str, list[int]]:
    """Gives every worker what it can take; returns who has what."""
    while (chosen := found.next()) is not None:
        task, worker = chosen
        worker.tasks.append(task)
    return {
        address: [task.arguments[0] for task in worker.tasks] for address, worker in found.workers.items()
    }


def test_orders_are_spread_and_bounded() -> None:
    assert hand_out(roster(100, 1, 1)) == {"0": [0, 2], "1": [1, 3]}
    assert [len(tasks) for tasks in hand_out(roster(100, 1, 4)).values()] == [DEPTH, 4 * DEPTH]


def test_the_last_orders_wait_for_whoever_is_done_first() -> None:
    found = roster(4, 1, 1)
    assert hand_out(found) == {"0": [0, 2], "1": [1]}
    found.workers["1"].tasks.clear()
    assert hand_out(found) == {"0": [0, 2], "1": [3]}


def test_who_is_not_admitted_or_not_running_gets_nothing() -> None:
    found = roster(4, 1, 1, 1)
    found.workers["0"].admitted = False
    found.workers["1"].resting_since = 0.0
    assert hand_out(found) == {"0": [], "1": [], "2": [0, 1]}


def test_a_cancelled_order_is_left_out() -> None:
    found = roster(3, 1)
    found.queue[0].future.cancel()
    assert hand_out(found) == {"0": [1, 2]}


def test_of_several_orders_none_is_blamed_and_each_is_tried_alone() -> None:
    found = roster(4, 1, 1)
    assert hand_out(found) == {"0": [0, 2], "1": [1]}
    first, second = found.workers["0"].tasks
    found.bury(found.workers["0"])
    assert not first.future.done()
    assert not second.future.done()
    found.workers["1"].tasks.clear()
    assert hand_out(found) == {"1": [0]}
    found.bury(found.workers["1"])
    assert isinstance(first.future.exception(), WorkerDied)
    assert [task.arguments for task in found.queue] == [(2,), (3,)]


def test_an_order_that_was_carried_out_is_no_suspect_any_more() -> None:
    found = roster(4, 1, 1)
    hand_out(found)
    found.bury(found.workers["0"])
    found.clear(found.queue[0])
    found.workers["1"].tasks.clear()
    assert hand_out(found) == {"1": [0]}, "and the other one still waits for a worker of its own"


def test_news_is_told_once() -> None:
    found = roster(0, 1, 1)
    found.workers["0"].problem = "worker on h cannot see it"
    found.workers["1"].late = True
    assert found.problems() == ""
    assert found.news() == ["a worker on h joined (1)", "worker on h cannot see it"]
    assert found.news() == []
    del found.workers["1"]
    assert found.problems() == "worker on h cannot see it"
    assert Roster().problems() == ""
