"""Making batches again: each is derived from its sources, so nothing that is lost is lost for good."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import Executor
from typing import TYPE_CHECKING

from setset.database import expansions
from setset.database.models import Batch
from setset.database.store import Store
from setset.errors import NoSpace, SetsetError
from setset.executors.local import WorkerDied
from setset.jobs.coordinator import ATTEMPTS
from setset.tasks.execute import carry_out
from setset.tasks.kinds import (
    SEED_SOURCE_SIZE,
    BadSource,
    ExpandOrder,
    Order,
    RemakeOrder,
    Report,
    StoredBatch,
)

if TYPE_CHECKING:
    from setset.maintenance.check import Finding

REPAIRABLE = ("file", "lists", "sum")
"""Kinds of findings that `setset repair` mends; strays are left to the next run or to their owner."""
REBUILDABLE = ("number", "order", "state")
"""Kinds of findings that only a new database mends: the files are sound, what is recorded of them is not."""


def remedy(findings: Iterable[Finding]) -> str | None:
    """What to do about findings, in one line; None if nothing is to be done."""
    kinds = {finding.kind for finding in findings}
    if kinds & {*REPAIRABLE}:
        return "run 'setset repair' to mend what can be mended"
    if kinds & {*REBUILDABLE}:
        return "the database contradicts itself: run 'setset db rebuild' to make it anew from the batch files"
    if kinds & {"temporary", "orphan"}:
        return "'setset run' takes over or removes what a stopped run left"
    return None


def repair(store: Store, executor: Executor, findings: Iterable[Finding]) -> None:
    """Mends findings of the kinds that can be, in their order: smallest sizes first. What cannot be mended does
    not keep it from the others; the first such is raised at the end."""
    failures: list[SetsetError] = []
    for finding in findings:
        try:
            if finding.batch is not None:
                remake(store, executor, finding.batch)
            elif finding.source is not None and finding.target is not None and finding.size is not None:
                _redo(store, executor, finding.target, finding.size, finding.source)
        except NoSpace:
            raise
        except SetsetError as error:
            failures.append(error)
    if failures:
        raise failures[0]


def remake(store: Store, executor: Executor, batch: StoredBatch) -> None:
    """Makes one batch again, byte-identical."""
    report = insist(store, executor, batch.target, lambda: remake_order(store, batch))
    store.replace(batch, report.batches[0])


def insist(store: Store, executor: Executor, target: int, order: Callable[[], Order]) -> Report:
    """Carries out an order; makes its sources again first if they turn out to be defective, and tries again if
    a worker dies."""
    deaths, mended = 0, set[int]()
    while True:
        try:
            return executor.submit(carry_out, order()).result()
        except BadSource as bad:
            if bad.number in mended:
                raise SetsetError(f"{bad}, even after it was made again: is the disk sound?") from bad
            mended.add(bad.number)
            remake(store, executor, store.batch(store.find_exploration(target), bad.size, bad.number))
        except WorkerDied:
            deaths += 1
            if deaths == ATTEMPTS:
                raise


def remake_order(store: Store, batch: StoredBatch) -> RemakeOrder:
    """What it takes to derive a batch anew."""
    exploration = store.find_exploration(batch.target)
    numbers = range(batch.span.first_source, batch.span.last_source + 1)
    orders = [_expand_order(store, exploration, batch.target, batch.size, n, batch.root_id) for n in numbers]
    return RemakeOrder(batch.span, tuple(orders))


def _expand_order(
    store: Store, exploration: int, target: int, size: int, number: int, root_id: int
) -> ExpandOrder:
    source = None
    if size - 1 != SEED_SOURCE_SIZE:
        source = store.source_of(store.batch(exploration, size - 1, number))
    limit = store.batch_lists(exploration, size)
    return ExpandOrder(target, size, limit, source, str(store.roots()[root_id]))


def _redo(store: Store, executor: Executor, target: int, size: int, source: int) -> None:
    """Does a whole expansion again whose records do not add up."""
    exploration = store.find_exploration(target)
    held = store.batches(exploration, size, Batch.first_source == source)
    root_id = next((batch.root_id for batch in held), None) or store.use_root(None)
    report = insist(
        store, executor, target, lambda: _expand_order(store, exploration, target, size, source, root_id)
    )
    expansions.redo(store, exploration, size, source, root_id, report)
