"""Translates errors on workers of a cluster to messages, and decides when to say what a run waits for."""

from dataclasses import dataclass

from setset.batches.files import NewerFormat
from setset.batches.ownership import ForeignRoot, RootGone
from setset.errors import NoSpace
from setset.executors.base import WorkerDied, WorkerFailed
from setset.executors.dask.client import first_line
from setset.executors.dask.transfer import OTHER_BUILD, UnreadableSource, find_bad_source
from setset.executors.dask.workers import PendingTask, Worker
from setset.tasks.kinds import BadSource, OtherLists

REPEAT = 60.0
"""Number of seconds after which the same message is sent again, if the run still waits."""


@dataclass(frozen=True)
class Failure:
    """Error of a task on a worker. A final error ends the task. After any other error, another worker gets the task."""

    error: BaseException
    is_final: bool


def explain(worker: Worker, task: PendingTask, error: BaseException, status: str) -> Failure:
    """Decides whether the error of a task is final. The error is not final if another worker may succeed, for example
    if the worker cannot read a disk.

    Args:
        worker: The worker that had the task.
        task: The task that failed.
        error: The error that Dask transported.
        status: Status of Dask's future.
    """
    match error:
        case OtherLists() | NewerFormat() | BadSource():
            return Failure(error, True)
        case UnreadableSource():
            bad = find_bad_source(task.arguments[0])
            if bad is not None:
                return Failure(bad, True)
            return Failure(WorkerFailed(f"on {worker.host}: cannot read a sound source batch: {error}"), False)
        case TimeoutError() if status != "error":
            return Failure(WorkerDied(f"the worker on {worker.host} died"), True)
        case WorkerFailed():
            return Failure(error, False)
        case NoSpace():
            return Failure(NoSpace(f"on {worker.host}: {error}"), False)
        case RootGone() | ForeignRoot():
            # Cuts off the advice, which is for a folder on the coordinator's machine.
            return Failure(WorkerFailed(f"on {worker.host}: {str(error).partition(': ')[0]}"), False)
    return Failure(WorkerFailed(f"on {worker.host}: {type(error).__name__}: {error}"), False)


def explain_check(error: BaseException) -> str:
    """Explains why the check of a worker raised an error, as the rest of a sentence after the worker's name."""
    if isinstance(error, ImportError | AttributeError) and "setset." in str(error):
        return OTHER_BUILD  # the worker has an older build without this check
    advice = ": pip install 'setset[dask]' there" if isinstance(error, ImportError) else ""
    return f"cannot run setset ({first_line(error)}){advice}"


def name_of(task: PendingTask) -> str:
    """Describes a task in messages, by its source batch."""
    source = task.arguments[0].source
    return "the task of the seeds" if source is None else f"the task of batch {source.number} of size {source.size}"


class WaitingLine:
    """Decides when to say what a run waits for: after some seconds of waiting, and again every minute."""

    def __init__(self, patience: float) -> None:
        self._patience = patience
        self._reason, self._since, self._told_at = "", 0.0, 0.0

    def update(self, reason: str, now: float, since: float | None = None) -> list[str]:
        """Returns the message to send now, as a list of at most one line. An empty `reason` says that the run no longer
        waits. `since` is the time when the run began to wait, by default the time of the first call with a reason."""
        if reason != self._reason:
            # A new reason is sent at once if the run waits already.
            self._since = self._since if self._reason and reason else now if since is None else since
            self._reason, self._told_at = reason, 0.0
        if not reason or now - self._since < self._patience or (self._told_at and now - self._told_at < REPEAT):
            return []
        self._told_at = now
        return [reason]
