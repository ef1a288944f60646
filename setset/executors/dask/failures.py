"""Failures of workers in the words of the coordinator, and lines about the thing that a run waits for."""

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
"""Seconds after which a line is printed again, if the run still waits for the same thing."""


@dataclass(frozen=True)
class Failure:
    """Error of a task on a worker. A final one goes to the caller; otherwise another worker may do better."""

    error: BaseException
    is_final: bool


def explain(worker: Worker, task: PendingTask, error: BaseException, status: str) -> Failure:
    """Meaning of an error on a worker. A file that a worker cannot see is a fact about that worker.

    Args:
        worker: The worker that the task was sent to.
        task: The task that failed.
        error: The error, as Dask brought it.
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
            # Their advice is for the coordinator's folder.
            return Failure(WorkerFailed(f"on {worker.host}: {str(error).partition(': ')[0]}"), False)
    return Failure(WorkerFailed(f"on {worker.host}: {type(error).__name__}: {error}"), False)


def explain_check(error: BaseException) -> str:
    """Reason why a worker could not even begin its check, to be read after its name."""
    if isinstance(error, ImportError | AttributeError) and "setset." in str(error):
        return OTHER_BUILD  # a build without this check
    advice = ": pip install 'setset[dask]' there" if isinstance(error, ImportError) else ""
    return f"cannot run setset ({first_line(error)}){advice}"


def name_of(task: PendingTask) -> str:
    """A task for people."""
    source = task.arguments[0].source
    return "the task of the seeds" if source is None else f"source {source.number} of size {source.size}"


class WaitingLine:
    """Prints the thing that a run waits for once it has waited for some seconds, and again every minute."""

    def __init__(self, patience: float) -> None:
        self._patience = patience
        self._reason, self._since, self._told_at = "", 0.0, 0.0

    def update(self, reason: str, now: float) -> list[str]:
        """The line to print now, if there is one. An empty reason ends the waiting."""
        if reason != self._reason:
            # A reason that follows another one is told at once.
            self._since = self._since if self._reason and reason else now
            self._reason, self._told_at = reason, 0.0
        if not reason or now - self._since < self._patience or (self._told_at and now - self._told_at < REPEAT):
            return []
        self._told_at = now
        return [reason]
