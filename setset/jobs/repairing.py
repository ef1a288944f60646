"""Making batches again: each is derived from its sources, so nothing that is lost is lost for good."""

from __future__ import annotations

from concurrent.futures import Executor

from setset.errors import SetsetError
from setset.jobs.records import SEED_SOURCE_SIZE, ExpandOrder, RemakeOrder, StoredBatch
from setset.jobs.store import Store
from setset.jobs.worker import BadSource, carry_out


def remake(store: Store, executor: Executor, batch: StoredBatch) -> None:
    """Makes one batch again, byte-identical; its sources first if one of them turns out to be defective."""
    order = remake_order(store, batch)
    for _ in order.expansions:
        try:
            report = executor.submit(carry_out, order).result()
            store.replace(batch, report.batches[0])
            return
        except BadSource as bad:
            exploration = store.find_exploration(batch.target)
            remake(store, executor, store.batch(exploration, bad.size, bad.number))
    # One more time: each source that was bad has been made again.
    report = executor.submit(carry_out, order).result()
    store.replace(batch, report.batches[0])


def remake_order(store: Store, batch: StoredBatch) -> RemakeOrder:
    """What it takes to derive a batch anew."""
    exploration = store.find_exploration(batch.target)
    batch_lists = store.batch_lists(exploration, batch.size)
    root = str(store.roots()[batch.root_id])
    source_size = batch.size - 1
    if source_size == SEED_SOURCE_SIZE:
        return RemakeOrder(batch.span, (ExpandOrder(batch.target, batch.size, batch_lists, None, root),))
    sources = [
        store.source_of(store.batch(exploration, source_size, number))
        for number in range(batch.span.first_source, batch.span.last_source + 1)
    ]
    if not sources:
        raise SetsetError(f"{batch} has no source")
    return RemakeOrder(
        batch.span,
        tuple(ExpandOrder(batch.target, batch.size, batch_lists, source, root) for source in sources),
    )
