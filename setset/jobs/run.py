"""A run: build all that is missing up to a size, or count what lies beyond the stored sizes."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from concurrent.futures import Executor
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from setset import __version__, platform
from setset.batches.files import size_folder
from setset.batches.format import MOST_LISTS
from setset.batches.roots import RootGone, require_root, root_owner
from setset.cards import LARGEST
from setset.database import (
    Database,
    LockPolicy,
    batches,
    expansions,
    explorations,
    numbering,
    open_to_write,
    removal,
    roots,
    runs,
    schema,
)
from setset.database.expansions import Claim
from setset.database.models import Work
from setset.database.stages import Stage, storing
from setset.errors import BadInput, SetsetError, require_between
from setset.executors.base import RemoteExecutor, Requirements, StartExecutor
from setset.executors.dask.transfer import FileAccess
from setset.executors.local import LocalExecutor
from setset.executors.selection import choose_executor
from setset.folder import WorkspaceFolder
from setset.jobs.coordinator import Coordinator
from setset.jobs.signals import StopRequest
from setset.maintenance import cleanup, compact
from setset.maintenance.proof import find_flaws
from setset.maintenance.repair import rebuild_batch
from setset.progress import Activity, NoProgress, ProgressListener
from setset.tasks.kinds import SEED_SOURCE_SIZE, BadSource

BATCH_LISTS = 16_000_000
"""Lists in a full file: some 200 kB, a second of work to expand."""
PRUNED_BATCH_LISTS = 1_000_000
"""The same for a pruned exploration, whose lists take longer: most of the time goes into children that are dropped."""
COUNT_FROM = 6
"""What a count in a new place stores first: seconds of work, some megabytes, and enough files for many workers."""
PRUNED_COUNT_FROM = 8
COMPACT_FROM = 13
"""From here on most lists cannot grow, so that files shrink and are worth merging."""


@dataclass(frozen=True)
class RunRequest:
    """What a run is asked for."""

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
    compact: bool = True
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
) -> None:
    """Does what a run is asked for; on return all of it holds. The executor starts when there is something to do."""
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
                _Run(database, request, listener, stop, start_executor, executor).work()
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
    """One run from its first size to its last."""

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
        self._ahead: Coordinator | None = None
        self._root_id = self._run_id = self._upto = 0
        self._told_of_batch_lists = False
        self._exploration = explorations.find_or_create(database, request.target, request.pruned)

    def work(self) -> None:
        request = self._request
        with runs.record_run(self._database, request.command, self._workers) as self._run_id:
            strays_left = cleanup.remove_leftovers(self._database, self._progress)
            self._root_id = roots.use_root(self._database, request.output)
            for record in roots.gone(self._database):
                # What does not need its files can be done.
                self._progress.notice(str(RootGone(record.folder, record.is_own)))
            with self._finally_shut_down():
                if request.count_only:
                    self._count()
                else:
                    self._build(request.size)
            if strays_left:
                # What was not taken over is in the files that were made.
                cleanup.remove_leftovers(self._database, self._progress)

    def _build(self, upto: int) -> None:
        self._upto = upto
        for size in range(SEED_SOURCE_SIZE + 1, upto + 1):
            first = self._first(size)
            if first and first >= (known := self._count_batches(size - 1)):
                raise BadInput(
                    f"--from {first}: there is no batch {first} of size {size - 1}; {known:,} are known, "
                    "numbered from 0"
                )
            self._do_stage(storing(self._exploration, size), first)
            if size >= COMPACT_FROM and self._request.compact:
                self._compact(size)

    def _count(self) -> None:
        size = self._request.size
        known = explorations.sizes(self._database, self._exploration)
        source_size = max((each.size for each in known if each.complete), default=None)
        if source_size is None:
            enough = PRUNED_COUNT_FROM if self._exploration.pruned else COUNT_FROM
            source_size = max(SEED_SOURCE_SIZE + 1, min(size - 1, enough))
            self._progress.notice(
                f"nothing to count from yet: storing the lists of up to {source_size} first"
            )
            self._build(source_size)
        if source_size >= size or explorations.is_counted(self._database, self._exploration, size):
            return
        self._do_stage(Stage(self._exploration, Work.COUNT, size, source_size), 0)

    def _do_stage(self, stage: Stage, first: int) -> None:
        ahead, self._ahead = self._ahead, None
        claim = ahead.claim if ahead else self._claim(stage, first)
        stored = stage.work is Work.STORE
        if stored:
            self._forget_unproven(stage.size)
        if stored and explorations.is_complete(self._database, self._exploration, stage.size):
            return
        if not ahead:
            expansions.take_back(self._database, stage)
        expansions.plan(self._database, stage)
        tasks, lists_in = expansions.remaining(self._database, stage, first)
        if not tasks:
            return
        coordinator = ahead or self._coordinator(claim)
        self._progress.begin(stage.size, Activity.STORE if stored else Activity.COUNT, tasks, lists_in)
        try:
            self._ahead = coordinator.work()
        finally:
            self._progress.end()

    def _coordinator(self, claim: Claim) -> Coordinator:
        return Coordinator(
            self._database,
            claim,
            self._get_executor(),
            self._workers,
            self._progress,
            self._stop,
            self._repair_source,
            partial(self._begin_next, claim.stage),
        )

    def _begin_next(self, stage: Stage) -> Coordinator | None:
        """For the size after a stage, if it comes next and nothing is known of it: what is known is proven first."""
        size = stage.size + 1
        begun = {each.size for each in explorations.sizes(self._database, self._exploration)}
        will_be_merged = self._request.compact and stage.size >= COMPACT_FROM
        if size > self._upto or size in begun or will_be_merged:
            return None
        return self._coordinator(self._claim(storing(self._exploration, size), self._first(size)))

    def _first(self, size: int) -> int:
        """The first source that is asked for."""
        return self._request.first if size == self._request.size else 0

    def _forget_unproven(self, size: int) -> None:
        """Plans again what is recorded as done, but was made from other sources, or not from all their parts."""
        sources = batches.sources_of_size(self._database, self._exploration, size - 1)
        finished = expansions.finished(self._database, self._exploration, size)
        done = {each.source for each in finished}
        not_empty = {each.source for each in finished if each.batches_out}
        recorded = batches.in_order(self._database, self._exploration, size)
        flaws = find_flaws(recorded, done, sources, not_empty)
        if flaws:
            again = removal.forget(self._database, self._exploration, size, {flaw.source for flaw in flaws})
            numbering.renumber(self._database, self._exploration, size)
            self._progress.notice(
                f"size {size}: doing {len(again):,} expansions again, the first since {flaws[0].reason}"
            )

    def _claim(self, stage: Stage, first: int) -> Claim:
        wanted = self._request.batch_lists
        batch_lists = wanted or (PRUNED_BATCH_LISTS if self._exploration.pruned else BATCH_LISTS)
        if stage.work is Work.STORE:
            begun = explorations.begin_size(self._database, self._exploration, stage.size, batch_lists)
            batch_lists = begun.batch_lists
            if wanted not in (None, batch_lists) and not self._told_of_batch_lists:
                self._told_of_batch_lists = True
                self._progress.notice(
                    f"--batch-lists ignored for sizes that were begun before (size {stage.size}: {batch_lists:,})"
                )
        destination = roots.destination(self._database, self._root_id)
        return Claim(self._run_id, stage, self._root_id, destination, batch_lists, first)

    def _compact(self, size: int) -> None:
        complete = explorations.is_complete(self._database, self._exploration, size)
        if complete and not expansions.was_expanded(self._database, self._exploration, size):
            go_on = self._stop.raise_if_set
            executor = self._get_executor()
            compact.compact(self._database, self._exploration, size, None, executor, self._progress, go_on)

    def _count_batches(self, size: int) -> int:
        return batches.count_numbered(self._database, self._exploration, size)

    def _repair_source(self, bad: BadSource) -> None:
        if bad.size == SEED_SOURCE_SIZE:
            return
        batch = batches.get(self._database, self._exploration, bad.size, bad.number)
        # A file on a disk that is away is no defect of the batch.
        root = roots.destination(self._database, batch.root_id)
        require_root(Path(root.root), root.owner)
        batches.set_defect(self._database, batch, bad.reason)
        rebuild_batch(self._database, self._get_executor(), replace(batch, defect=bad.reason))

    def _get_executor(self) -> Executor:
        if self._executor is None:
            self._executor = self._start_executor(self._workers)
            if isinstance(self._executor, LocalExecutor):
                self._executor.notice = self._progress.notice
            if isinstance(self._executor, RemoteExecutor):
                self._executor.wait_for_workers(
                    self._requirements(), self._progress.notice, lambda: bool(self._stop)
                )
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
            # What failed has recorded all that was in flight; a worker that still compiles is not waited for.
            if self._executor is not None:
                self._executor.shutdown(wait=well and not self._stop, cancel_futures=True)
            cleanup.remove_temporaries(self._database)
