"""Making batches again: each is derived from its sources, so nothing that is lost is lost for good."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import Executor
from typing import TYPE_CHECKING

from setset.errors import SetsetError
from setset.jobs import expansions
from setset.jobs.duties import carry_out
from setset.jobs.executors import WorkerDied
from setset.jobs.records import SEED_SOURCE_SIZE, BadSource, ExpandOrder, RemakeOrder, StoredBatch
from setset.jobs.runner import ATTEMPTS
from setset.jobs.store import Store

if TYPE_CHECKING:
    from setset.jobs.checking import Finding

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
    """Mends findings of the kinds that can be, in their order: smallest sizes first."""
    for finding in findings:
        if finding.batch is not None:
            remake(store, executor, finding.batch)
        elif finding.source is not None and finding.target is not None and finding.size is not None:
            _redo(store, executor, finding.target, finding.size, finding.source)


def remake(store: Store, executor: Executor, batch: StoredBatch) -> None:
    """Makes one batch again, byte-identical; its sources first, if one of them turns out to be defective."""
    deaths, mended = 0, set[int]()
    while True:
        try:
            report = executor.submit(carry_out, remake_order(store, batch)).result()
        except BadSource as bad:
            if bad.number in mended:
                raise SetsetError(f"{bad}, even after it was made again: is the disk sound?") from bad
            mended.add(bad.number)
            remake(store, executor, store.batch(store.find_exploration(batch.target), bad.size, bad.number))
        except WorkerDied:
            deaths += 1
            if deaths == ATTEMPTS:
                raise
        else:
            store.replace(batch, report.batches[0])
            return


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
    root_id = store.use_root(None)
    order = _expand_order(store, exploration, target, size, source, root_id)
    report = executor.submit(carry_out, order).result()
    expansions.redo(store, exploration, size, source, root_id, report)
