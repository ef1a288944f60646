"""`setset compact`: merge neighbouring small files into full ones."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future
from itertools import islice

from setset.batches.spans import Span
from setset.database.store import Store
from setset.errors import BadInput
from setset.executors.local import WorkerDied
from setset.jobs.progress import Watcher
from setset.maintenance.repair import insist
from setset.tasks.execute import carry_out
from setset.tasks.kinds import BadSource, MergeOrder, NewBatch, Report, StoredBatch

AHEAD = 16
"""Merges in flight."""


def compact(
    store: Store,
    exploration: int,
    size: int,
    up_to: int | None,
    executor: Executor,
    watcher: Watcher,
    go_on: Callable[[], None] = lambda: None,
) -> tuple[int, int]:
    """Merges the batches of a size, those numbered up to `up_to`; returns how many files there were and are.

    The merged files are complete before one transaction puts them in the place of the old ones and numbers
    the size anew; only then are the old ones removed. The lists and their order do not change. `go_on` is
    called before each merge, and may raise.
    """
    require_compactable(store, exploration, size)
    before = list(store.batches(exploration, size))
    limit = store.batch_lists(exploration, size)
    groups = [group for group in _groups(before, limit, up_to) if len(group) > 1]
    if not groups:
        return len(before), len(before)
    watcher.begin(size, "compact", len(groups), sum(batch.lists for group in groups for batch in group))
    roots = store.roots()
    flying: deque[tuple[list[StoredBatch], Future[Report]]] = deque()
    merged: list[tuple[list[StoredBatch], NewBatch]] = []
    ahead = iter(groups)
    while len(merged) < len(groups):
        go_on()
        for group in islice(ahead, AHEAD - len(flying)):
            flying.append((group, executor.submit(carry_out, _order(store, group, limit))))
        group, future = flying.popleft()
        merged.append((group, _merged(store, executor, group, limit, future)))
        lists = sum(batch.lists for batch in group)
        watcher.advance(lists, lists)
    store.merge(
        exploration, size, [([batch.id for batch in group], group[0].root_id, new) for group, new in merged]
    )
    for group, _ in merged:
        for batch in group:
            (roots[batch.root_id] / batch.path).unlink(missing_ok=True)
    watcher.end()
    return len(before), len(before) - sum(len(group) - 1 for group in groups)


def require_compactable(store: Store, exploration: int, size: int) -> None:
    if not store.is_complete(exploration, size):
        raise BadInput(f"size {size} is not complete: 'setset run --size {size}' first")
    if store.was_expanded(exploration, size):
        raise BadInput(
            f"larger sizes are derived from the files of size {size} as they are: they cannot be compacted"
        )


def _merged(
    store: Store, executor: Executor, group: list[StoredBatch], limit: int, future: Future[Report]
) -> NewBatch:
    try:
        report = future.result()
    except (BadSource, WorkerDied):
        report = insist(store, executor, group[0].target, lambda: _order(store, group, limit))
    return report.batches[0]


def _groups(batches: Iterable[StoredBatch], limit: int, up_to: int | None) -> Iterator[list[StoredBatch]]:
    """Runs of neighbours that fit into one file."""
    group: list[StoredBatch] = []
    for batch in batches:
        fits = sum(member.lists for member in group) + batch.lists <= limit
        late = up_to is not None and batch.number is not None and batch.number > up_to
        if group and (not fits or late or batch.root_id != group[0].root_id):
            yield group
            group = []
        if not late:
            group.append(batch)
    if group:
        yield group


def _order(store: Store, group: list[StoredBatch], limit: int) -> MergeOrder:
    first, last = group[0].span, group[-1].span
    span = Span(first.first_source, first.first_part, last.last_source, last.last_part, last.ends_source)
    parts = tuple(store.source_of(batch) for batch in group)
    return MergeOrder(
        group[0].target, group[0].size, limit, span, parts, str(store.roots()[group[0].root_id])
    )
