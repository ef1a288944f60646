"""Workers of the run that is under way, and the task of each: a small file beside the database.

The file is for people. The database decides about the work, and the lock tells whether there is a run at all. A file of
an earlier run that was killed is ignored, since it names another run.
"""

from __future__ import annotations

import contextlib
import dataclasses
import datetime
import json
from dataclasses import dataclass

from setset.folder import WorkspaceFolder

MOST_BYTES = 10_000_000
"""Maximum size of the file; a larger one is something else."""


@dataclass(frozen=True)
class RunningTask:
    """A task that a worker has. `since` is None while it waits there for another task."""

    size: int
    source_size: int
    source: int
    since: str | None
    """By the clock of the coordinator, in UTC."""


@dataclass(frozen=True)
class WorkerActivity:
    """A worker process, its state and its tasks."""

    host: str
    address: str
    state: str
    """present, checking, refused, suspended, paused, silent or gone."""
    detail: str = ""
    """Reason for a state other than present."""
    done: int = 0
    failed: int = 0
    tasks: tuple[RunningTask, ...] = ()


@dataclass(frozen=True)
class Activity:
    """All workers of a run, and the page of the scheduler if it has one."""

    workers: tuple[WorkerActivity, ...] = ()
    dashboard: str | None = None


def ago(seconds: float) -> str:
    """The time `seconds` ago, in UTC."""
    moment = datetime.datetime.now(datetime.UTC) - datetime.timedelta(seconds=seconds)
    return moment.isoformat(timespec="seconds")


def write(folder: WorkspaceFolder, run_id: int, activity: Activity) -> None:
    """Replaces the file. A disk that cannot take it is no problem of the run."""
    content = json.dumps({"run": run_id, **dataclasses.asdict(activity)})
    new = folder.workers.with_name(f".{folder.workers.name}.new")
    with contextlib.suppress(OSError):
        new.write_text(content)
        new.replace(folder.workers)


def remove(folder: WorkspaceFolder) -> None:
    """Removes the file at the end of a run."""
    with contextlib.suppress(OSError):
        folder.workers.unlink(missing_ok=True)


def read(folder: WorkspaceFolder, run_id: int) -> Activity:
    """Activity of a run. Nothing if the file is missing, damaged or of another run."""
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
