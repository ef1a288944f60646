"""Comparing what the database records with what is on disk. Reads only; never writes anything."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from setset.batches import files
from setset.batches.roots import TOKEN, RootState, root_state
from setset.database import Database, batches, explorations, roots
from setset.database.batches import StoredBatch
from setset.database.evidence import count_finished, read_evidence
from setset.database.explorations import ExplorationKey, SizeRecord
from setset.errors import BadInput, SetsetError
from setset.executors.window import submit_ahead
from setset.maintenance.cleanup import StrayKind, find_strays
from setset.maintenance.derive import DerivedGroup, compare_task, groups
from setset.maintenance.findings import Finding, FindingKind
from setset.maintenance.proof import find_stale_counts, find_wrong_sums, prove
from setset.progress import Activity, ProgressListener
from setset.tasks.execute import compare

Result = TypeVar("Result")

_STRAYS = {
    StrayKind.TEMPORARY: (
        FindingKind.TEMPORARY,
        "half-written by a run that was stopped; the next run removes it",
    ),
    StrayKind.ORPHAN: (
        FindingKind.ORPHAN,
        "a sound batch file that is not recorded; the next run of its size takes it over or removes it",
    ),
    StrayKind.DAMAGED: (
        FindingKind.ORPHAN,
        "a damaged batch file that is not recorded; a run removes it when its size is complete",
    ),
    StrayKind.FOREIGN: (FindingKind.FOREIGN, "not a file of setset; it is left alone"),
}


def check(
    database: Database,
    size: int | None,
    progress: ProgressListener,
    deep: Executor | None = None,
    beside_run: bool = False,
) -> Iterator[Finding]:
    """Everything that is wrong, smallest sizes first.

    Args:
        size: Only this size, and no files that are not recorded.
        deep: An executor, for what only decoding each file and deriving its lists again can show.
        beside_run: A run is under way: look only at what it has finished.
    """
    begun = [
        (exploration, each)
        for exploration in explorations.find_all(database)
        for each in explorations.sizes(database, exploration)
        if size in (None, each.size)
    ]
    if size is not None and not begun:
        raise BadInput(f"there is nothing of size {size} to check: 'setset status' shows what there is")
    yield from check_roots(database)
    for exploration, each in begun:
        if beside_run and not each.complete:
            progress.notice(f"size {each.size} is being written: it can be checked when the run is over")
            continue
        yield from check_size(database, exploration, each, progress, deep)
    if size is None and not beside_run:
        for stray in find_strays(database):
            kind, what = _STRAYS[stray.kind]
            yield Finding(kind, str(stray.path), what)


def check_size(
    database: Database,
    exploration: ExplorationKey,
    size: SizeRecord,
    progress: ProgressListener,
    deep: Executor | None = None,
) -> Iterator[Finding]:
    """Everything that is wrong with one size, as far as it is recorded."""
    proven: list[StoredBatch] = []
    yield from _check_files(database, exploration, size, progress, proven)
    records = read_evidence(database, exploration, size)
    sums = find_wrong_sums(records, proven)
    place = exploration.target, size.size
    for kind, flaws in {FindingKind.PROOF: prove(size, records, proven), FindingKind.SUM: sums}.items():
        for flaw in flaws:
            yield Finding(kind, _name(size, flaw.source), flaw.reason, *place, None, flaw.source)
    for count in find_stale_counts(database, exploration, size.size, records) if records.counted else ():
        where = f"the count from {_name_of_batch(size, count.source)}"
        what = "made from another batch than the one that is recorded"
        yield Finding(FindingKind.PROOF, where, what, *place)
    recorded, made = (sum(each.lists for each in proven), sum(each.lists_out for each in records.finished))
    if recorded != made and not sums:
        what = f"{made:,} lists were made, {recorded:,} are recorded"
        yield Finding(FindingKind.STATE, f"size {size.size}", what, *place)
    expanded, sources = len(records.finished), len(records.sources)
    if size.complete != (records.all_known and expanded == sources):
        what = f"{expanded:,} of {sources:,} sources are expanded; the database says otherwise"
        yield Finding(FindingKind.STATE, f"size {size.size}", what, *place)
    if deep is not None:
        yield from _check_lists(database, exploration, size, deep, progress)


def _name_of_batch(size: SizeRecord, number: int) -> str:
    return f"batch {number} of size {size.size}"


def _name(size: SizeRecord, source: int) -> str:
    return f"the expansion of batch {source} of size {size.source_size}"


def check_roots(database: Database) -> Iterator[Finding]:
    """The storage roots that are gone, and the tokens of others that were altered."""
    for record in roots.records(database):
        is_gone = roots.is_gone(database, record)
        if root_state(record.folder, roots.token(database, record.id)) is RootState.DAMAGED:
            yield Finding(FindingKind.ROOT, str(record.folder / TOKEN), "was altered, or is not readable")
        elif is_gone:
            # Its own root is filled again by repair, so its files are looked for one by one too.
            kind = FindingKind.ROOT if record.is_own else FindingKind.GONE
            what = f"the storage root is gone, with {record.files:,} files and {record.lists:,} lists"
            what += f": if it was moved, 'setset roots move {record.folder} NEW'"
            if not record.is_own:
                what += f"; if it is lost for good, 'setset roots forget {record.folder}'"
            yield Finding(kind, str(record.folder), what)


def _away(database: Database) -> dict[int, Path]:
    """The folders of storage roots whose files are not looked for, since the roots are gone."""
    return {record.id: record.folder for record in roots.gone(database) if not record.is_own}


def _check_files(
    database: Database,
    exploration: ExplorationKey,
    size: SizeRecord,
    progress: ProgressListener,
    proven: list[StoredBatch],
) -> Iterator[Finding]:
    """The files of a size against their rows, read on all cores, and their rows in order. Adds the batches to
    `proven`."""
    place = exploration.target, size.size
    recorded, away = list(batches.in_order(database, exploration, size.size)), _away(database)
    progress.begin(size.size, Activity.CHECK, len(recorded), 0)
    before = 0
    with ThreadPoolExecutor() as threads:

        def submit(batch: StoredBatch) -> Future[tuple[str | None, StoredBatch]]:
            if batch.root_id in away:
                return _finished((None, batch))
            return threads.submit(_file_problem, database, batch, size.batch_lists)

        for number, (_, future) in enumerate(submit_ahead(recorded, submit, 64)):
            problem, batch = future.result()
            if problem:
                where = _file_of(database, batch)
                yield Finding(FindingKind.FILE, where, f"{batch}: {problem}", *place, batch)
            if batch.number != number and (batch.number is not None or size.complete):
                yield Finding(FindingKind.NUMBER, str(batch), f"comes after batch {number - 1}", *place)
            if proven and proven[-1].last >= batch.first:
                yield Finding(FindingKind.ORDER, str(batch), f"does not come after {proven[-1]}", *place)
            if batch.lists_before not in (None, before):
                what = f"{batch.lists_before:,} lists are said to come before it, {before:,} do"
                yield Finding(FindingKind.SUM, str(batch), what, *place)
            before = (batch.lists_before or 0) + batch.lists
            proven.append(batch)
            progress.advance(size.size, batch.lists, batch.lists)
    progress.end(size.size)


def _finished(result: Result) -> Future[Result]:
    """What need not be done."""
    future: Future[Result] = Future()
    future.set_result(result)
    return future


def _file_of(database: Database, batch: StoredBatch) -> str:
    return str(roots.folders(database)[batch.root_id] / batch.path)


def _file_problem(database: Database, batch: StoredBatch, batch_lists: int) -> tuple[str | None, StoredBatch]:
    """What is wrong with a batch's file, compared with its row and with how many lists a file may hold.

    Also the batch, with what the file says of its source: rows of version 0.1 do not say it.
    """
    try:
        header, digest = files.verify(batches.path_of(database, batch))
    except SetsetError as error:
        return str(error), batch
    if digest != batch.digest:
        return "a sound batch file, but not the one that the database records", batch
    made_from: str | None = header.source_digest.hex()
    said = (header.target, header.pruned, header.size, header.span, header.lists, header.first, header.last)
    recorded = (batch.target, batch.pruned, batch.size, batch.span, batch.lists, batch.first, batch.last)
    if said != recorded or made_from != (batch.source_digest or made_from):
        return "the file's header and the database differ", batch
    if batch.source_digest is None and batch.span.is_merged:
        made_from = None  # version 0.1 wrote the digest of the first source there
    batch = replace(batch, source_digest=made_from)
    if header.file_bytes != batch.bytes or batch.defect is not None:
        return f"sound, but recorded with {batch.bytes} bytes and the defect {batch.defect!r}", batch
    if header.batch_lists != batch_lists:
        return (
            "cut for another number of lists in a file than the database says: run 'setset db rebuild'",
            batch,
        )
    return None, batch


def _check_lists(
    database: Database,
    exploration: ExplorationKey,
    size: SizeRecord,
    executor: Executor,
    progress: ProgressListener,
) -> Iterator[Finding]:
    """Decodes each file, and derives each source again."""
    target, away = exploration.target, _away(database).values()
    progress.begin(size.size, Activity.COMPARE, count_finished(database, exploration, size), 0)

    def submit(group: DerivedGroup) -> Future[tuple[str | None, ...]]:
        try:
            task = compare_task(database, exploration, size, group)
            needed = [Path(each.path) for each in task.sources]
            if group.batches:
                needed.append(Path(task.root))
            if any(path.is_relative_to(root) for path in needed for root in away):
                return _finished((None,) * len(group.batches))
            return executor.submit(compare, task)
        except SetsetError as error:  # what cannot even be submitted fails like what was
            failed: Future[tuple[str | None, ...]] = Future()
            failed.set_exception(error)
            return failed

    for group, future in submit_ahead(groups(database, exploration, size), submit):
        lists = sum(batch.lists for batch in group.batches)
        progress.advance(size.size, lists, lists)
        try:
            problems = future.result()
        except SetsetError as error:
            problems = (f"cannot be compared: {error}",) * max(len(group.batches), 1)
        if not group.batches and any(problems):
            where = _name(size, group.first_source)
            what = "; ".join(filter(None, problems))
            yield Finding(FindingKind.LISTS, where, what, target, size.size, None, group.first_source)
        for batch, problem in zip(group.batches, problems, strict=False):
            if problem:
                where, what = _file_of(database, batch), f"{batch}: {problem}"
                yield Finding(FindingKind.LISTS, where, what, target, size.size, batch)
    progress.end(size.size)
