"""From which sources, by which task, a recorded batch or expansion can be derived again."""

from __future__ import annotations

from setset.database import Database, batches, explorations, roots
from setset.database.batches import StoredBatch
from setset.database.explorations import ExplorationKey
from setset.tasks.kinds import SEED_SOURCE_SIZE, ExpandTask, RebuildTask


def rebuild_task(database: Database, batch: StoredBatch) -> RebuildTask:
    """What it takes to derive a batch again."""
    exploration = explorations.find(database, batch.target)
    sources = range(batch.span.first_source, batch.span.last_source + 1)
    return RebuildTask(
        batch.span,
        tuple(expand_task(database, exploration, batch.size, n, batch.root_id) for n in sources),
    )


def expand_task(
    database: Database, exploration: ExplorationKey, size: int, source: int, root_id: int
) -> ExpandTask:
    """What it takes to do an expansion again."""
    batch_lists = explorations.get_size(database, exploration, size).batch_lists
    root = str(roots.folders(database)[root_id])
    if size - 1 == SEED_SOURCE_SIZE:
        return ExpandTask(exploration.target, size, batch_lists, None, root)
    batch = batches.get(database, exploration, size - 1, source)
    return ExpandTask(exploration.target, size, batch_lists, batches.source_of(database, batch), root)
