"""A run: build all that is missing up to a size, count beyond the stored sizes, or make again what was forgotten."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from pathlib import Path

from setset import __version__, platform
from setset.batches.files import size_folder
from setset.batches.format import MOST_LISTS
from setset.batches.roots import RootGone, root_owner
from setset.cards import LARGEST
from setset.database import (
    Database,
    LockPolicy,
    batches,
    explorations,
    open_to_write,
    roots,
    runs,
    schema,
)
from setset.database.expansions import Job
from setset.database.explorations import ExplorationKey, Goal, SizeRecord, Step
from setset.database.models import Work
from setset.database.runs import Run
from setset.errors import BadInput, SetsetError, require_between
from setset.executors.base import RemoteExecutor, Requirements, StartExecutor
from setset.executors.dask.transfer import FileAccess
from setset.executors.local import LocalExecutor
from setset.executors.selection import choose_executor
from setset.folder import WorkspaceFolder
from setset.jobs.coordinator import work_through
from setset.jobs.signals import StopRequest
from setset.maintenance import cleanup
from setset.progress import NoProgress, ProgressListener
from setset.tasks.kinds import SEED_SOURCE_SIZE

BATCH_LISTS = 16_000_000
"""Lists in a full file: some 200 kB, a second of work to expand."""
PRUNED_BATCH_LISTS = 1_000_000
"""The same for a pruned exploration, whose lists take longer: most of the time goes into children that are dropped."""
COUNT_FROM = 6
"""What a count in a new place stores first: seconds of work, some megabytes, and enough files for many workers."""
PRUNED_COUNT_FROM = 8


@dataclass(frozen=True)
class RunRequest:
    """Options of a run."""

    size: int
    target: int = 12
    workers: int | None = None
    """All cores if None."""
    batch_lists: int | None = None
    output: Path | None = None
    first: int = 0
    count_only: bool = False
    pruned: bool = False
    """Keep only lists that may reach the target."""
    command: str = "setset run"
    executor: str | StartExecutor = "local"
    access: FileAccess = field(default_factory=FileAccess)

    def validate(self) -> None:
        """Refuses what cannot be done, naming the option."""
        require_between("--size", self.size, 3, LARGEST)
        require_between("--target", self.target, 4, LARGEST)
        if self.workers is not None:
            require_between("--workers", self.workers, 1)
        if self.batch_lists is not None:
            require_between("--batch-lists", self.batch_lists, 1, MOST_LISTS)
        if self.first and self.size == 3:
            raise BadInput("--from cannot be used with --size 3, which has only one source, the seeds")
        if self.first and self.count_only:
            raise BadInput("--from cannot be combined with --count-only")


def run(
    folder: WorkspaceFolder,
    request: RunRequest,
    progress: ProgressListener | None = None,
    stop: StopRequest | None = None,
) -> Run:
    """Runs to completion: on return everything that was asked for is recorded and proven."""
    stop = StopRequest() if stop is None else stop  # one that is not set is false
    listener = progress or NoProgress()
    start_executor = request.executor
    try:
        request.validate()
        if isinstance(start_executor, str):
            start_executor = choose_executor(start_executor, request.access)
    except BadInput as error:
        _record_refusal(folder, request, error)
        raise
    folder.create()
    with folder.locked():
        policy = LockPolicy(listener.notice, lambda: bool(stop))
        workers = request.workers or platform.usable_cores()
        executor = None
        if start_executor is LocalExecutor and not folder.database.exists():
            # There will be something to do: its workers load the kernels while the database is made.
            executor = LocalExecutor(workers, listener.notice)
        try:
            with contextlib.closing(open_to_write(folder, policy=policy)) as database:
                return _Run(database, request, listener, stop, start_executor, executor).work()
        except SetsetError:
            # What went wrong after a signal went wrong because of it, or does not matter any more.
            stop.raise_if_set()
            raise
        finally:
            if executor:
                executor.shutdown(wait=False, cancel_futures=True)


def _record_refusal(folder: WorkspaceFolder, request: RunRequest, error: BadInput) -> None:
    """A line in the history, if it can be written now: there is one writer at a time, and no upgrade for a refusal."""
    with contextlib.suppress(SetsetError, OSError):
        folder.require_database()
        schema.require_current(folder.database)
        with folder.locked(), contextlib.closing(open_to_write(folder)) as database:
            runs.record_refusal(database, request.command, error)


class _Run:
    """One run, from its goal to its end."""

    def __init__(
        self,
        database: Database,
        request: RunRequest,
        progress: ProgressListener,
        stop: StopRequest,
        start_executor: StartExecutor,
        executor: Executor | None,
    ) -> None:
        self._database, self._request, self._progress, self._stop = database, request, progress, stop
        self._start_executor = start_executor
        self._workers = request.workers or platform.usable_cores()
        self._executor = executor
        self._root_id = self._run_id = 0

    def work(self) -> Run:
        """Does all of it; returns the record of the run."""
        request, database = self._request, self._database
        with runs.record_run(database, request.command, self._workers) as self._run_id:
            strays_left = cleanup.remove_leftovers(database, self._progress)
            self._root_id = roots.use_root(database, request.output)
            for record in roots.gone(database):
                # What does not need its files can be done.
                self._progress.notice(str(RootGone(record.folder, record.is_own)))
            self._destinations = roots.destinations(database)
            with self._finally_shut_down():
                self._explore()
            if strays_left or database.repaired:
                # Orphans that this run did not take over, or made by doing something again, are redundant now.
                cleanup.remove_leftovers(database, self._progress)
        return runs.latest(database, limit=1)[0]

    def _explore(self) -> None:
        request, database = self._request, self._database
        self._exploration = explorations.find_or_create(database, request.target, request.pruned)
        goal = self._count_goal() if request.count_only else _build_goal(request.size)
        explorations.set_goal(database, self._exploration, goal)
        begun = explorations.sizes(database, self._exploration)
        steps = goal.steps
        self._tell_of_batch_lists([each for each in begun if each.size in goal.stored])
        if request.first and any(each.size == request.size - 1 and each.complete for each in begun):
            self._require_first_source()
        self._work_through(steps)
        if request.first:
            self._require_first_source()
            return
        for size in explorations.sizes(database, self._exploration):
            if size.size in goal.stored and not size.complete:
                raise SetsetError(f"size {size.size} is not complete: 'setset check' tells why")

    def _count_goal(self) -> Goal:
        """From the largest size that is complete, when all that is in doubt was done again."""
        size, database, exploration = self._request.size, self._database, self._exploration
        stored = [
            each for each in explorations.recorded_steps(database, exploration) if each.work is Work.STORE
        ]
        self._work_through(tuple(stored), frozenset(stored))
        largest = max(
            (each.size for each in explorations.sizes(database, exploration) if each.complete), default=0
        )
        if not largest:
            enough = PRUNED_COUNT_FROM if exploration.pruned else COUNT_FROM
            largest = max(SEED_SOURCE_SIZE + 1, min(size - 1, enough))
            self._progress.notice(f"nothing to count from yet: storing the lists of up to {largest} first")
        is_counted = largest >= size or explorations.is_counted(database, exploration, size)
        return Goal(_build_goal(largest).stored, None if is_counted else size)

    def _work_through(self, steps: tuple[Step, ...], only_forgotten: frozenset[Step] = frozenset()) -> None:
        wanted = self._request.batch_lists
        job = Job(
            self._run_id,
            self._exploration,
            steps,
            self._root_id,
            self._destinations,
            wanted or (PRUNED_BATCH_LISTS if self._exploration.pruned else BATCH_LISTS),
            self._request.first,
            only_forgotten,
        )
        work_through(self._database, job, self._get_executor, self._workers, self._progress, self._stop)

    def _require_first_source(self) -> None:
        """Refuses --from beyond the last source, once all sources are known."""
        first, size = self._request.first, self._request.size - 1
        if first >= (known := batches.count_numbered(self._database, self._exploration, size)):
            raise BadInput(
                f"--from {first}: there is no batch {first} of size {size}; {known:,} are known, numbered from 0"
            )

    def _tell_of_batch_lists(self, begun: Sequence[SizeRecord]) -> None:
        wanted = self._request.batch_lists
        others = [each for each in begun if wanted not in (None, each.batch_lists)]
        if others:
            self._progress.notice(
                f"--batch-lists ignored for sizes that were begun before (size {others[0].size}: "
                f"{others[0].batch_lists:,})"
            )

    def _get_executor(self) -> Executor:
        return self._executor or self._start()

    def _start(self) -> Executor:
        """Starts the executor, when there is work for it."""
        self._executor = self._start_executor(self._workers)
        if isinstance(self._executor, LocalExecutor):
            self._executor.notice = self._progress.notice
        if isinstance(self._executor, RemoteExecutor):
            stopping = self._stop.__bool__
            self._executor.wait_for_workers(self._requirements(), self._progress.notice, stopping)
            self._stop.raise_if_set()
        return self._executor

    def _requirements(self) -> Requirements:
        """What workers elsewhere must see: the root of new files first, and those that may hold sources."""
        known = roots.folders(self._database)
        others = [root for number, root in known.items() if number != self._root_id and root_owner(root)]
        seen = tuple(str(root) for root in (known[self._root_id], *others))
        trial = size_folder(self._request.target, SEED_SOURCE_SIZE + 1, self._request.pruned)
        return Requirements(roots.workspace_id(self._database), __version__, seen, trial)

    @contextlib.contextmanager
    def _finally_shut_down(self) -> Iterator[None]:
        well = False
        try:
            yield
            well = True
        finally:
            # A run that failed has recorded all that was in flight, and does not wait for a worker that compiles.
            if self._executor is not None:
                self._executor.shutdown(wait=well and not self._stop, cancel_futures=True)
            cleanup.remove_temporaries(self._database)


def _build_goal(size: int) -> Goal:
    """Every size is stored."""
    return Goal(tuple(range(SEED_SOURCE_SIZE + 1, size + 1)))


def make_again(
    database: Database,
    run_id: int,
    executor: Executor,
    progress: ProgressListener,
    exploration: ExplorationKey,
    steps: tuple[Step, ...],
    unfinished: frozenset[Step],
) -> None:
    """Makes what was forgotten of some steps of an exploration again. Of those that are unfinished, nothing else."""
    root_id = roots.use_root(database, None, refill=True)
    to = roots.destinations(database)
    job = Job(run_id, exploration, steps, root_id, to, batch_lists=1, only_forgotten=unfinished)
    work_through(database, job, lambda: executor, platform.usable_cores(), progress, StopRequest())
