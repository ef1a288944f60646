"""Merges neighbouring small files into full files."""

import contextlib
from collections.abc import Iterable, Iterator
from concurrent.futures import Executor, Future
from dataclasses import dataclass
from pathlib import Path

from setset import durable
from setset.batches.records import Batch, Span
from setset.database import batches, expansions, storage_roots
from setset.database.explorations import SizeKey, SizeRecord
from setset.errors import BadInput, SetsetError
from setset.executors.window import submit_ahead
from setset.maintenance.proof import Sources, source_digest
from setset.progress import Activity, ProgressListener
from setset.tasks.execute import execute
from setset.tasks.kinds import BadSource, MergeTask, TaskResult


@dataclass(frozen=True)
class CompactResult:
    """Number of files of a size before and after."""

    files_before: int
    files_after: int


def compact(size: SizeRecord, up_to: int | None, executor: Executor, progress: ProgressListener) -> CompactResult:
    """Merges neighbouring small batches of a size into full files. Leaves out batches with numbers above `up_to`.

    Writes the merged files first. Then replaces the old rows and numbers the batches again, in one transaction. Then
    removes the old files. The lists and their order do not change.
    """
    require_compactable(size)
    before, sources = batches.read(size), batches.sources(size.source)
    groups = [group for group in _groups(before, size.batch_lists, up_to) if len(group) > 1]
    if not groups:
        return CompactResult(len(before), len(before))
    lists = sum(batch.lists for group in groups for batch in group)
    progress.begin(size.size, Activity.COMPACT, len(groups), lists)

    def submit(group: list[Batch]) -> Future[TaskResult]:
        return executor.submit(execute, _merge_task(size, group, sources))

    merged = []
    for group, future in submit_ahead(groups, submit):
        try:
            merged.append((group, future.result().batches[0]))
        except BadSource as bad:
            storage_roots.require_present(size.database, group[0].root_id)
            raise SetsetError(f"{bad}: run 'setset repair' first") from bad
        lists = sum(batch.lists for batch in group)
        progress.advance(size.size, lists, lists)
    expansions.replace_merged(size, merged)
    own = storage_roots.own_folders(size.database)
    for batch in (batch for group, _ in merged for batch in group if batch.root_id in own):
        with contextlib.suppress(OSError):  # the next run removes the file
            durable.remove(Path(batch.path))
    progress.end(size.size)
    return CompactResult(len(before), len(before) - sum(len(group) - 1 for group in groups))


def require_compactable(at: SizeKey) -> None:
    """Raises BadInput if a size is incomplete, has a file with a defect, or was expanded already."""
    if not at.is_complete():
        command = f"setset run --size {at.size} {at.exploration.options}"
        raise BadInput(f"size {at.size} is not complete: run '{command}' first")
    if any(batch.defect for batch in batches.read(at)):
        raise BadInput(f"files of size {at.size} have defects: run 'setset repair' first")
    if expansions.was_expanded(at):
        raise BadInput(
            f"larger sizes were made or counted from size {at.size}, so its files can no longer be compacted"
        )


def _groups(recorded: Iterable[Batch], limit: int, up_to: int | None) -> Iterator[list[Batch]]:
    """Yields groups of neighbouring batches. Each group fits into one file."""
    group: list[Batch] = []
    lists = 0
    for batch in recorded:
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


def _merge_task(size: SizeRecord, group: list[Batch], numbered: Sources) -> MergeTask:
    first, last = group[0].span, group[-1].span
    span = Span(first.first_source, first.first_part, last.last_source, last.last_part, last.ends_source)
    sources = tuple(map(batches.source_of, group))
    digest = source_digest(numbered, span)
    if digest is None:
        raise SetsetError(f"{group[-1]} comes from a source that is not recorded: run 'setset repair'")
    to = storage_roots.destinations(size.database)[group[0].root_id]
    target, pruned = size.exploration.target, size.exploration.pruned
    return MergeTask(target, size.size, size.batch_lists, span, sources, digest, to, pruned)
