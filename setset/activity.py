"""The activity file: the workers of the current run and their tasks, for `setset status`.

It is a small file beside the database, and informational only. The database decides which tasks remain, and the lock
shows whether a run is under way. A killed run leaves a stale file. `read` ignores the file of another run.
"""

from __future__ import annotations

import contextlib
import dataclasses
import datetime
import json
from dataclasses import dataclass

from setset.folder import WorkspaceFolder

MOST_BYTES = 10_000_000
"""Maximum number of bytes of the activity file. A larger file is ignored."""


@dataclass(frozen=True)
class RunningTask:
    """A task (expansion) that a worker has. `since` is None while the task waits in the worker's queue."""

    size: int
    source_size: int
    source: int
    since: str | None
    """Start time of the task in UTC, by the coordinator's clock."""


@dataclass(frozen=True)
class WorkerActivity:
    """A worker process of a run: its state and its tasks."""

    host: str
    address: str
    state: str
    """One of present, checking, refused, suspended, paused, silent or gone."""
    detail: str = ""
    """Reason for the state. Empty if the state is `present`."""
    done: int = 0
    failed: int = 0
    tasks: tuple[RunningTask, ...] = ()


@dataclass(frozen=True)
class Activity:
    """All workers of a run, and the address of the Dask dashboard if there is one."""

    workers: tuple[WorkerActivity, ...] = ()
    dashboard: str | None = None


def ago(seconds: float) -> str:
    """Returns the UTC time `seconds` ago, in ISO format."""
    moment = datetime.datetime.now(datetime.UTC) - datetime.timedelta(seconds=seconds)
    return moment.isoformat(timespec="seconds")


def write(folder: WorkspaceFolder, run_id: int, activity: Activity) -> None:
    """Replaces the activity file. Ignores disk errors, because the run does not need the file."""
    content = json.dumps({"run": run_id, **dataclasses.asdict(activity)})
    new = folder.workers.with_name(f".{folder.workers.name}.new")
    with contextlib.suppress(OSError):
        new.write_text(content)
        new.replace(folder.workers)


def remove(folder: WorkspaceFolder) -> None:
    """Removes the activity file at the end of a run."""
    with contextlib.suppress(OSError):
        folder.workers.unlink(missing_ok=True)


def read(folder: WorkspaceFolder, run_id: int) -> Activity:
    """Reads the activity of a run. Empty if the file is missing, corrupted or of another run."""
    with contextlib.suppress(OSError, ValueError, TypeError, LookupError, AttributeError, RecursionError):
        if folder.workers.is_file() and folder.workers.stat().st_size <= MOST_BYTES:
            content = json.loads(folder.workers.read_text())
            if content.pop("run") == run_id:
                workers = tuple(
                    WorkerActivity(**{**worker, "tasks": tuple(RunningTask(**task) for task in worker["tasks"])})
                    for worker in content["workers"]
                )
                return Activity(workers, content["dashboard"])
    return Activity()
