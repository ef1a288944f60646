"""The coordinator: one loop for a whole run, and the only writer of the database.

The commands run, repair and count make all batch files and counts here. A result is proven if all files of the
expansion are recorded, and made from the source as it is recorded now. First `work_through` forgets results that are
not proven, and plans the missing expansions. Then the coordinator claims expansions, submits them to an executor, and
collects results. It records results and claims the next expansions in one transaction. Smaller sizes come first. When
too few expansions of a size remain for all workers, the coordinator continues with the next size, so sizes overlap.
"""

import signal
import time
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from pathlib import Path

from setset import activity
from setset.batches.files import NewerFormat
from setset.batches.ownership import RootState, require_root, root_state
from setset.database import batches, expansions, runs
from setset.database.expansions import ClaimedExpansion, Finished, Job, Remaining
from setset.database.models import Work
from setset.errors import InTheWay, NoSpace, SetsetError
from setset.executors.base import ATTEMPTS, ExecutorLost, ObservableExecutor, worker_count
from setset.jobs.signals import StopRequest
from setset.maintenance import proof
from setset.progress import Activity, ProgressListener
from setset.tasks.execute import execute
from setset.tasks.kinds import BadSource, Destination, ExpandTask, OtherLists, TaskResult

WINDOW = 3
"""Maximum number of submitted tasks per worker. With several, no worker is idle while the database is written."""
RECORD_SECONDS = 0.5
"""Maximum seconds that results wait for further results, to be recorded in one transaction. They wait only while
every worker has a further task."""
ACTIVITY_SECONDS = 2.0
"""Number of seconds between two writes of the activity file, for `setset status`. A shorter run writes none."""
DRAIN_SECONDS = 5.0
"""Maximum number of seconds that an interrupted run waits for the tasks that workers have begun."""
MOST_ROUNDS = 20
"""Maximum number of rounds in `work_through`. If a size was made again, the larger sizes may need a further round."""


def work_through(
    job: Job, get_executor: Callable[[], Executor], workers: int, progress: ProgressListener, stop: StopRequest
) -> None:
    """Does all expansions of a job until its result is proven. Starts the executor only if there is work."""
    for _ in range(MOST_ROUNDS):
        largest = max((step.size for step in job.steps if step.work is Work.STORE), default=0)
        proof.forget_unproven(job.exploration, largest, progress)
        expansions.plan(job)
        if not expansions.any_claimable(job):
            return
        Coordinator(job, get_executor(), workers, progress, stop).work()
    raise SetsetError(
        f"results of target {job.exploration.target} are still not proven after {MOST_ROUNDS} attempts: the disk may "
        "be faulty, run 'setset check --deep'"
    )


class ExpansionsFailed(SetsetError):
    """Some expansions failed, and the run gave them up."""

    def __init__(self, failures: list[ClaimedExpansion]) -> None:
        super().__init__(failures)
        self.failures = failures

    def __str__(self) -> str:
        first = self.failures[0]
        more = f" (and {len(self.failures) - 1} more, see 'setset status')" if len(self.failures) > 1 else ""
        times = "once" if first.attempts == 1 else f"{first.attempts} times"
        return f"{first} failed {times}: {first.error}{more}; 'setset run' tries again"


class Coordinator:
    """Works through a job, from the first claim to the last record."""

    def __init__(
        self, job: Job, executor: Executor, workers: int, progress: ProgressListener, stop: StopRequest
    ) -> None:
        self._job, self._executor = job, executor
        self._workers, self._progress, self._stop = workers, progress, stop
        self._report = _Report(job, progress)
        self._in_flight: dict[Future[TaskResult], ClaimedExpansion] = {}
        self._finished: list[Finished] = []
        self._unfinished: list[ClaimedExpansion] = []
        self._failures: list[ClaimedExpansion] = []
        self._fatal: SetsetError | None = None
        self._draining = False
        self._activity_due = time.monotonic() + ACTIVITY_SECONDS

    def work(self) -> None:
        """Works until there is no expansion left to claim. Records finished work before it raises an error."""
        try:
            self._report.update()
            self._record_and_claim(self._room())
            due = time.monotonic() + RECORD_SECONDS
            while self._in_flight:
                self._collect(0.2)
                self._show_activity()
                if self._stop or self._fatal:
                    break
                # Each worker has a task waiting besides the task that it executes.
                all_have_more = len(self._in_flight) > 2 * self._workers
                if not self._unfinished and all_have_more and time.monotonic() < due:
                    continue
                due = time.monotonic() + RECORD_SECONDS
                joined = worker_count(self._executor, self._workers) > self._workers
                if self._finished or self._unfinished or joined:
                    self._record_and_claim(self._room())
        except KeyboardInterrupt:
            # Without a signal handler, as in a library, the tasks in flight get the same few seconds.
            self._stop.receive(signal.SIGINT)
            raise
        finally:
            self._drain()
            self._report.update(is_over=True)
        if self._stop:
            self._stop.raise_if_set()
        if self._fatal:
            raise self._fatal
        if self._failures:
            raise ExpansionsFailed(self._failures)

    def _show_activity(self) -> None:
        """Writes the task of each worker for `status`, every ACTIVITY_SECONDS."""
        now = time.monotonic()
        if isinstance(self._executor, ObservableExecutor) and now > self._activity_due:
            self._activity_due = now + ACTIVITY_SECONDS
            activity.write(self._job.database.folder, self._job.run_id, self._executor.activity())

    def _room(self) -> int:
        """Number of further tasks to submit for the current workers. Records the number of workers if it changed."""
        workers = max(1, worker_count(self._executor, self._workers))
        if workers != self._workers:
            self._workers = workers
            runs.set_workers(self._job.database, self._job.run_id, workers)
        return max(0, WINDOW * workers - len(self._in_flight))

    def _record_and_claim(self, want: int) -> None:
        # Cleared first, so that an interrupt after the transaction records no result a second time.
        finished, unfinished, self._finished, self._unfinished = self._finished, self._unfinished, [], []
        claimed = expansions.record_and_claim(self._job, finished, unfinished, want)
        try:
            while claimed:
                future = self._executor.submit(execute, claimed[0].task)
                self._in_flight[future] = claimed.pop(0)
        finally:
            self._unfinished += claimed  # not submitted
        self._report.update(finished)

    def _collect(self, seconds: float) -> None:
        for future in wait(self._in_flight, timeout=seconds, return_when=FIRST_COMPLETED).done:
            expansion = self._in_flight[future]
            error = None if future.cancelled() else future.exception()
            if future.cancelled() or (error and (self._draining or self._stop)):
                # When the run ends, a worker that is stopped does not count as a failure of its task.
                self._unfinished.append(expansion)
            elif error is None:
                self._finished.append((expansion, future.result()))
            else:
                self._handle(expansion, error)  # if this raises, the expansion is put back with the tasks in flight
            del self._in_flight[future]

    def _handle(self, expansion: ClaimedExpansion, error: BaseException) -> None:
        """Retries or gives up a failed expansion, or ends the run. Raises unexpected errors."""
        if isinstance(error, NoSpace | ExecutorLost | InTheWay | NewerFormat):
            self._fatal = self._out_of_space(expansion, error) if isinstance(error, NoSpace) else error
            self._unfinished.append(expansion)
        elif isinstance(error, BrokenExecutor):
            self._fatal = ExecutorLost(f"the executor is broken ({error}): 'setset run' resumes")
            self._unfinished.append(expansion)
        elif isinstance(error, BadSource):
            self._forget_source(expansion, error)
        elif isinstance(error, OtherLists):
            self._give_up(expansion, str(error))  # the same task would fail again
        elif isinstance(error, (OSError, SetsetError, MemoryError)):
            self._retry(expansion, f"{type(error).__name__}: {error}")
        else:
            raise error

    def _forget_source(self, expansion: ClaimedExpansion, bad: BadSource) -> None:
        """Plans to make a corrupted source batch again. The failed expansion waits for this batch."""
        source, exploration = expansion.task.source, self._job.exploration
        batch = batches.find(exploration.at(bad.size), bad.number)
        if batch is None or source is None or batch.digest != source.digest:
            # The size of the source is being made again, and the number belongs to another batch now.
            self._unfinished.append(expansion)
            return
        # A missing disk is no defect of the batch, and other expansions would fail too, so it ends the run.
        _require_root(self._job.destinations[batch.root_id])
        if batch.defect is None:
            self._progress.notice(f"{bad}; rebuilding it")
            expansions.forget_files(exploration.size(bad.size), {batch: bad.reason})
        self._retry(expansion, str(bad), quiet=True)

    def _retry(self, expansion: ClaimedExpansion, error: str, quiet: bool = False) -> None:
        if isinstance(expansion.task, ExpandTask):
            # A missing disk or a damaged token is not the fault of the expansion, so it ends the run.
            _require_root(expansion.task.destination)
        if expansion.attempts + 1 >= ATTEMPTS:
            self._give_up(expansion, error)
            return
        if not quiet:
            self._progress.notice(f"{expansion}: {error}; trying again")
        self._unfinished.append(expansion.tried_again(error))

    def _give_up(self, expansion: ClaimedExpansion, error: str) -> None:
        self._failures.append(expansion.tried_again(error, given_up=True))
        self._unfinished.append(self._failures[-1])
        self._progress.notice(f"{expansion}: {error}; given up")

    def _drain(self) -> None:
        """Cancels tasks that have not begun, waits for the others, and records their results."""
        self._draining = True
        # Removed here, since `wait` never reports a future that is cancelled before a worker takes it.
        for future in [future for future in self._in_flight if future.cancel()]:
            self._unfinished.append(self._in_flight.pop(future))
        deadline = time.monotonic() + (DRAIN_SECONDS if self._stop else 600)
        while self._in_flight and time.monotonic() < deadline and not self._stop.at_once.is_set():
            self._collect(0.2)
        self._unfinished += self._in_flight.values()
        self._record_and_claim(0)

    def _out_of_space(self, expansion: ClaimedExpansion, error: NoSpace) -> NoSpace:
        """Returns the error with a rough estimate of the space needed, based on finished expansions."""
        exploration, size, task = self._job.exploration, expansion.task.size, expansion.task
        left = sum(item.lists_in for item in expansions.remaining(self._job) if item.step.size == size)
        before = 0 if task.source is None else task.source.size
        all_totals = (batches.totals(exploration.at(number)) for number in (size, before))
        lists, file_bytes = next((totals for totals in all_totals if totals[0]), (1, 0))
        need = left * 10 * file_bytes / lists / 1e6
        where = f" in {task.destination.root}" if isinstance(task, ExpandTask) else ""
        return NoSpace(
            f"{error}; about {max(need, 1):,.0f} MB more are needed for size {size}: make room{where}, "
            "or give another folder with --output, and run again"
        )


def _require_root(destination: Destination) -> None:
    """Raises an error if a storage root has no valid token. Waits some seconds for a missing root to come back."""
    root = Path(destination.root)
    for _ in range(ATTEMPTS):
        if root_state(root, destination.owner) is not RootState.MISSING:
            break
        time.sleep(1)
    require_root(root, destination.owner)


class _Report:
    """Reports progress to the listener, one size after the other, smallest first.

    Expansions of several sizes run at the same time. So the report holds back the results of a size until the smaller
    sizes have ended. By then all expansions of the size are planned, and the listener gets their number.
    """

    def __init__(self, job: Job, progress: ProgressListener) -> None:
        self._job, self._progress = job, progress
        self._size = self._tasks_left = 0
        self._unreported: list[Finished] = []

    def update(self, finished: Sequence[Finished] = (), is_over: bool = False) -> None:
        """Reports expansions that are finished and recorded. If `is_over`, ends the report of the current size, even if
        some of its expansions are not done."""
        self._unreported += finished
        while True:
            self._report_results()
            if self._size and not is_over and self._tasks_left > 0:
                return
            if self._size:
                self._progress.end(self._size)
                self._size = 0
            sizes = {claimed.task.size for claimed, _ in self._unreported}
            if is_over and not sizes:
                return
            remaining = expansions.remaining(self._job)
            sizes |= set() if is_over else {item.step.size for item in remaining}
            if not sizes:
                return
            self._begin(min(sizes), remaining)

    def _begin(self, size: int, remaining: Sequence[Remaining]) -> None:
        left = [item for item in remaining if item.step.size == size]
        early = [claimed.expansion.lists_in for claimed, _ in self._unreported if claimed.task.size == size]
        self._size, self._tasks_left = size, sum(item.tasks for item in left) + len(early)
        counts = any(step.size == size and step.work is Work.COUNT for step in self._job.steps)
        activity = Activity.COUNT if counts else Activity.STORE
        lists_in = sum(item.lists_in for item in left) + sum(early)
        self._progress.begin(size, activity, self._tasks_left, lists_in)

    def _report_results(self) -> None:
        """Reports the results of the current size and of smaller sizes."""
        reported = [finished for finished in self._unreported if finished[0].task.size <= self._size]
        self._unreported = [finished for finished in self._unreported if finished[0].task.size > self._size]
        for claimed, result in reported:
            size, lists_in = claimed.task.size, claimed.expansion.lists_in
            alone = size != self._size  # a damaged source of a smaller size that was made again
            if alone:
                self._progress.begin(size, Activity.STORE, 1, lists_in)
            self._progress.advance(size, lists_in, result.lists + dict(result.counts).get(size, 0))
            if alone:
                self._progress.end(size)
            else:
                self._tasks_left -= 1
