"""Messages of the coordinator about failures of workers, and about what a run waits for."""

from dataclasses import dataclass

from setset.batches.files import NewerFormat
from setset.batches.roots import ForeignRoot, RootGone
from setset.errors import NoSpace
from setset.executors.base import WorkerDied, WorkerFailed
from setset.executors.dask.client import first_line
from setset.executors.dask.transfer import OTHER_BUILD, UnreadableSource, find_bad_source
from setset.executors.dask.workers import PendingTask, Worker
from setset.tasks.kinds import BadSource, OtherLists

REPEAT = 60.0
"""Seconds until the same message is sent again, if the run still waits."""


@dataclass(frozen=True)
class Failure:
    """Error of a task on a worker. A final error goes to the caller. After any other error, another worker is tried."""

    error: BaseException
    is_final: bool


def explain(worker: Worker, task: PendingTask, error: BaseException, status: str) -> Failure:
    """Classifies an error on a worker. If only this worker cannot read a file, the error is not final.

    Args:
        worker: The worker that the task was sent to.
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
            return Failure(WorkerFailed(f"on {worker.host}: cannot read the source, which is there: {error}"), False)
        case TimeoutError() if status != "error":
            return Failure(WorkerDied(f"the worker on {worker.host} died"), True)
        case WorkerFailed():
            return Failure(error, False)
        case NoSpace():
            return Failure(NoSpace(f"on {worker.host}: {error}"), False)
        case RootGone() | ForeignRoot():
            # The advice in these messages is for a folder of the coordinator, so cut it off.
            return Failure(WorkerFailed(f"on {worker.host}: {str(error).partition(': ')[0]}"), False)
    return Failure(WorkerFailed(f"on {worker.host}: {type(error).__name__}: {error}"), False)


def explain_check(error: BaseException) -> str:
    """Reason why the check of a worker raised an error, worded to follow the worker's name."""
    if isinstance(error, ImportError | AttributeError) and "setset." in str(error):
        return OTHER_BUILD  # an older build without this check
    advice = ": pip install 'setset[dask]' there" if isinstance(error, ImportError) else ""
    return f"cannot run setset ({first_line(error)}){advice}"


def name_of(task: PendingTask) -> str:
    """Description of a task for messages."""
    source = task.arguments[0].source
    return "the task of the seeds" if source is None else f"source {source.number} of size {source.size}"


class WaitingLine:
    """Decides when to say what a run waits for: after some seconds of waiting, and again every minute."""

    def __init__(self, patience: float) -> None:
        self._patience = patience
        self._reason, self._since, self._told_at = "", 0.0, 0.0

    def update(self, reason: str, now: float) -> list[str]:
        """Message to send now, as a list of at most one line. An empty reason means that the run no longer waits."""
        if reason != self._reason:
            # If the run waits already, a new reason is sent at once.
            self._since = self._since if self._reason and reason else now
            self._reason, self._told_at = reason, 0.0
        if not reason or now - self._since < self._patience or (self._told_at and now - self._told_at < REPEAT):
            return []
        self._told_at = now
        return [reason]
