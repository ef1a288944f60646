"""From which sources recorded batches can be derived again, to be compared with their files."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from setset.database import Database, batches, roots
from setset.database.batches import StoredBatch
from setset.database.evidence import read_evidence
from setset.database.explorations import ExplorationKey, SizeRecord
from setset.tasks.kinds import SEED_SOURCE_SIZE, CompareTask, ExpandTask


@dataclass(frozen=True)
class DerivedGroup:
    """Batches that one derivation gives: those of one source, or a merged one. None if the source has no lists."""

    first_source: int
    last_source: int
    batches: tuple[StoredBatch, ...]


def groups(database: Database, exploration: ExplorationKey, size: SizeRecord) -> Iterator[DerivedGroup]:
    """All batches of a size, and the finished expansions without any, such that each source is derived once."""
    covered = -1
    empty = iter(
        [each.source for each in read_evidence(database, exploration, size).finished if not each.batches_out]
    )
    waiting = next(empty, None)
    group: list[StoredBatch] = []
    for batch in batches.in_order(database, exploration, size.size):
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


def compare_task(
    database: Database, exploration: ExplorationKey, size: SizeRecord, group: DerivedGroup
) -> CompareTask:
    """The task that derives a group again and compares it with its files."""
    root_id = group.batches[0].root_id if group.batches else min(roots.folders(database))
    to = roots.destination(database, root_id)
    expand = []
    for number in range(group.first_source, group.last_source + 1):
        source = None
        if size.source_size != SEED_SOURCE_SIZE:
            batch = batches.get(database, exploration, size.source_size, number)
            source = batches.source_of(database, batch)
        target, pruned = exploration.target, exploration.pruned
        expand.append(ExpandTask(target, size.size, size.batch_lists, source, to, pruned=pruned))
    return CompareTask(tuple(expand), tuple(batch.file for batch in group.batches), to.root)
