"""Merging neighbouring small files into full ones."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from concurrent.futures import Executor, Future
from dataclasses import dataclass

from setset.batches.records import Span
from setset.database import Database, batches, evidence, explorations, removal, roots
from setset.database.batches import StoredBatch
from setset.database.evidence import sources_of_size
from setset.database.explorations import ExplorationKey
from setset.database.removal import Merged
from setset.errors import BadInput, SetsetError
from setset.executors.window import submit_ahead
from setset.maintenance.proof import Digests, source_digest
from setset.progress import Activity, ProgressListener
from setset.tasks.execute import execute
from setset.tasks.kinds import BadSource, MergeTask, TaskResult


@dataclass(frozen=True)
class CompactResult:
    """How many files a size had and has."""

    files_before: int
    files_after: int


def compact(
    database: Database,
    exploration: ExplorationKey,
    size: int,
    up_to: int | None,
    executor: Executor,
    progress: ProgressListener,
) -> CompactResult:
    """Merges the batches of a size, those numbered up to `up_to`.

    The merged files are complete before one transaction puts them in the place of the old ones and numbers
    the size again; only then are the old ones removed. The lists and their order do not change.
    """
    require_compactable(database, exploration, size)
    before = list(batches.in_order(database, exploration, size))
    record = explorations.get_size(database, exploration, size)
    limit = record.batch_lists
    known = sources_of_size(database, exploration, record.source_size)
    groups = [group for group in _groups(before, limit, up_to) if len(group) > 1]
    if not groups:
        return CompactResult(len(before), len(before))
    progress.begin(
        size, Activity.COMPACT, len(groups), sum(batch.lists for group in groups for batch in group)
    )

    def submit(group: list[StoredBatch]) -> Future[TaskResult]:
        return executor.submit(execute, _merge_task(database, group, limit, known))

    merged = []
    for group, future in submit_ahead(groups, submit):
        try:
            merged.append(Merged(tuple(group), future.result().batches[0]))
        except BadSource as bad:
            roots.require_there(database, group[0].root_id)
            raise SetsetError(f"{bad}: run 'setset repair' first") from bad
        lists = sum(batch.lists for batch in group)
        progress.advance(size, lists, lists)
    removal.replace_merged(database, exploration, size, merged)
    own = roots.own_folders(database)
    for each in merged:
        for batch in each.old:
            if batch.root_id in own:
                batches.path_of(database, batch).unlink(missing_ok=True)
    progress.end(size)
    return CompactResult(len(before), len(before) - sum(len(group) - 1 for group in groups))


def require_compactable(database: Database, exploration: ExplorationKey, size: int) -> None:
    """Refuses a size that is not complete, or from which something was derived."""
    if not explorations.is_complete(database, exploration, size):
        raise BadInput(f"size {size} is not complete: 'setset run --size {size} {exploration.options}' first")
    if any(batch.defect for batch in batches.in_order(database, exploration, size)):
        raise BadInput(f"files of size {size} are to be made again: 'setset repair' first")
    if evidence.was_expanded(database, exploration, size):
        raise BadInput(
            f"larger sizes are derived from the files of size {size} as they are: they cannot be compacted"
        )


def _groups(found: Iterable[StoredBatch], limit: int, up_to: int | None) -> Iterator[list[StoredBatch]]:
    """Runs of neighbours that fit into one file."""
    group: list[StoredBatch] = []
    lists = 0
    for batch in found:
        fits = lists + batch.lists <= limit
        late = up_to is not None and batch.number is not None and batch.number > up_to
        if group and (not fits or late or batch.root_id != group[0].root_id):
            yield group
            group, lists = [], 0
        if not late:
            group.append(batch)
            lists += batch.lists
    if group:
        yield group


def _merge_task(database: Database, group: list[StoredBatch], limit: int, known: Digests) -> MergeTask:
    first, last = group[0].span, group[-1].span
    span = Span(first.first_source, first.first_part, last.last_source, last.last_part, last.ends_source)
    sources = tuple(batches.source_of(database, batch) for batch in group)
    digest = source_digest(known, span)
    if digest is None:
        raise SetsetError(f"{group[-1]} comes from a source that is not recorded: run 'setset repair'")
    destination = roots.destination(database, group[0].root_id)
    one = group[0]
    return MergeTask(one.target, one.size, limit, span, sources, digest, destination, one.pruned)
