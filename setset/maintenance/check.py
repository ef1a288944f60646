"""Comparing what the database records with what is on disk. Only `record_outcome` writes anything."""

from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from dataclasses import replace
from itertools import groupby
from pathlib import Path

from setset.batches import files
from setset.batches.files import NewerFormat
from setset.batches.records import Batch
from setset.batches.roots import TOKEN, RootState
from setset.database import Database, batches, explorations, roots
from setset.database.explorations import SizeRecord
from setset.database.rows import altered_rows
from setset.errors import BadInput, SetsetError
from setset.executors.window import submit_ahead
from setset.maintenance.findings import Finding, FindingKind
from setset.maintenance.leftovers import find_strays
from setset.maintenance.proof import Evidence, find_stale_counts, read_evidence
from setset.progress import Activity, ProgressListener
from setset.tasks.execute import compare, recount
from setset.tasks.kinds import SEED_SOURCE_SIZE, CompareTask, ExpandTask


def check(
    database: Database,
    size: int | None,
    progress: ProgressListener,
    deep: Executor | None = None,
    beside_run: bool = False,
) -> Iterator[Finding]:
    """All findings, smallest sizes first.

    Args:
        size: Only this size, and no files that are not recorded.
        deep: An executor, to decode each file and derive its lists again.
        beside_run: A run is under way: look only at what it has finished.
    """
    begun = _begun(database, size)
    if size is not None and not begun:
        raise BadInput(f"there is nothing of size {size} to check: 'setset status' shows what there is")
    yield from check_roots(database)
    yield from check_rows(database)
    for each in begun:
        if beside_run and not each.is_complete():
            progress.notice(f"size {each.size} is being written: it can be checked when the run is over")
            continue
        yield from check_size(each, progress, deep)
    if size is None and not beside_run:
        for stray in find_strays(database):
            kind, what = stray.kind.value
            yield Finding(kind, str(stray.path), what)


def record_outcome(database: Database, size: int | None, found: Sequence[Finding]) -> None:
    """Records when each size was checked, how many problems it has, and which files are damaged."""
    with database.transaction():
        for each in _begun(database, size):
            mine = [
                finding for finding in found if (finding.target, finding.size) == (each.exploration.target, each.size)
            ]
            explorations.set_checked(each, sum(not finding.kind.is_warning for finding in mine))
            for finding in mine:
                if finding.kind is FindingKind.FILE and finding.batch:
                    batches.set_values(each, [finding.batch], {"defect": finding.reason})


def check_rows(database: Database) -> Iterator[Finding]:
    """Findings about rows that another program changed or removed."""
    for row in altered_rows(database):
        yield Finding(FindingKind.ROW, str(row), "changed by hand, or damaged")
    for size in explorations.unrecorded_sizes(database):
        yield Finding(FindingKind.STATE, size, "its batches are recorded, but the size itself is not")


def check_size(size: SizeRecord, progress: ProgressListener, deep: Executor | None = None) -> Iterator[Finding]:
    """All findings about one size, as far as it is recorded."""
    place = size.exploration.target, size.size
    evidence = read_evidence(size)
    proven: list[Batch] = []
    yield from _check_files(evidence, progress, proven)
    evidence = replace(evidence, batches=proven)
    sums = evidence.wrong_sums()
    for kind, flaws in {FindingKind.PROOF: evidence.flaws(), FindingKind.SUM: sums}.items():
        for flaw in flaws:
            where = f"the expansion of batch {flaw.source} of size {size.source_size}"
            yield Finding(kind, where, flaw.reason, *place, source=flaw.source)
    for count in find_stale_counts(size):
        where = f"the count from batch {count.source} of size {size.size}"
        what = "incomplete, or made from another batch than the recorded one"
        yield Finding(FindingKind.PROOF, where, what, *place)
    if evidence.recorded != evidence.made and not sums:
        what = f"{evidence.made:,} lists were made, {evidence.recorded:,} are recorded"
        yield Finding(FindingKind.STATE, str(size), what, *place)
    if deep is not None:
        yield from _check_lists(evidence, deep, progress)


def check_roots(database: Database) -> Iterator[Finding]:
    """Findings about storage roots that are missing, foreign, or have a damaged token."""
    for root in roots.records(database):
        is_own = roots.is_own(database, root)
        if root.state is RootState.DAMAGED:
            yield Finding(FindingKind.ROOT, str(root.folder / TOKEN), "was altered, or is not readable")
        elif root.state is RootState.FOREIGN and is_own:
            what = "the folder holds files of another workspace than the database: run 'setset db rebuild'"
            yield Finding(FindingKind.GONE, root.path, what)
        elif root.is_gone or root.state is RootState.FOREIGN:
            # Repair fills the own root again, so its files are checked one by one too.
            kind = FindingKind.ROOT if is_own else FindingKind.GONE
            what = f"the storage root is gone, with {root.files:,} files and {root.lists:,} lists"
            what += ", and another workspace's is in its place" if root.state is RootState.FOREIGN else ""
            what += f": if it was moved, 'setset roots move {root.path} NEW'"
            if not is_own:
                what += f"; if it is lost for good, 'setset roots forget {root.path}'"
            yield Finding(kind, root.path, what)


def _away(database: Database) -> dict[int, Path]:
    """The folders of storage roots that are gone, whose files are not checked one by one."""
    return {root.number: root.folder for root in roots.gone(database) if not roots.is_own(database, root)}


def _check_files(evidence: Evidence, progress: ProgressListener, proven: list[Batch]) -> Iterator[Finding]:
    """Compares the files of a size with their rows, read on all cores, and looks at the order of the rows.

    Adds the batches to `proven`, with what the files say of their sources: rows of version 0.1 do not say it.
    """
    size, away = evidence.size, _away(evidence.size.database)
    place = size.exploration.target, size.size
    progress.begin(size.size, Activity.CHECK, len(evidence.batches), 0)
    with ThreadPoolExecutor() as threads:

        def submit(batch: Batch) -> Future[tuple[str | NewerFormat | None, Batch]]:
            return threads.submit(_file_problem, batch, size.batch_lists, batch.root_id in away)

        for number, (_, future) in enumerate(submit_ahead(evidence.batches, submit, 64)):
            problem, batch = future.result()
            if problem:
                batches.require_unchanged(batch, size)
                where, is_newer = str(Path(batch.root) / batch.name), isinstance(problem, NewerFormat)
                kind = FindingKind.NEWER if is_newer else FindingKind.FILE
                yield Finding(kind, where, f"{batch}: {problem}", *place, None if is_newer else batch)
            is_due = batch.number is not None or batch.span.first_source < size.numbered
            if batch.number != number and is_due:
                yield Finding(FindingKind.NUMBER, str(batch), f"comes after batch {number - 1}", *place)
            if proven and proven[-1].last >= batch.first:
                yield from _out_of_order(proven[-1], batch)
            proven.append(batch)
            read = 0 if problem else batch.lists
            progress.advance(size.size, read, read)
    progress.end(size.size)


def _out_of_order(before: Batch, batch: Batch) -> Iterator[Finding]:
    """Findings about a batch out of order: the file with a false header, if there is one."""
    place, forged = (batch.target, batch.size), False
    for each in (before, batch):
        try:
            files.load(Path(each.path), each.digest)
        except SetsetError as error:
            forged = True
            yield Finding(FindingKind.LISTS, each.path, f"{each}: {error}", *place, each)
    if not forged:
        yield Finding(FindingKind.ORDER, str(batch), f"does not come after {before}", *place)


def _file_problem(batch: Batch, batch_lists: int, is_away: bool) -> tuple[str | NewerFormat | None, Batch]:
    """The difference between a batch's file and its row, and the batch with the source digest of its file."""
    if is_away:
        return None, batch
    try:
        header, _ = files.verify(Path(batch.path), batch.digest)
    except NewerFormat as error:
        return error, batch
    except SetsetError as error:
        return str(error), batch
    made_from = header.source_digest.hex()
    said = (header.target, header.pruned, header.size, header.span, header.lists, header.first, header.last)
    recorded = (batch.target, batch.pruned, batch.size, batch.span, batch.lists, batch.first, batch.last)
    if said != recorded or made_from != (batch.source_digest or made_from):
        return "the file's header and the database differ", batch
    if batch.source_digest or not batch.span.is_merged:
        # Version 0.1 wrote the digest of the first source only.
        batch = replace(batch, source_digest=made_from)
    if header.file_bytes != batch.bytes or batch.defect is not None:
        return f"sound, but recorded with {batch.bytes} bytes and the defect {batch.defect!r}", batch
    if header.batch_lists != batch_lists:
        what = "cut for another number of lists in a file than the database says: run 'setset db rebuild'"
        return what, batch
    return None, batch


def _check_lists(evidence: Evidence, executor: Executor, progress: ProgressListener) -> Iterator[Finding]:
    """Decodes each file, and derives each source again."""
    size = evidence.size
    place, away = (size.exploration.target, size.size), _away(size.database).values()
    sources = {batch.number: batch for batch in batches.read(size.source)}
    progress.begin(size.size, Activity.COMPARE, len(evidence.expansions), 0)

    def submit(group: tuple[range, list[Batch]]) -> Future[tuple[str | None, ...]]:
        result: Future[tuple[str | None, ...]] = Future()
        try:
            task = _compare_task(size, sources, *group)
            needed = [expansion.source.path for expansion in task.expansions if expansion.source]
            needed += [task.root] if group[1] else []
            if not any(Path(path).is_relative_to(root) for path in needed for root in away):
                return executor.submit(compare, task)
            result.set_result(())
        except SetsetError as error:  # what cannot even be submitted fails like what was
            result.set_exception(error)
        return result

    for (numbers, found), future in submit_ahead(_groups(evidence), submit):
        lists = sum(batch.lists for batch in found)
        progress.advance(size.size, lists, lists)
        try:
            problems = future.result()
        except SetsetError as error:
            problems = (f"cannot be compared: {error}",) * max(len(found), 1)
        if not found and any(problems):
            where = f"the expansion of batch {numbers[0]} of size {size.source_size}"
            what = "; ".join(filter(None, problems))
            yield Finding(FindingKind.LISTS, where, what, *place, source=numbers[0])
        for batch, problem in zip(found, problems, strict=False):
            if problem:
                batches.require_unchanged(batch, size)
                yield Finding(FindingKind.LISTS, batch.path, f"{batch}: {problem}", *place, batch)
    progress.end(size.size)


def _groups(evidence: Evidence) -> Iterator[tuple[range, list[Batch]]]:
    """Groups of batches to derive together, with their sources: all batches of one source, or a merged batch. Then the
    expansions without batches, each source once."""

    def key(batch: Batch) -> tuple[int, ...]:
        return (batch.span.first_source, batch.root_id, batch.id if batch.span.is_merged else 0)

    covered = set[int]()
    for _, members in groupby(evidence.batches, key):
        found = list(members)
        numbers = found[-1].span.sources(batches.MOST_MERGED)
        covered.update(numbers)
        yield numbers, found
    for each in evidence.expansions:
        if not each.batches_out and each.source not in covered:
            yield range(each.source, each.source + 1), []


def _compare_task(size: SizeRecord, known: dict[int | None, Batch], numbers: range, found: list[Batch]) -> CompareTask:
    """The task that derives batches again and compares them with their files."""
    cut, folders = (size.exploration.target, size.size, size.batch_lists), roots.destinations(size.database)
    to = folders[found[0].root_id if found else min(folders)]
    expand = []
    for number in numbers:
        source = None
        if size.source_size != SEED_SOURCE_SIZE:
            source = batches.source_of(known.get(number) or batches.get(size.source, number))
        expand.append(ExpandTask(*cut, source, to, pruned=size.exploration.pruned))
    return CompareTask(tuple(expand), tuple(batch.file for batch in found), to.root)


def recount_files(
    database: Database, size: int | None, executor: Executor, progress: ProgressListener, target: int | None = None
) -> dict[tuple[int, int], int]:
    """The lists in the files of each target and size, by decoding them. A file that cannot be decoded has none."""
    totals: dict[tuple[int, int], int] = {}
    for each in _begun(database, size, target):
        found, total = batches.read(each), 0
        progress.begin(each.size, Activity.CHECK, len(found), 0)
        decoded = submit_ahead(found, lambda batch: executor.submit(recount, batch.path, batch.digest))
        for batch, future in decoded:
            lists = 0
            try:
                lists = future.result()
            except SetsetError as error:
                roots.require_there(database, batch.root_id)
                batches.require_unchanged(batch, each)
                progress.notice(f"{batch.path}: {error}; run 'setset check'")
            progress.advance(each.size, lists, lists)
            total += lists
        totals[each.exploration.target, each.size] = total
        progress.end(each.size)
    return totals


def _begun(database: Database, size: int | None, target: int | None = None) -> list[SizeRecord]:
    """The sizes that were begun, of all targets or of one: all of them, or `size`."""
    found = explorations.find_all(database, target)
    return [each for exploration in found for each in exploration.sizes() if size in (None, each.size)]
