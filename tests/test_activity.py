"""The file that says which worker has which task."""

from __future__ import annotations

import json
import threading
from pathlib import Path

import pytest

import setset
from setset import activity
from setset.activity import Activity, RunningTask, WorkerActivity
from setset.executors.local import LocalExecutor
from setset.folder import WorkspaceFolder
from setset.jobs.options import RunOptions
from setset.jobs.run import run
from setset.progress import NoProgress

BUSY = WorkerActivity("n1", "tcp://n1:1", "present", done=3, tasks=(RunningTask(5, 4, 7, "2026-01-01T00:00:00+00:00"),))


def test_what_was_written_is_read(tmp_path: Path) -> None:
    folder, expected = WorkspaceFolder(tmp_path), Activity((BUSY,), "http://127.0.0.1:8787/status")
    activity.write(folder, 4, expected)
    assert activity.read(folder, 4) == expected
    assert activity.read(folder, 5) == Activity(), "of another run"
    activity.remove(folder)
    assert activity.read(folder, 4) == Activity()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("content", ["", "{", "[]", "{}", '{"run": 4}', '{"run": 4, "workers": [{}], "dashboard": 1}'])
def test_a_damaged_file_is_ignored(content: str, tmp_path: Path) -> None:
    folder = WorkspaceFolder(tmp_path)
    folder.workers.write_text(content)
    assert activity.read(folder, 4) == Activity()


class LookInside(NoProgress):
    """Reads the status in the middle of a run."""

    def __init__(self, folder: WorkspaceFolder) -> None:
        self._folder, self.seen = folder, list[setset.Status]()

    def advance(self, size: int, lists_in: int, lists_out: int) -> None:  # noqa: ARG002
        if size == 4 and not self.seen:
            activity.write(self._folder, 1, Activity((BUSY,)))
            with setset.open(self._folder.path) as workspace:
                self.seen.append(workspace.status())


def test_status_names_the_worker_of_a_running_task(tmp_path: Path) -> None:
    folder = WorkspaceFolder(tmp_path / "w")
    look = LookInside(folder)
    run(folder, RunOptions(5, 16, 1, 20_000), look)
    (status,) = look.seen
    running = {item.what: item for item in status.items if item.state == "running" and item.size == 5}
    assert running, "tasks of the next size were claimed early"
    assert {item.detail for name, item in running.items() if name != "source 7 of size 4"} <= {
        "attempt 1, waiting for a worker"
    }
    assert status.workers == [BUSY]
    assert not folder.workers.exists(), "it ends with the run"


def test_local_workers_say_what_they_execute() -> None:
    executor, started = LocalExecutor(1), threading.Event()
    try:
        executor.submit(len, "abc").result()
        started.set()
        (worker,) = executor.activity().workers
        assert worker.address.startswith("pid ")
        assert (worker.state, worker.tasks) == ("present", ())
    finally:
        executor.shutdown()
    assert json.dumps(worker.address)
