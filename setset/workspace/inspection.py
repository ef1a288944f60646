"""`setset check`, `repair` and `compact` on a whole workspace."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from concurrent.futures import Executor

from setset.database import schema as database
from setset.database.runs import logged
from setset.database.schema import Patience
from setset.database.store import Store
from setset.executors.local import LocalExecutor
from setset.folder import OWN_ROOT, Workspace, claim_root
from setset.jobs.coordinator import default_workers
from setset.jobs.progress import Watcher
from setset.maintenance.check import Finding, check
from setset.maintenance.cleanup import sweep, sweep_temporaries
from setset.maintenance.compact import compact, require_compactable
from setset.maintenance.repair import REPAIRABLE, remake, repair


def inspect(workspace: Workspace, size: int | None, deep: bool, watcher: Watcher) -> Iterator[Finding]:
    """Everything that is wrong with a workspace, which is not changed by looking."""
    store = Store.reading(workspace)
    database.require_sound(workspace.database)
    with _executor() if deep else contextlib.nullcontext() as executor:
        yield from check(store, size, watcher, executor, workspace.in_use())


def mend(
    workspace: Workspace, target: int, size: int | None, number: int | None, dry_run: bool, watcher: Watcher
) -> tuple[list[Finding], list[Finding]]:
    """Mends what `check` finds, or makes one batch again; returns what was done and what was left."""
    if dry_run:
        return _findings(Store.reading(workspace), target, size, number, watcher)
    with _writing(workspace, "setset repair", watcher) as store:
        done, left = _findings(store, target, size, number, watcher)
        if done:
            # Repairing is the explicit act that may fill a folder that was emptied.
            claim_root(workspace.root(OWN_ROOT), store.workspace_id())
            with _executor() as executor:
                if number is not None and size is not None:
                    remake(store, executor, store.batch(store.find_exploration(target), size, number))
                else:
                    repair(store, executor, done)
    return done, left


def compact_size(
    workspace: Workspace, target: int, size: int, up_to: int | None, watcher: Watcher
) -> tuple[int, int]:
    """Compacts one size; returns how many files there were and are."""
    known = Store.reading(workspace)
    require_compactable(known, known.find_exploration(target), size)
    command = f"setset compact --size {size} --target {target}"
    with _writing(workspace, command, watcher) as store, _executor() as executor:
        return compact(store, store.find_exploration(target), size, up_to, executor, watcher)


def _findings(
    store: Store, target: int, size: int | None, number: int | None, watcher: Watcher
) -> tuple[list[Finding], list[Finding]]:
    """What can be mended and what cannot."""
    if number is not None and size is not None:
        batch = store.batch(store.find_exploration(target), size, number)
        return [Finding("file", str(store.path_of(batch)), f"{batch}, as asked", target, size, batch)], []
    found = list(check(store, size, watcher))
    return [f for f in found if f.kind in REPAIRABLE], [f for f in found if f.kind not in REPAIRABLE]


@contextlib.contextmanager
def _writing(workspace: Workspace, command: str, watcher: Watcher) -> Iterator[Store]:
    """The store of a workspace that is there and in which no run is at work, swept before and after."""
    database.require_file(workspace.database)
    with workspace.held():
        store = Store.writing(workspace, patience=Patience(watcher.notice))
        with logged(store, command, default_workers()):
            sweep(store, watcher)
            try:
                yield store
            finally:
                sweep_temporaries(store)


@contextlib.contextmanager
def _executor() -> Iterator[Executor]:
    executor = LocalExecutor(default_workers())
    try:
        yield executor
    finally:
        executor.shutdown(wait=False, cancel_futures=True)
