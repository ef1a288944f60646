"""Rebuilding batches: each is derived from its sources, so nothing that is lost is lost for good.

A file is replaced only by one with the lists that are recorded. Where the source does not give those, what is
recorded is wrong: then the expansion is done again, and what comes of it is recorded.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from dataclasses import replace
from functools import partial
from itertools import groupby
from pathlib import Path

from setset import platform
from setset.batches import files
from setset.batches.format import BadBatch
from setset.batches.roots import TOKEN, ForeignRoot
from setset.database import Database, batches, expansions, explorations, numbering, removal, roots
from setset.database.batches import StoredBatch
from setset.database.explorations import ExplorationKey, SizeRecord
from setset.errors import NoSpace, SetsetError
from setset.executors.base import ATTEMPTS, WorkerDied
from setset.executors.window import submit_ahead
from setset.maintenance.check import check_roots, check_size
from setset.maintenance.derive import DerivedGroup, expand_task, group_of, rebuild_task
from setset.maintenance.findings import Finding, FindingKind
from setset.progress import ProgressListener
from setset.tasks.execute import execute
from setset.tasks.kinds import BadSource, NotReproduced, Task, TaskResult


def repair_all(
    database: Database, executor: Executor, size: int | None, deep: bool, progress: ProgressListener
) -> list[Finding]:
    """Repairs what a check finds, smallest sizes first, since what is larger is derived from what is smaller.

    Each size is checked when those before it are sound. Returns what was found and repaired. What fails does not
    keep it from the others; the first such error is raised at the end.
    """
    failures: list[SetsetError] = []
    repaired = _repair_roots(database, failures)
    for exploration in explorations.find_all(database):
        for each in explorations.sizes(database, exploration):
            if size not in (None, each.size):
                continue
            found = list(check_size(database, exploration, each, progress, executor if deep else None))
            found = [finding for finding in found if finding.kind.remedy.is_repair]
            try:
                _repair_size(database, executor, exploration, each, found)
            except NoSpace:
                raise
            except SetsetError as error:
                failures.append(error)
            repaired += found
    if failures:
        raise failures[0]
    return repaired


def _repair_roots(database: Database, failures: list[SetsetError]) -> list[Finding]:
    """Makes tokens again that were altered, in roots that hold files of this workspace. Adds what it must not do."""
    found = [finding for finding in check_roots(database) if finding.kind.remedy.is_repair]
    # Repairing is the explicit act that may fill a folder that was emptied.
    roots.claim_own(database)
    damaged = {finding.where for finding in found}
    for root_id, root in roots.folders(database).items():
        if str(root / TOKEN) in damaged and _holds_own_files(database, root_id, root):
            try:
                roots.claim(database, root, roots.token(database, root_id), adopt=True)
            except ForeignRoot as error:
                failures.append(error)
                damaged.remove(str(root / TOKEN))
    return [finding for finding in found if finding.where in damaged]


def _holds_own_files(database: Database, root_id: int, root: Path) -> bool:
    """Whether a file that is recorded in a root is there, to the bit."""
    for path in sorted(batches.recorded_paths(database, root_id)):
        if not platform.leads_outside(path):
            with contextlib.suppress(BadBatch):
                if files.verify(root / path)[1] in batches.recorded_digests(database, root_id, path):
                    return True
    return False


def _repair_size(
    database: Database,
    executor: Executor,
    exploration: ExplorationKey,
    size: SizeRecord,
    found: list[Finding],
) -> None:
    """Rebuilds the damaged files of a size, and does the expansions again that are not proven."""
    again = {finding.source for finding in found if finding.source is not None}
    for finding in found:
        if finding.batch is not None and finding.kind is FindingKind.LISTS:
            again |= set(range(finding.batch.span.first_source, finding.batch.span.last_source + 1))
    damaged = [
        replace(finding.batch, defect=finding.what.removeprefix(f"{finding.batch}: "))
        for finding in found
        if finding.kind is FindingKind.FILE and finding.batch is not None
        if again.isdisjoint(range(finding.batch.span.first_source, finding.batch.span.last_source + 1))
    ]
    again |= _rebuild_files(database, executor, exploration, size.size, damaged)
    if again:
        rerun_expansions(database, executor, exploration, size.size, again)
    elif any(finding.kind is FindingKind.SUM for finding in found):
        numbering.renumber(database, exploration, size.size)


def _rebuild_files(
    database: Database,
    executor: Executor,
    exploration: ExplorationKey,
    size: int,
    damaged: list[StoredBatch],
) -> set[int]:
    """Rebuilds files, each source derived once; returns the sources that give other lists than are recorded."""

    def submit(group: DerivedGroup) -> Future[TaskResult]:
        return executor.submit(execute, rebuild_task(database, exploration, size, group))

    again: set[int] = set()
    for group, future in submit_ahead(_grouped(damaged), submit):
        again_if_needed = partial(rebuild_task, database, exploration, size, group)
        try:
            result = result_or_retry(database, executor, exploration.target, future, again_if_needed)
        except NotReproduced:
            again |= set(range(group.first_source, group.last_source + 1))
            continue
        made = {batch.span.start: batch for batch in result.batches}
        for batch in group.batches:
            batches.record_rebuilt(database, batch, made[batch.span.start])
    return again


def _grouped(damaged: list[StoredBatch]) -> Iterator[DerivedGroup]:
    """Neighbouring files of one source together, merged ones each by itself."""
    for (source, _root, merged), members in groupby(
        damaged, key=lambda batch: (batch.span.first_source, batch.root_id, batch.span.is_merged)
    ):
        if merged:
            yield from map(group_of, members)
        else:
            yield DerivedGroup(source, source, tuple(members))


def rerun_expansions(
    database: Database, executor: Executor, exploration: ExplorationKey, size: int, sources: set[int]
) -> None:
    """Does expansions again whose records are not proven, and puts what comes of it in their place.

    What shares a merged file with them is done again too. Sources that are not there any more are forgotten.
    """
    root_id = roots.use_root(database, None)
    whole = removal.forget(database, exploration, size, sources)
    known = batches.sources_of_size(database, exploration, size - 1).keys()

    def submit(source: int) -> Future[TaskResult]:
        return executor.submit(execute, expand_task(database, exploration, size, source, root_id))

    for source, future in submit_ahead(sorted(whole & known), submit):
        again_if_needed = partial(expand_task, database, exploration, size, source, root_id)
        result = result_or_retry(database, executor, exploration.target, future, again_if_needed)
        expansions.record_again(database, exploration, size, source, root_id, result)
    numbering.renumber(database, exploration, size)


def rebuild_batch(database: Database, executor: Executor, batch: StoredBatch) -> None:
    """Rebuilds one batch, byte-identical; NotReproduced if its sources give other lists than are recorded."""
    exploration = explorations.find(database, batch.target)
    result = execute_with_retries(
        database,
        executor,
        batch.target,
        partial(rebuild_task, database, exploration, batch.size, group_of(batch)),
    )
    batches.record_rebuilt(database, batch, result.batches[0])


def result_or_retry(
    database: Database,
    executor: Executor,
    target: int,
    future: Future[TaskResult],
    get_task: Callable[[], Task],
) -> TaskResult:
    """What came of a task; if its source was defective or its worker died, of the same task with retries."""
    try:
        return future.result()
    except (BadSource, WorkerDied):
        return execute_with_retries(database, executor, target, get_task)


def execute_with_retries(
    database: Database, executor: Executor, target: int, get_task: Callable[[], Task]
) -> TaskResult:
    """Executes a task. Rebuilds its sources first if they are defective, and tries again if a worker dies."""
    deaths, rebuilt = 0, set[int]()
    while True:
        try:
            return executor.submit(execute, get_task()).result()
        except BadSource as bad:
            if bad.number in rebuilt:
                raise SetsetError(f"{bad}, even after it was rebuilt: is the disk sound?") from bad
            rebuilt.add(bad.number)
            exploration = explorations.find(database, target)
            rebuild_batch(database, executor, batches.get(database, exploration, bad.size, bad.number))
        except WorkerDied:
            deaths += 1
            if deaths == ATTEMPTS:
                raise
