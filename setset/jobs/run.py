"""A run: build all that is missing up to a size, count beyond the stored sizes, or make again what was forgotten."""

import contextlib
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field

from setset import __version__, platform
from setset.batches.files import size_folder
from setset.batches.roots import root_owner
from setset.database import Database, LockPolicy, batches, explorations, open_to_write, roots, runs, schema
from setset.database.expansions import Job
from setset.database.explorations import ExplorationKey, Goal, SizeRecord, Step
from setset.database.models import Work
from setset.database.runs import Run
from setset.errors import BadInput, SetsetError
from setset.executors.base import RemoteExecutor, Requirements, StartExecutor
from setset.executors.dask.transfer import FileAccess
from setset.executors.local import LocalExecutor
from setset.executors.selection import choose_executor
from setset.folder import WorkspaceFolder
from setset.jobs.coordinator import work_through
from setset.jobs.options import RunOptions
from setset.jobs.signals import StopRequest
from setset.maintenance.counts_file import save_counts_if_possible
from setset.maintenance.leftovers import remove_leftovers, remove_temporaries
from setset.maintenance.proof import distrust_altered_rows
from setset.progress import NoProgress, ProgressListener
from setset.tasks.kinds import SEED_SOURCE_SIZE, Destination


def run(
    folder: WorkspaceFolder,
    options: RunOptions,
    progress: ProgressListener | None = None,
    stop: StopRequest | None = None,
) -> Run:
    """Runs to completion: on return everything that was asked for is recorded and proven."""
    stop = StopRequest() if stop is None else stop  # an unset StopRequest is false
    listener = progress or NoProgress()
    start_executor = options.executor
    try:
        options.validate()
        is_mapped = options.maps or options.ship
        access = FileAccess.parse(options.maps, options.ship) if is_mapped else FileAccess()
        if isinstance(start_executor, str):
            start_executor = choose_executor(start_executor, access)
    except BadInput as error:
        _record_refusal(folder, options, error)
        raise
    workers = options.workers or platform.usable_cores()
    folder.create()
    with folder.locked():
        policy = LockPolicy(listener, lambda: bool(stop))
        executor = None
        if start_executor is LocalExecutor and not folder.database.exists():
            # There will be something to do: its workers load the kernels while the database is made.
            executor = LocalExecutor(workers, listener.notice)
        try:
            with contextlib.closing(open_to_write(folder, policy=policy)) as database:
                return _Run(database, options, workers, listener, stop, start_executor, executor).work()
        except SetsetError:
            # An error after a signal came because of it, or does not matter any more.
            stop.raise_if_set()
            raise
        finally:
            if executor:
                executor.shutdown(wait=False, cancel_futures=True)


def _record_refusal(folder: WorkspaceFolder, options: RunOptions, error: BadInput) -> None:
    """Writes a line into the history if that can be done now: there is one writer, and no upgrade for a refusal."""
    with contextlib.suppress(SetsetError, OSError):
        folder.require_database()
        schema.require_current(folder.database)
        with folder.locked(), contextlib.closing(open_to_write(folder)) as database:
            runs.record_refusal(database, options.command, error)


@dataclass
class _Run:
    """One run, from its goal to its end."""

    database: Database
    options: RunOptions
    workers: int
    progress: ProgressListener
    stop: StopRequest
    start_executor: StartExecutor
    executor: Executor | None
    """Started already, or when there is work for it."""
    root_id: int = 0
    run_id: int = 0
    destinations: Mapping[int, Destination] = field(default_factory=dict)
    """Storage roots by their numbers."""

    def work(self) -> Run:
        """Does all of it; returns the record of the run."""
        options, database = self.options, self.database
        with runs.record_run(database, options.command, self.workers) as self.run_id:
            distrust_altered_rows(database)
            strays_left = remove_leftovers(database, self.progress)
            needed = None if options.count_only else (options.target, options.size)
            self.root_id = roots.use_root(database, options.output, needed=needed)
            self.destinations = roots.destinations(database)
            for root in roots.gone(database):
                # The run goes on as long as it needs no file in it.
                self.progress.notice(str(roots.gone_error(database, root)))
            finished = False
            try:
                self._explore()
                finished = True
            finally:
                # A run that failed has recorded all that was in flight, and does not wait for a worker that compiles.
                if self.executor is not None:
                    self.executor.shutdown(wait=finished and not self.stop, cancel_futures=True)
                remove_temporaries(database)
                if options.count_only or options.count:
                    save_counts_if_possible(database)
            if strays_left or database.repaired:
                # Orphans that this run did not take over, or made by doing something again, are redundant now.
                remove_leftovers(database, self.progress)
        return runs.get(database, self.run_id)

    def _explore(self) -> None:
        options = self.options
        exploration = explorations.find_or_create(self.database, options.target, options.pruned)
        if options.count_only:
            goal = self._count_goal(exploration)
        else:
            alone = tuple(size for size in options.count if not exploration.is_counted(size))
            goal = Goal(options.stored_sizes, via=options.via_size, counted_alone=alone)
        begun = [each for each in exploration.sizes() if each.size in goal.stored]
        self._require_same_source(begun)
        explorations.set_goal(exploration, goal)
        for size in begun:
            if options.batch_lists not in (None, size.batch_lists):
                where = f"size {size.size}: {size.batch_lists:,}"
                self.progress.notice(f"--batch-lists ignored for sizes that were begun before ({where})")
                break
        if options.first and exploration.at(options.size - 1).is_complete():
            self._require_first_source(exploration)
        self._work_through(exploration, goal.steps(begun))
        if options.first:
            self._require_first_source(exploration)
            return
        for number in sorted({*goal.stored} - exploration.complete_sizes()):
            raise SetsetError(f"size {number} is not complete: 'setset check' tells why")

    def _count_goal(self, exploration: ExplorationKey) -> Goal:
        """Count from the largest size that is complete, after everything in doubt was done again."""
        size = self.options.size
        stored = [step for step in exploration.steps() if step.work is Work.STORE]
        self._work_through(exploration, tuple(stored), frozenset(stored))
        complete = exploration.complete_sizes()
        largest = max(each for each in complete if each < size)
        if largest == SEED_SOURCE_SIZE:
            largest = max(SEED_SOURCE_SIZE + 1, min(size - 1, self.options.count_from))
            self.progress.notice(f"nothing to count from yet: storing the lists of up to {largest} first")
            complete |= set(range(SEED_SOURCE_SIZE + 1, largest + 1))
        sizes = sorted(each for each in complete if SEED_SOURCE_SIZE < each <= largest)
        is_counted = size in complete or exploration.is_counted(size)
        return Goal(tuple(sizes), None if is_counted else size)

    def _require_same_source(self, begun: Sequence[SizeRecord]) -> None:
        """Refuses --via for a size that was begun from another one."""
        for size in begun:
            if self.options.via is not None and size.size > self.options.via != size.source_size:
                raise BadInput(
                    f"--via {self.options.via}: size {size.size} was begun from size {size.source_size}: leave out "
                    f"--via, or remove what is there with 'setset rm --target {self.options.target} --size {size.size}'"
                )

    def _work_through(
        self, exploration: ExplorationKey, steps: tuple[Step, ...], only_forgotten: frozenset[Step] = frozenset()
    ) -> None:
        to, limits = self.destinations, (self.options.lists_in_file, self.options.first)
        alone = frozenset(self.options.count)
        job = Job(self.run_id, exploration, steps, self.root_id, to, *limits, alone, only_forgotten)
        work_through(job, self._get_executor, self.workers, self.progress, self.stop)

    def _require_first_source(self, exploration: ExplorationKey) -> None:
        """Refuses --from beyond the last source, once all sources are known."""
        first, size = self.options.first, self.options.size - 1
        if first >= (known := batches.count_numbered(exploration.at(size))):
            raise BadInput(
                f"--from {first}: there is no batch {first} of size {size}; {known:,} are known, numbered from 0"
            )

    def _get_executor(self) -> Executor:
        """The executor, which starts when there is work for it."""
        if self.executor is not None:
            return self.executor
        self.executor = self.start_executor(self.workers)
        if isinstance(self.executor, LocalExecutor):
            self.executor.notice = self.progress.notice
        if isinstance(self.executor, RemoteExecutor):
            stopping = self.stop.__bool__
            self.executor.wait_for_workers(self._requirements(), self.progress.notice, stopping)
            self.stop.raise_if_set()
        return self.executor

    def _requirements(self) -> Requirements:
        """Folders that remote workers must see: the root of new files, then roots that may hold sources."""
        known = roots.folders(self.database)
        others = [root for number, root in known.items() if number != self.root_id and root_owner(root)]
        seen = tuple(str(root) for root in (known[self.root_id], *others))
        trial = size_folder(self.options.target, SEED_SOURCE_SIZE + 1, self.options.pruned)
        return Requirements(roots.owner(self.database).workspace, __version__, seen, trial)


def make_again(
    database: Database,
    run_id: int,
    executor: Executor,
    progress: ProgressListener,
    exploration: ExplorationKey,
    steps: tuple[Step, ...],
    unfinished: frozenset[Step],
) -> None:
    """Makes forgotten results of some steps again. Does no other work of unfinished steps."""
    root_id = roots.use_root(database, None, refill=True)
    to = roots.destinations(database)
    job = Job(run_id, exploration, steps, root_id, to, lambda _: 1, only_forgotten=unfinished)
    work_through(job, lambda: executor, platform.usable_cores(), progress, StopRequest())
