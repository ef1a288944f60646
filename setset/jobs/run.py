"""A run: builds all missing lists up to a size, counts beyond the stored sizes, or makes forgotten results again."""

import contextlib
from concurrent.futures import Executor
from dataclasses import dataclass

from setset import __version__, activity, platform
from setset.batches.files import size_folder
from setset.batches.ownership import root_owner
from setset.database import Database, LockPolicy, batches, explorations, open_to_write, runs, schema, storage_roots
from setset.database.expansions import Job
from setset.database.explorations import ExplorationKey, Goal, Step
from setset.database.models import Work
from setset.database.runs import Run
from setset.errors import BadInput, SetsetError
from setset.executors.base import RemoteExecutor, Requirements, StartExecutor, shut_down
from setset.executors.build import build_digest
from setset.executors.dask.transfer import FileAccess
from setset.executors.local import LocalExecutor
from setset.executors.selection import choose_executor
from setset.folder import WorkspaceFolder
from setset.jobs.coordinator import work_through
from setset.jobs.options import RunOptions
from setset.jobs.signals import StopRequest
from setset.maintenance.counts_file import save_counts_if_possible
from setset.maintenance.leftovers import mark_missing_files, remove_leftovers, remove_temporaries
from setset.maintenance.proof import distrust_altered_rows, forget_unproven
from setset.progress import NoProgress, ProgressListener
from setset.tasks.kinds import SEED_SOURCE_SIZE


def run(
    folder: WorkspaceFolder,
    options: RunOptions,
    progress: ProgressListener | None = None,
    stop: StopRequest | None = None,
) -> Run:
    """Does a whole run, and returns its record. On return all requested results are recorded and proven."""
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
            # A new workspace has work to do, so the workers load the kernels while the database is made.
            executor = LocalExecutor(workers, listener.notice)
        try:
            with contextlib.closing(open_to_write(folder, policy=policy)) as database:
                return _Run(database, options, workers, listener, stop, start_executor, executor).work()
        except SetsetError:
            # An error after a signal is a consequence of the signal, or no longer matters.
            stop.raise_if_set()
            raise
        finally:
            if executor:
                executor.shutdown(wait=False, cancel_futures=True)


def _record_refusal(folder: WorkspaceFolder, options: RunOptions, error: BadInput) -> None:
    """Records a refused run for `setset history`, unless the workspace is locked or its database needs an upgrade."""
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
    """None until there is work for the executor, unless it was started early."""
    root_id: int = 0
    run_id: int = 0

    def work(self) -> Run:
        """Does the run in the open database, and returns its record."""
        options, database = self.options, self.database
        with runs.record_run(database, options.command, self.workers) as self.run_id:
            distrust_altered_rows(database)
            strays_left = remove_leftovers(database, self.progress)
            needed = None if options.count_only else (options.target, options.size)
            self.root_id = storage_roots.use_root(database, options.output, needed=needed)
            for root in storage_roots.gone(database):
                # The run continues, and fails only if it needs a file in that root.
                self.progress.notice(str(storage_roots.gone_error(database, root)))
            mark_missing_files(database, self.progress)
            finished = False
            try:
                self._explore()
                finished = True
            finally:
                # A failed run has recorded its results already, so it does not wait for a worker that compiles.
                if self.executor is not None:
                    shut_down(self.executor, wait=finished and not self.stop)
                remove_temporaries(database)
                activity.remove(database.folder)
                if options.count_only or options.count:
                    save_counts_if_possible(database, self.progress)
            if strays_left or database.repaired:
                # Orphans that this run did not adopt, or that its repairs left, are redundant now.
                remove_leftovers(database, self.progress)
        return runs.get(database, self.run_id)

    def _explore(self) -> None:
        options = self.options
        exploration = explorations.find_or_create(self.database, options.target, options.pruned)
        if options.count_only:
            goal = self._count_goal(exploration)
        else:
            if options.count:  # a count may look complete, but not be proven
                forget_unproven(exploration, options.size, self.progress)
            alone = tuple(size for size in options.count if not exploration.is_counted(size))
            goal = Goal(options.stored_sizes, via=options.via_size, counted_alone=alone)
        begun = [size for size in exploration.sizes() if size.size in goal.stored]
        for size in begun:
            if options.via is not None and size.size > options.via != size.source_size:
                raise BadInput(
                    f"--via {options.via}: size {size.size} was begun from size {size.source_size}; leave out "
                    f"--via, or remove size {size.size} with 'setset rm --target {options.target} --size {size.size}'"
                )
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
        """Makes stored results without a proof (see `maintenance.proof`) again. Then returns the goal: to count from
        the largest complete size."""
        size = self.options.size
        stored = [step for step in exploration.steps() if step.work is Work.STORE]
        self._work_through(exploration, tuple(stored), frozenset(stored))
        complete = exploration.complete_sizes()
        largest = max(number for number in complete if number < size)
        if largest == SEED_SOURCE_SIZE:
            largest = max(SEED_SOURCE_SIZE + 1, min(size - 1, self.options.count_from))
            self.progress.notice(f"nothing to count from yet: first storing lists of up to {largest} cards")
            complete |= set(range(SEED_SOURCE_SIZE + 1, largest + 1))
        sizes = sorted(number for number in complete if SEED_SOURCE_SIZE < number <= largest)
        is_counted = size in complete or exploration.is_counted(size)
        return Goal(tuple(sizes), None if is_counted else size)

    def _work_through(
        self, exploration: ExplorationKey, steps: tuple[Step, ...], only_forgotten: frozenset[Step] = frozenset()
    ) -> None:
        limits, alone = (self.options.lists_in_file, self.options.first), frozenset(self.options.count)
        job = Job(self.run_id, exploration, steps, self.root_id, *limits, alone, only_forgotten)
        work_through(job, self._get_executor, self.workers, self.progress, self.stop)

    def _require_first_source(self, exploration: ExplorationKey) -> None:
        """Raises BadInput if --from is beyond the last source. Called when all sources are known."""
        first, size = self.options.first, self.options.size - 1
        if first >= (count := batches.count_numbered(exploration.at(size))):
            raise BadInput(
                f"--from {first}: there is no batch {first} of size {size}; batches: {count:,}, numbered from 0"
            )

    def _get_executor(self) -> Executor:
        """Returns the executor. Starts it at the first call."""
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
        """Requirements for remote workers. They must see the root of new files, listed first, and all other roots with
        a token."""
        folders = storage_roots.folders(self.database)
        others = [root for number, root in folders.items() if number != self.root_id and root_owner(root)]
        seen = tuple(str(root) for root in (folders[self.root_id], *others))
        trial = size_folder(self.options.target, SEED_SOURCE_SIZE + 1, self.options.pruned)
        return Requirements(storage_roots.owner(self.database).workspace, __version__, seen, trial, build_digest())


def make_again(
    database: Database,
    run_id: int,
    executor: Executor,
    progress: ProgressListener,
    exploration: ExplorationKey,
    steps: tuple[Step, ...],
    unfinished: frozenset[Step],
) -> None:
    """Does the planned expansions of `steps`. If a step is also in `unfinished`, does only its forgotten expansions.

    Begins no new size, because only `run` knows the number of lists per file.
    """
    begun = {size.step for size in exploration.sizes()}
    steps = tuple(step for step in steps if step.work is Work.COUNT or step in begun)
    root_id = storage_roots.use_root(database, None, refill=True)
    job = Job(run_id, exploration, steps, root_id, lambda _: 1, only_forgotten=unfinished)
    work_through(job, lambda: executor, platform.usable_cores(), progress, StopRequest())
