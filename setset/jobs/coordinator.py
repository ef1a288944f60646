"""The coordinator: one loop for a whole run, and the only writer of the database.

Run, repair and count make all batch files and counts here. First the coordinator proves everything that is recorded,
and plans what is missing. Then it claims expansions, submits them to an executor, and collects results. It records
results and claims the next expansions in one transaction. Smaller sizes come first. When too few expansions of a size
are left for all workers, it continues with the next size, so sizes overlap.
"""

import signal
import time
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from pathlib import Path

from setset.batches.files import NewerFormat
from setset.batches.roots import RootState, require_root, root_state
from setset.database import batches, expansions, runs
from setset.database.expansions import ClaimedExpansion, Job, Remaining, Unfinished
from setset.database.models import Work
from setset.errors import InTheWay, NoSpace, SetsetError
from setset.executors.base import ATTEMPTS, ExecutorLost, worker_count
from setset.jobs.signals import StopRequest
from setset.maintenance import proof
from setset.progress import Activity, ProgressListener
from setset.tasks.execute import execute
from setset.tasks.kinds import BadSource, Destination, ExpandTask, OtherLists, TaskResult

WINDOW = 3
"""Tasks in flight for each worker, so that none waits while the coordinator writes or for a message."""
RECORD_SECONDS = 0.5
"""Longest time that a result waits to be recorded together with others, while no worker is idle."""
DRAIN_SECONDS = 5.0
"""Longest time that an interrupted run waits for the tasks in flight."""
MOST_ROUNDS = 20
"""Limit of rounds. A size that is done again may make the sizes above it unproven, so there are as many as sizes."""

Finished = tuple[ClaimedExpansion, TaskResult]


def work_through(
    job: Job, get_executor: Callable[[], Executor], workers: int, progress: ProgressListener, stop: StopRequest
) -> None:
    """Runs a job to completion; on return its result is proven. Starts the executor only if there is work."""
    for _ in range(MOST_ROUNDS):
        proof.forget_unproven(job.exploration, job.largest_stored, progress)
        expansions.plan(job)
        if not expansions.remaining(job) or not expansions.any_claimable(job):
            return
        Coordinator(job, get_executor(), workers, progress, stop).work()
    raise SetsetError("what was done again is not proven either: is the disk sound? 'setset check --deep' tells more")


class ExpansionsFailed(SetsetError):
    """Some expansions were given up."""

    def __init__(self, failures: list[tuple[ClaimedExpansion, str]]) -> None:
        super().__init__(failures)
        self.failures = failures

    def __str__(self) -> str:
        expansion, error = self.failures[0]
        more = f" (and {len(self.failures) - 1} more, see 'setset status')" if len(self.failures) > 1 else ""
        times = "once" if expansion.attempts == 1 else f"{expansion.attempts} times"
        return f"{expansion} failed {times}: {error}{more}; 'setset run' tries again"


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
        self._unfinished: list[Unfinished] = []
        self._failures: list[tuple[ClaimedExpansion, str]] = []
        self._fatal: SetsetError | None = None
        self._draining = False

    def work(self) -> None:
        """Works until nothing can be claimed. Records finished work before it raises an error."""
        try:
            self._report.update()
            self._record_and_claim(self._room())
            due = time.monotonic() + RECORD_SECONDS
            while self._in_flight:
                self._collect(0.2)
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
            # A library has no signal handler: give the tasks in flight the same few seconds as with one.
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

    def _room(self) -> int:
        """Number of further tasks that may be in flight, with the present workers."""
        workers = max(1, worker_count(self._executor, self._workers))
        if workers != self._workers:
            self._workers = workers
            runs.set_workers(self._job.database, self._job.run_id, workers)
        return max(0, WINDOW * workers - len(self._in_flight))

    def _record_and_claim(self, want: int) -> None:
        # An interrupt after the transaction must not record them a second time.
        finished, unfinished, self._finished, self._unfinished = self._finished, self._unfinished, [], []
        claimed = expansions.record_and_claim(self._job, finished, unfinished, want)
        try:
            while claimed:
                future = self._executor.submit(execute, claimed[0].task)
                self._in_flight[future] = claimed.pop(0)
        finally:
            self._unfinished += map(Unfinished, claimed)  # not submitted
        self._report.update(finished)

    def _collect(self, seconds: float) -> None:
        for future in wait(self._in_flight, timeout=seconds, return_when=FIRST_COMPLETED).done:
            expansion = self._in_flight[future]
            error = None if future.cancelled() else future.exception()
            if future.cancelled() or (error and (self._draining or self._stop)):
                # A worker that ends with the run is no failure of its task.
                self._put_back(expansion)
            elif error is None:
                self._finished.append((expansion, future.result()))
            else:
                self._handle(expansion, error)  # if that raises, it is put back with those in flight
            del self._in_flight[future]

    def _handle(self, expansion: ClaimedExpansion, error: BaseException) -> None:
        """Retries or gives up a failed expansion. Raises an error that ends the run."""
        if isinstance(error, NoSpace | ExecutorLost | InTheWay | NewerFormat):
            self._fatal = self._out_of_space(expansion, error) if isinstance(error, NoSpace) else error
            self._put_back(expansion)
        elif isinstance(error, BadSource):
            self._forget_source(expansion, error)
        elif isinstance(error, OtherLists):
            self._give_up(expansion.tried_again(), str(error))  # it is pure, so it would fail again
        elif isinstance(error, (OSError, SetsetError, MemoryError)):
            self._retry(expansion, f"{type(error).__name__}: {error}")
        else:
            raise error

    def _forget_source(self, expansion: ClaimedExpansion, bad: BadSource) -> None:
        """Plans a damaged source again; the expansion waits for it."""
        source, exploration = expansion.task.source, self._job.exploration
        batch = batches.find(exploration.at(bad.size), bad.number)
        if batch is None or source is None or batch.digest != source.digest:
            # Its size is being done again meanwhile, and the number belongs to another batch.
            self._put_back(expansion)
            return
        # A disk that is not there is no defect of the batch, and other expansions would meet it too.
        _require_root(self._job.destinations[batch.root_id])
        if batch.defect is None:
            self._progress.notice(f"{bad}; rebuilding it")
            expansions.forget_files(exploration.size(bad.size), {batch: bad.reason})
        self._retry(expansion, str(bad), quiet=True)

    def _put_back(self, expansion: ClaimedExpansion) -> None:
        self._unfinished.append(Unfinished(expansion))

    def _retry(self, expansion: ClaimedExpansion, error: str, quiet: bool = False) -> None:
        if isinstance(expansion.task, ExpandTask):
            # A disk that has gone away, or whose token is damaged, is not the fault of any expansion.
            _require_root(expansion.task.destination)
        tried = expansion.tried_again()
        if tried.attempts >= ATTEMPTS:
            self._give_up(tried, error)
            return
        if not quiet:
            self._progress.notice(f"{expansion}: {error}; trying again")
        self._unfinished.append(Unfinished(tried, error))

    def _give_up(self, expansion: ClaimedExpansion, error: str) -> None:
        self._failures.append((expansion, error))
        self._progress.notice(f"{expansion}: {error}; given up")
        self._unfinished.append(Unfinished(expansion, error, given_up=True))

    def _drain(self) -> None:
        """Cancels tasks that have not begun, waits for the rest, and records."""
        self._draining = True
        # Not left to `wait`: what is cancelled before a worker could take it never counts as done there.
        for future in [each for each in self._in_flight if each.cancel()]:
            self._put_back(self._in_flight.pop(future))
        deadline = time.monotonic() + (DRAIN_SECONDS if self._stop else 600)
        while self._in_flight and time.monotonic() < deadline and not self._stop.at_once.is_set():
            self._collect(0.2)
        for expansion in self._in_flight.values():
            self._put_back(expansion)
        self._record_and_claim(0)

    def _out_of_space(self, expansion: ClaimedExpansion, error: NoSpace) -> NoSpace:
        """The same error with a rough estimate of the space needed, from the expansions that are done."""
        exploration, size, task = self._job.exploration, expansion.task.size, expansion.task
        left = sum(each.lists_in for each in expansions.remaining(self._job) if each.step.size == size)
        before = 0 if task.source is None else task.source.size
        known = (batches.totals(exploration.at(each)) for each in (size, before))
        lists, taken = next((totals for totals in known if totals[0]), (1, 0))
        need = left * 10 * taken / lists / 1e6
        where = f" in {task.destination.root}" if isinstance(task, ExpandTask) else ""
        return NoSpace(
            f"{error}; about {max(need, 1):,.0f} MB more are needed for size {size}: make room{where}, "
            "or give another folder with --output, and run again"
        )


def _require_root(destination: Destination) -> None:
    """Requires a storage root, after waiting a moment for it to come back."""
    root = Path(destination.root)
    for _ in range(ATTEMPTS):
        if root_state(root, destination.owner) is not RootState.MISSING:
            break
        time.sleep(1)
    require_root(root, destination.owner)


class _Report:
    """Reports progress to the listener, one size after the other, smallest first.

    The first results of a size may come before the last results of the size before. They are reported once all
    expansions of their size are planned, so that the listener knows their number from the start.
    """

    def __init__(self, job: Job, progress: ProgressListener) -> None:
        self._job, self._progress = job, progress
        self._size = self._tasks_left = 0
        self._untold: list[Finished] = []

    def update(self, finished: Sequence[Finished] = (), is_over: bool = False) -> None:
        """Reports finished and recorded work. If the run is over, unfinished sizes end as they are."""
        self._untold += finished
        while True:
            self._tell()
            if self._size and not is_over and self._tasks_left > 0:
                return
            if self._size:
                self._progress.end(self._size)
                self._size = 0
            sizes = {claimed.task.size for claimed, _ in self._untold}
            if is_over and not sizes:
                return
            remaining = expansions.remaining(self._job)
            sizes |= set() if is_over else {each.step.size for each in remaining}
            if not sizes:
                return
            self._begin(min(sizes), remaining)

    def _begin(self, size: int, remaining: Sequence[Remaining]) -> None:
        left = [each for each in remaining if each.step.size == size]
        early = [claimed.expansion.lists_in for claimed, _ in self._untold if claimed.task.size == size]
        self._size, self._tasks_left = size, sum(each.tasks for each in left) + len(early)
        counts = any(step.size == size and step.work is Work.COUNT for step in self._job.steps)
        activity = Activity.COUNT if counts else Activity.STORE
        lists_in = sum(each.lists_in for each in left) + sum(early)
        self._progress.begin(size, activity, self._tasks_left, lists_in)

    def _tell(self) -> None:
        """Reports the results of sizes up to the current one."""
        told = [each for each in self._untold if each[0].task.size <= self._size]
        self._untold = [each for each in self._untold if each[0].task.size > self._size]
        for claimed, result in told:
            size, lists_in = claimed.task.size, claimed.expansion.lists_in
            alone = size != self._size  # a source that was found damaged, made again meanwhile
            if alone:
                self._progress.begin(size, Activity.STORE, 1, lists_in)
            self._progress.advance(size, lists_in, result.lists + dict(result.counts).get(size, 0))
            if alone:
                self._progress.end(size)
            else:
                self._tasks_left -= 1
