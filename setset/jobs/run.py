"""`setset run`: build all that is missing up to a size, or count what lies beyond the stored sizes."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from concurrent.futures import Executor
from dataclasses import dataclass
from pathlib import Path

from setset import __version__
from setset.batches import files
from setset.batches.format import MOST_LISTS
from setset.database import expansions
from setset.database.expansions import Claim
from setset.database.models import Work
from setset.database.runs import logged
from setset.database.schema import Patience, require_file
from setset.database.store import Store
from setset.errors import BadInput, SetsetError
from setset.executors.dask.admission import Premises
from setset.executors.local import Crew, LocalExecutor, StartExecutor
from setset.folder import Workspace, owner, require_root
from setset.jobs.coordinator import Shift, Stop
from setset.jobs.progress import Watcher
from setset.maintenance import cleanup as sweeping
from setset.maintenance import compact as compacting
from setset.maintenance.repair import remake
from setset.tasks.kinds import SEED_SOURCE_SIZE, BadSource

BATCH_LISTS = 16_000_000
"""Lists in a full file: about half a megabyte, a second of work to expand."""
COMPACT_FROM = 13
"""From here on most lists cannot grow, so that files shrink and are worth merging."""


@dataclass(frozen=True)
class Request:
    """What a run is asked for."""

    size: int
    target: int = 12
    workers: int = 1
    batch_lists: int | None = None
    output: Path | None = None
    first: int = 0
    count_only: bool = False
    compact: bool = True
    command: str = "setset run"

    def validate(self) -> None:
        if not 3 <= self.size <= 20:
            raise BadInput(f"size {self.size}: lists have 3 to 20 cards")
        if not 4 <= self.target <= 20:
            raise BadInput(f"target {self.target}: a target is 4 to 20")
        if self.workers < 1:
            raise BadInput("at least one worker is needed")
        if self.batch_lists is not None and not 1 <= self.batch_lists <= MOST_LISTS:
            raise BadInput(f"a file holds 1 to {MOST_LISTS:,} lists")
        if self.first and self.size == 3:
            raise BadInput("size 3 is made of one source, the seeds: --from is for larger sizes")
        if self.first and self.count_only:
            raise BadInput("--from and --count-only do not go together")


def explore(
    workspace: Workspace, request: Request, watcher: Watcher, start: StartExecutor = LocalExecutor
) -> None:
    """Does what a run is asked for; on return all of it holds.

    `start` gives an executor with so many workers, when there is something to do.
    """
    request.validate()
    if request.count_only:
        require_file(workspace.database)
    with workspace.held(create=True), Stop().listening() as stop:
        patience = Patience(watcher.notice, lambda: bool(stop))
        try:
            _Exploration(Store.writing(workspace, patience=patience), request, watcher, stop, start).run()
        except SetsetError:
            # What went wrong after a signal went wrong because of it, or does not matter any more.
            stop.raise_if_set()
            raise


class _Exploration:
    def __init__(
        self, store: Store, request: Request, watcher: Watcher, stop: Stop, start: StartExecutor
    ) -> None:
        self._store, self._request, self._watcher, self._stop = store, request, watcher, stop
        self._start = start
        self._executor: Executor | None = None
        self._root_id = 0
        self._id = store.exploration(request.target)

    def run(self) -> None:
        request = self._request
        with logged(self._store, request.command, request.workers) as run_id:
            sweeping.sweep(self._store, self._watcher)
            root_id = self._root_id = self._store.use_root(request.output)
            with self._finally_shut_down():
                if request.count_only:
                    self._count(run_id, root_id)
                else:
                    self._build(run_id, root_id)

    def _build(self, run_id: int, root_id: int) -> None:
        request = self._request
        for size in range(3, request.size + 1):
            first = request.first if size == request.size else 0
            if first and first >= (known := self._store.count_batches(self._id, size - 1)):
                raise BadInput(
                    f"there is no batch {first} of size {size - 1}: {known:,} are known, numbered from 0"
                )
            self._work(self._claim(run_id, root_id, Work.STORE, size, size - 1, first))
            if size >= COMPACT_FROM and request.compact:
                self._compact(size)

    def _compact(self, size: int) -> None:
        if self._store.is_complete(self._id, size) and not self._store.was_expanded(self._id, size):
            go_on = self._stop.raise_if_set
            compacting.compact(self._store, self._id, size, None, self._pool(), self._watcher, go_on)

    def _count(self, run_id: int, root_id: int) -> None:
        complete = [size for size in self._store.sizes(self._id) if self._store.is_complete(self._id, size)]
        if not complete:
            raise BadInput(
                "there is nothing to count from: 'setset run --size 3' or more first, without --count-only"
            )
        source_size = max(complete)
        if source_size >= self._request.size or self._store.is_counted(self._id, self._request.size):
            return
        self._work(self._claim(run_id, root_id, Work.COUNT, self._request.size, source_size, 0))

    def _claim(self, run_id: int, root_id: int, work: Work, size: int, source_size: int, first: int) -> Claim:
        wanted = self._request.batch_lists
        batch_lists = wanted or BATCH_LISTS
        if work is Work.STORE:
            batch_lists = self._store.begin_size(self._id, size, batch_lists)
            if wanted not in (None, batch_lists):
                self._watcher.notice(
                    f"size {size} was begun with files of {batch_lists:,} lists and goes on so"
                )
        root = self._store.roots()[root_id]
        return Claim(
            run_id, self._id, self._request.target, work, size, source_size, root_id, root, batch_lists, first
        )

    def _work(self, claim: Claim) -> None:
        if claim.work is Work.STORE and self._store.is_complete(self._id, claim.size):
            return
        expansions.plan(self._store, self._id, claim.work, claim.size, claim.source_size)
        jobs, lists_in = expansions.remaining(
            self._store, self._id, claim.work, claim.size, claim.source_size, claim.first
        )
        if not jobs:
            return
        pool = self._pool()
        self._watcher.begin(claim.size, claim.work.value, jobs, lists_in)
        try:
            workers = self._request.workers
            Shift(self._store, claim, pool, workers, self._watcher, self._stop, self._mend).work()
        finally:
            self._watcher.end()

    def _mend(self, bad: BadSource) -> None:
        if bad.size == SEED_SOURCE_SIZE:
            return
        batch = self._store.batch(self._id, bad.size, bad.number)
        # A file on a disk that is away is no defect of the batch.
        require_root(self._store.roots()[batch.root_id])
        self._store.set_defect(batch.id, bad.reason)
        remake(self._store, self._pool(), batch)

    def _pool(self) -> Executor:
        if self._executor is None:
            self._executor = self._start(self._request.workers)
            if isinstance(self._executor, Crew):
                self._executor.muster(self._premises(), self._watcher.notice, lambda: bool(self._stop))
                self._stop.raise_if_set()
        return self._executor

    def _premises(self) -> Premises:
        """What workers elsewhere must see: the root of new files first, and those that may hold sources."""
        roots = self._store.roots()
        others = [root for number, root in roots.items() if number != self._root_id and owner(root)]
        seen = tuple(str(root) for root in (roots[self._root_id], *others))
        return Premises(self._store.workspace_id(), __version__, seen, files.folder(self._request.target, 3))

    @contextlib.contextmanager
    def _finally_shut_down(self) -> Iterator[None]:
        try:
            yield
        finally:
            if self._executor is not None:
                self._executor.shutdown(wait=not self._stop, cancel_futures=True)
                sweeping.sweep_temporaries(self._store)
