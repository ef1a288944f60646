"""From which sources, by which task, recorded batches and expansions can be derived again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from setset.database import Database, batches, expansions, explorations, roots
from setset.database.batches import StoredBatch
from setset.database.explorations import ExplorationKey
from setset.tasks.kinds import SEED_SOURCE_SIZE, ExpandTask, RebuildTask


@dataclass(frozen=True)
class DerivedGroup:
    """Batches that one derivation gives: those of one source, or a merged one. None if the source has no lists."""

    first_source: int
    last_source: int
    batches: tuple[StoredBatch, ...]


def groups(database: Database, exploration: ExplorationKey, size: int) -> Iterator[DerivedGroup]:
    """All batches of a size, and the finished expansions without any, such that each source is derived once."""
    covered = -1
    empty = iter(
        [each.source for each in expansions.finished(database, exploration, size) if not each.batches_out]
    )
    waiting = next(empty, None)
    group: list[StoredBatch] = []
    for batch in batches.in_order(database, exploration, size):
        if group and not _same_group(group[0], batch):
            yield _group(group)
            group = []
        while waiting is not None and waiting < batch.span.first_source:
            if waiting > covered:
                yield DerivedGroup(waiting, waiting, ())
            waiting = next(empty, None)
        covered = max(covered, batch.span.last_source)
        group.append(batch)
    if group:
        yield _group(group)
    while waiting is not None:
        if waiting > covered:
            yield DerivedGroup(waiting, waiting, ())
        waiting = next(empty, None)


def _same_group(one: StoredBatch, other: StoredBatch) -> bool:
    alike = (one.span.first_source, one.root_id) == (other.span.first_source, other.root_id)
    return alike and not one.span.is_merged and not other.span.is_merged


def _group(members: list[StoredBatch]) -> DerivedGroup:
    return DerivedGroup(members[0].span.first_source, members[-1].span.last_source, tuple(members))


def group_of(batch: StoredBatch) -> DerivedGroup:
    """One batch by itself."""
    return _group([batch])


def rebuild_task(
    database: Database,
    exploration: ExplorationKey,
    size: int,
    group: DerivedGroup,
    root_id: int | None = None,
) -> RebuildTask:
    """What it takes to derive a group again."""
    root = group.batches[0].root_id if group.batches else root_id
    if root is None:
        root = min(roots.folders(database))
    numbers = range(group.first_source, group.last_source + 1)
    tasks = tuple(expand_task(database, exploration, size, number, root) for number in numbers)
    return RebuildTask(tasks, tuple(batch.file for batch in group.batches))


def expand_task(
    database: Database, exploration: ExplorationKey, size: int, source: int, root_id: int
) -> ExpandTask:
    """What it takes to do an expansion again, whatever files it left before."""
    target, pruned = exploration.target, exploration.pruned
    batch_lists = explorations.get_size(database, exploration, size).batch_lists
    destination = roots.destination(database, root_id)
    if size - 1 == SEED_SOURCE_SIZE:
        return ExpandTask(target, size, batch_lists, None, destination, reuse=False, pruned=pruned)
    batch = batches.get(database, exploration, size - 1, source)
    found = batches.source_of(database, batch)
    return ExpandTask(target, size, batch_lists, found, destination, reuse=False, pruned=pruned)
