"""Comparing what the database records with what is on disk. Reads only; never writes anything."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future

from setset.batches import files
from setset.database import Database, batches, expansions, explorations, roots
from setset.database.batches import StoredBatch
from setset.database.explorations import ExplorationKey, SizeRecord
from setset.errors import BadInput, SetsetError
from setset.executors.window import submit_ahead
from setset.maintenance.cleanup import StrayKind, find_strays
from setset.maintenance.derive import rebuild_task
from setset.maintenance.findings import Finding, FindingKind
from setset.progress import Activity, ProgressListener
from setset.tasks.execute import compare
from setset.tasks.kinds import SEED_SOURCE_SIZE

_STRAYS = {
    StrayKind.TEMPORARY: (
        FindingKind.TEMPORARY,
        "half-written by a run that was stopped; the next run removes it",
    ),
    StrayKind.ORPHAN: (
        FindingKind.ORPHAN,
        "a sound batch file that is not recorded; the next run takes it over or removes it",
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
    for exploration, each in begun:
        if beside_run and not each.complete:
            progress.notice(f"size {each.size} is being written: it can be checked when the run is over")
            continue
        yield from _check_size(database, exploration, each, progress)
        if deep is not None:
            yield from _check_lists(database, exploration, each.size, deep, progress)
    if size is None and not beside_run:
        for stray in find_strays(database):
            kind, what = _STRAYS[stray.kind]
            yield Finding(kind, str(stray.path), what)


def _check_size(
    database: Database, exploration: ExplorationKey, size: SizeRecord, progress: ProgressListener
) -> Iterator[Finding]:
    target = exploration.target
    progress.begin(size.size, Activity.CHECK, batches.count_numbered(database, exploration, size.size), 0)
    previous: StoredBatch | None = None
    found: dict[int, tuple[int, int]] = {}
    for number, batch in enumerate(batches.in_order(database, exploration, size.size)):
        problem = _file_problem(database, batch, size.batch_lists)
        if problem:
            where = _file_of(database, batch)
            yield Finding(FindingKind.FILE, where, f"{batch}: {problem}", target, size.size, batch)
        if batch.number not in (None, number):
            what = f"comes after batch {number - 1}"
            yield Finding(FindingKind.NUMBER, str(batch), what, target, size.size)
        if previous and previous.last >= batch.first:
            what = f"does not come after {previous}"
            yield Finding(FindingKind.ORDER, str(batch), what, target, size.size)
        if batch.span.first_source == batch.span.last_source:
            parts, lists = found.get(batch.span.first_source, (0, 0))
            found[batch.span.first_source] = parts + 1, lists + batch.lists
        previous = batch
        progress.advance(batch.lists, batch.lists)
    yield from _check_sums(database, exploration, size.size, found)
    yield from _check_state(database, exploration, size)
    progress.end()


def _file_of(database: Database, batch: StoredBatch) -> str:
    return str(roots.folders(database)[batch.root_id] / batch.path)


def _file_problem(database: Database, batch: StoredBatch, batch_lists: int) -> str | None:
    """What is wrong with a batch's file, compared with its row and with how many lists a file may hold."""
    try:
        header, digest = files.verify(batches.path_of(database, batch))
    except SetsetError as error:
        return str(error)
    if digest != batch.digest:
        return "a sound batch file, but not the one that the database records"
    said = (header.target, header.size, header.span, header.lists, header.first, header.last)
    if said != (batch.target, batch.size, batch.span, batch.lists, batch.first, batch.last):
        return "the file's header and the database differ"
    if header.file_bytes != batch.bytes or batch.defect is not None:
        return f"sound, but recorded with {batch.bytes} bytes and the defect {batch.defect!r}"
    if header.batch_lists != batch_lists:
        return "cut for another number of lists in a file than the database says: run 'setset db rebuild'"
    return None


def _check_state(database: Database, exploration: ExplorationKey, size: SizeRecord) -> Iterator[Finding]:
    """Whether a size is complete exactly if it is recorded as complete."""
    before = size.size - 1
    expanded = expansions.count_done(database, exploration, size.size)
    sources = batches.count_numbered(database, exploration, before)
    known = before == SEED_SOURCE_SIZE or explorations.is_complete(database, exploration, before)
    if size.complete != (known and expanded == sources):
        what = f"{expanded:,} of {sources:,} sources are expanded; the database says otherwise"
        yield Finding(FindingKind.STATE, f"size {size.size}", what, exploration.target, size.size)


def _check_sums(
    database: Database, exploration: ExplorationKey, size: int, found: dict[int, tuple[int, int]]
) -> Iterator[Finding]:
    """Whether each finished expansion has the batches and lists that it is recorded with."""
    target = exploration.target
    merged = batches.merged_sources(database, exploration, size)
    for each in expansions.finished(database, exploration, size):
        if each.source in merged:
            continue
        where = f"the expansion of batch {each.source} of size {size - 1}"
        # What is known from files alone does not say how many lists the source has.
        if each.source_lists is not None and each.lists_in not in (0, each.source_lists):
            what = f"read {each.lists_in:,} lists of {each.source_lists:,}"
            yield Finding(FindingKind.SUM, where, what, target, size, None, each.source)
        parts, lists = found.get(each.source, (0, 0))
        if (parts, lists) != (each.batches_out, each.lists_out):
            made = f"made {each.batches_out} batches with {each.lists_out:,} lists"
            what = f"{made}; {parts} with {lists:,} are recorded"
            yield Finding(FindingKind.SUM, where, what, target, size, None, each.source)
    recorded, _ = batches.totals(database, exploration, size)
    made_lists = expansions.lists_made(database, exploration, size)
    if merged and recorded != made_lists:
        what = f"{made_lists:,} lists were made, {recorded:,} are recorded"
        yield Finding(FindingKind.STATE, f"size {size}", what, target, size)


def _check_lists(
    database: Database,
    exploration: ExplorationKey,
    size: int,
    executor: Executor,
    progress: ProgressListener,
) -> Iterator[Finding]:
    """Decodes each file and derives it again."""
    progress.begin(size, Activity.COMPARE, batches.count_numbered(database, exploration, size), 0)

    def submit(batch: StoredBatch) -> Future[str | None]:
        task, path = rebuild_task(database, batch), str(batches.path_of(database, batch))
        return executor.submit(compare, task, path, batch.digest)

    for batch, future in submit_ahead(batches.in_order(database, exploration, size), _or_failed(submit)):
        progress.advance(batch.lists, batch.lists)
        try:
            problem = future.result()
        except SetsetError as error:
            problem = f"cannot be compared: {error}"
        if problem:
            where, what = _file_of(database, batch), f"{batch}: {problem}"
            yield Finding(FindingKind.LISTS, where, what, batch.target, batch.size, batch)
    progress.end()


def _or_failed(
    submit: Callable[[StoredBatch], Future[str | None]],
) -> Callable[[StoredBatch], Future[str | None]]:
    """What cannot even be submitted fails like what was."""

    def submit_or_fail(batch: StoredBatch) -> Future[str | None]:
        try:
            return submit(batch)
        except SetsetError as error:
            failed: Future[str | None] = Future()
            failed.set_exception(error)
            return failed

    return submit_or_fail
