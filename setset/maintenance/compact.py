"""Merging neighbouring small files into full ones."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future
from dataclasses import dataclass

from setset.batches.records import BatchFile, Span
from setset.database import Database, batches, expansions, explorations, roots
from setset.database.batches import Merged, StoredBatch
from setset.database.explorations import ExplorationKey
from setset.errors import BadInput
from setset.executors.base import WorkerDied
from setset.executors.window import submit_ahead
from setset.maintenance.repair import execute_with_retries
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
    go_on: Callable[[], None] = lambda: None,
) -> CompactResult:
    """Merges the batches of a size, those numbered up to `up_to`.

    The merged files are complete before one transaction puts them in the place of the old ones and numbers
    the size again; only then are the old ones removed. The lists and their order do not change. `go_on` is
    called before each merge, and may raise.
    """
    require_compactable(database, exploration, size)
    before = list(batches.in_order(database, exploration, size))
    limit = explorations.get_size(database, exploration, size).batch_lists
    groups = [group for group in _groups(before, limit, up_to) if len(group) > 1]
    if not groups:
        return CompactResult(len(before), len(before))
    progress.begin(
        size, Activity.COMPACT, len(groups), sum(batch.lists for group in groups for batch in group)
    )

    def submit(group: list[StoredBatch]) -> Future[TaskResult]:
        go_on()
        return executor.submit(execute, _merge_task(database, group, limit))

    merged = []
    for group, future in submit_ahead(groups, submit):
        new = _merged_file(database, executor, group, limit, future)
        merged.append(Merged(tuple(group), new))
        lists = sum(batch.lists for batch in group)
        progress.advance(lists, lists)
    batches.replace_merged(database, exploration, size, merged)
    for each in merged:
        for batch in each.old:
            batches.path_of(database, batch).unlink(missing_ok=True)
    progress.end()
    return CompactResult(len(before), len(before) - sum(len(group) - 1 for group in groups))


def require_compactable(database: Database, exploration: ExplorationKey, size: int) -> None:
    """Refuses a size that is not complete, or from which something was derived."""
    if not explorations.is_complete(database, exploration, size):
        raise BadInput(f"size {size} is not complete: 'setset run --size {size}' first")
    if expansions.was_expanded(database, exploration, size):
        raise BadInput(
            f"larger sizes are derived from the files of size {size} as they are: they cannot be compacted"
        )


def _merged_file(
    database: Database,
    executor: Executor,
    group: list[StoredBatch],
    limit: int,
    future: Future[TaskResult],
) -> BatchFile:
    try:
        result = future.result()
    except (BadSource, WorkerDied):
        target = group[0].target
        result = execute_with_retries(database, executor, target, lambda: _merge_task(database, group, limit))
    return result.batches[0]


def _groups(found: Iterable[StoredBatch], limit: int, up_to: int | None) -> Iterator[list[StoredBatch]]:
    """Runs of neighbours that fit into one file."""
    group: list[StoredBatch] = []
    for batch in found:
        fits = sum(member.lists for member in group) + batch.lists <= limit
        late = up_to is not None and batch.number is not None and batch.number > up_to
        if group and (not fits or late or batch.root_id != group[0].root_id):
            yield group
            group = []
        if not late:
            group.append(batch)
    if group:
        yield group


def _merge_task(database: Database, group: list[StoredBatch], limit: int) -> MergeTask:
    first, last = group[0].span, group[-1].span
    span = Span(first.first_source, first.first_part, last.last_source, last.last_part, last.ends_source)
    sources = tuple(batches.source_of(database, batch) for batch in group)
    root = roots.folders(database)[group[0].root_id]
    return MergeTask(group[0].target, group[0].size, limit, span, sources, str(root))
