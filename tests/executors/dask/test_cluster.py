"""The coordinator's view of a cluster, without a cluster."""

import time
from concurrent.futures import Future
from types import SimpleNamespace

import pytest

pytest.importorskip("distributed")

from setset.executors.dask import cluster
from setset.executors.dask.executor import DaskExecutor
from setset.executors.dask.transfer import FileAccess
from setset.executors.dask.workers import PendingTask, Worker


def test_a_lost_scheduler_is_named_at_once_and_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its workers are gone. Dask itself would look only at the old address."""
    executor, heard = DaskExecutor("tcp://10.0.0.1:8786", FileAccess(), 1), list[str]()
    lost, found = SimpleNamespace(status="connecting"), SimpleNamespace(status="running")
    executor._client, executor._notice, executor._backlog = lost, heard.append, [SimpleNamespace()]
    executor._assignment.workers["tcp://10.0.0.2:1"] = Worker("tcp://10.0.0.2:1", 1, late=False, host="node2")
    executor._last_answer_at = time.monotonic() - executor._timeouts.line
    executor._send_messages()
    assert heard == ["waiting for the Dask scheduler at tcp://10.0.0.1:8786: it does not answer"]
    closed: list[object] = []
    monkeypatch.setattr(cluster, "connect", lambda *_: found)
    monkeypatch.setattr(cluster, "close", closed.append)
    executor._handle_silence(1)
    assert (executor._client, closed, executor._backlog) == (found, [lost], [])
    assert [(worker.host, worker.state) for worker in executor.activity().workers] == [("node2", "gone")]


def test_results_in_the_wrong_order_do_not_make_tasks_look_long() -> None:
    """Otherwise no task would ever be late."""
    executor, worker = DaskExecutor("tcp://10.0.0.1:8786", FileAccess(), 1), Worker("a", 1, late=False)
    executor._client = SimpleNamespace(status="closed")
    remote = SimpleNamespace(result=lambda timeout: timeout, status="finished")
    first, second = (PendingTask(Future(), print, (number,), remote) for number in range(2))
    for task in (first, second):
        worker.give(task, time.monotonic())
    executor._finish(worker, second, remote)
    assert (second.future.done(), worker.tasks, executor._longest_task) == (True, [first], 0)
