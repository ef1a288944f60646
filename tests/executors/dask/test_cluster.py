"""What the coordinator says and shows of a cluster whose scheduler is gone."""

import time
from types import SimpleNamespace

import pytest

pytest.importorskip("distributed")

from setset.executors.dask.executor import DaskExecutor
from setset.executors.dask.transfer import FileAccess
from setset.executors.dask.workers import Worker


def test_a_lost_scheduler_is_named_at_once_and_its_workers_are_gone() -> None:
    executor, heard = DaskExecutor("tcp://10.0.0.1:8786", FileAccess(), 1), list[str]()
    executor._client, executor._notice = SimpleNamespace(status="connecting"), heard.append
    executor._assignment.workers["tcp://10.0.0.2:1"] = Worker("tcp://10.0.0.2:1", 1, late=False, host="node2")
    executor._last_answer_at = time.monotonic() - executor._timeouts.line
    executor._send_messages()
    assert heard == ["waiting for the Dask scheduler at tcp://10.0.0.1:8786: it does not answer"]
    executor._handle_silence(1)
    assert [(worker.host, worker.state) for worker in executor.activity().workers] == [("node2", "gone")]
