"""Comparison of the database with the files. Only `record_outcome` writes to the database."""

from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from dataclasses import replace
from itertools import groupby
from pathlib import Path

from setset.batches import files
from setset.batches.files import NewerFormat
from setset.batches.ownership import TOKEN, RootState
from setset.batches.records import Batch
from setset.database import Database, batches, explorations, storage_roots
from setset.database.expansions import find_stale_counts
from setset.database.explorations import SizeRecord
from setset.database.rows import altered_rows, unrecorded_sizes
from setset.errors import BadInput, SetsetError, quoted
from setset.executors.window import submit_ahead
from setset.maintenance.findings import Finding, FindingKind
from setset.maintenance.leftovers import find_strays
from setset.maintenance.proof import Evidence, read_evidence
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
    """Yields all findings, smallest sizes first.

    Args:
        size: Check only this size, and report no unrecorded files.
        deep: Executor for a deep check, which decodes each file and derives its lists again. None if not deep.
        beside_run: Whether a run is under way. If so, checks only complete sizes.
    """
    begun = _begun(database, size)
    if size is not None and not begun:
        raise BadInput(f"no lists of size {size} are stored: 'setset status' shows the stored sizes")
    yield from check_roots(database)
    yield from check_rows(database)
    for record in begun:
        if beside_run and not record.is_complete():
            progress.notice(f"size {record.size} is being written: it can be checked when the run is over")
            continue
        yield from check_size(record, progress, deep)
    if size is None and not beside_run:
        for stray in find_strays(database):
            kind, description = stray.kind.value
            yield Finding(kind, str(stray.path), description)


def record_outcome(database: Database, size: int | None, findings: Sequence[Finding]) -> None:
    """Records when each size was checked, how many problems it has, and which files are damaged."""
    with database.transaction():
        for record in _begun(database, size):
            mine = [
                finding
                for finding in findings
                if (finding.target, finding.size) == (record.exploration.target, record.size)
            ]
            explorations.set_checked(record, sum(not finding.kind.is_warning for finding in mine))
            for finding in mine:
                if finding.kind is FindingKind.FILE and finding.batch and not finding.batch.defect:
                    batches.set_values(record, finding.batch, {"defect": finding.reason})


def check_rows(database: Database) -> Iterator[Finding]:
    """Findings about rows that another program changed or removed."""
    for row in altered_rows(database):
        yield Finding(FindingKind.ROW, str(row), "changed by hand, or damaged")
    for size in unrecorded_sizes(database):
        yield Finding(FindingKind.STATE, size, "its batches are recorded, but the size itself is not")


def check_size(size: SizeRecord, progress: ProgressListener, deep: Executor | None = None) -> Iterator[Finding]:
    """Yields all findings about the rows and files of a size."""
    key = size.exploration.target, size.size
    evidence = read_evidence(size)
    proven: list[Batch] = []
    yield from _check_files(evidence, progress, proven)
    evidence = replace(evidence, batches=proven)
    sums = evidence.wrong_sums()
    for kind, flaws in {FindingKind.PROOF: evidence.flaws(), FindingKind.SUM: sums}.items():
        for flaw in flaws:
            where = f"the expansion of batch {flaw.source} of size {size.source_size}"
            yield Finding(kind, where, flaw.reason, *key, source=flaw.source)
    for count in find_stale_counts(size):
        where = f"the count from batch {count.source} of size {size.size}"
        description = "it is incomplete, or was made from another batch than the recorded one"
        yield Finding(FindingKind.PROOF, where, description, *key)
    lists_made = sum(expansion.lists_out or 0 for expansion in evidence.expansions)
    lists_recorded = sum(batch.lists for batch in proven)
    if lists_recorded != lists_made and not sums:
        description = f"its expansions made {lists_made:,} lists, but its batches have {lists_recorded:,}"
        yield Finding(FindingKind.STATE, str(size), description, *key)
    if deep is not None:
        yield from _check_lists(evidence, deep, progress)


def check_roots(database: Database) -> Iterator[Finding]:
    """Findings about storage roots that are missing, foreign, or have a damaged token."""
    for root in storage_roots.records(database):
        is_own = storage_roots.is_own(database, root)
        if root.state is RootState.DAMAGED:
            yield Finding(FindingKind.ROOT, str(root.folder / TOKEN), "the token was altered, or cannot be read")
        elif root.state is RootState.FOREIGN and is_own:
            description = "the folder holds files of another workspace than the database: run 'setset db rebuild'"
            yield Finding(FindingKind.GONE, root.path, description)
        elif root.is_gone or root.state is RootState.FOREIGN:
            # Repair refills the own root, so its files are checked one by one too.
            kind = FindingKind.ROOT if is_own else FindingKind.GONE
            is_foreign = root.state is RootState.FOREIGN
            cause = "another workspace uses the folder" if is_foreign else "the folder or its files are missing"
            advice = f"if it was moved, run 'setset roots move {quoted(root.path)} NEW'"
            if not is_own:
                advice += f"; if it is lost for good, run 'setset roots forget {quoted(root.path)}'"
            totals = f"{root.files:,} files and {root.lists:,} lists"
            yield Finding(kind, root.path, f"the storage root is gone, with {totals} ({cause}): {advice}")


def _missing_roots(database: Database) -> dict[int, Path]:
    """Folders of missing storage roots outside the workspace, by id. A check skips the files of these roots."""
    return {
        root.number: root.folder for root in storage_roots.gone(database) if not storage_roots.is_own(database, root)
    }


def _check_files(evidence: Evidence, progress: ProgressListener, proven: list[Batch]) -> Iterator[Finding]:
    """Compares the files of a size with their rows, on several threads, and checks the order of the rows.

    Adds each batch to `proven`. If the row of a batch lacks the digest of its source, since version 0.1 wrote the row,
    takes this digest from the file, unless the file is merged.
    """
    size, missing = evidence.size, _missing_roots(evidence.size.database)
    key = size.exploration.target, size.size
    progress.begin(size.size, Activity.CHECK, len(evidence.batches), 0)
    with ThreadPoolExecutor() as threads:

        def submit(batch: Batch) -> Future[tuple[str | NewerFormat | None, Batch]]:
            return threads.submit(_file_problem, batch, size.batch_lists, batch.root_id in missing)

        for number, (_, future) in enumerate(submit_ahead(evidence.batches, submit, 64)):
            problem, batch = future.result()
            if problem:
                batches.require_unchanged(batch, size)
                where = str(Path(batch.root) / batch.name)
                if isinstance(problem, NewerFormat):
                    yield Finding(FindingKind.NEWER, where, f"{batch}: {problem}", *key)
                else:
                    yield Finding.of_batch(FindingKind.FILE, where, batch, problem)
            is_due = batch.number is not None or batch.span.first_source < size.numbered
            if batch.number != number and is_due:
                yield Finding(FindingKind.NUMBER, str(batch), f"wrong number: expected {number:,}", *key)
            if proven and proven[-1].last >= batch.first:
                yield from _out_of_order(proven[-1], batch)
            proven.append(batch)
            read = 0 if problem else batch.lists
            progress.advance(size.size, read, read)
    progress.end(size.size)


def _out_of_order(before: Batch, batch: Batch) -> Iterator[Finding]:
    """Findings about two batches in the wrong order. Yields each file that contradicts its header, or, if neither does,
    the wrong order."""
    forged = False
    for suspect in (before, batch):
        try:
            files.load(Path(suspect.path), suspect.digest)
        except SetsetError as error:
            forged = True
            yield Finding.of_batch(FindingKind.LISTS, suspect.path, suspect, str(error))
    if not forged:
        description = f"its lists do not come after the lists of {before}"
        yield Finding(FindingKind.ORDER, str(batch), description, batch.target, batch.size)


def _file_problem(batch: Batch, batch_lists: int, is_root_missing: bool) -> tuple[str | NewerFormat | None, Batch]:
    """Compares the file of a batch with its row. Returns the difference (None if they agree), and the batch. If the
    row lacks the digest of its source, the returned batch has the digest from the file."""
    if is_root_missing:
        return None, batch
    try:
        header, _ = files.verify(Path(batch.path), batch.digest)
    except NewerFormat as error:
        return error, batch
    except SetsetError as error:
        return str(error), batch
    made_from = header.source_digest.hex()
    in_header = (header.target, header.pruned, header.size, header.span, header.lists, header.first, header.last)
    recorded = (batch.target, batch.pruned, batch.size, batch.span, batch.lists, batch.first, batch.last)
    if in_header != recorded or made_from != (batch.source_digest or made_from):
        return "the file's header and the database differ", batch
    if batch.source_digest or not batch.span.is_merged:
        # In merged files, version 0.1 wrote the digest of the first source only.
        batch = replace(batch, source_digest=made_from)
    if header.file_bytes != batch.bytes or batch.defect is not None:
        error_in_row = f"{batch.bytes} bytes" if batch.defect is None else f"the defect {batch.defect!r}"
        return f"the file is sound, but the database records {error_in_row}", batch
    if header.batch_lists != batch_lists:
        description = "file and database have different maximum numbers of lists per file: run 'setset db rebuild'"
        return description, batch
    return None, batch


def _check_lists(evidence: Evidence, executor: Executor, progress: ProgressListener) -> Iterator[Finding]:
    """Decodes each file, expands its sources again, and compares the lists."""
    size = evidence.size
    key, missing = (size.exploration.target, size.size), _missing_roots(size.database).values()
    sources = {batch.number: batch for batch in batches.read(size.source)}
    progress.begin(size.size, Activity.COMPARE, len(evidence.expansions), 0)

    def submit(group: tuple[range, list[Batch]]) -> Future[tuple[str | None, ...]]:
        result: Future[tuple[str | None, ...]] = Future()
        try:
            task = _compare_task(size, sources, *group)
            needed = [expansion.source.path for expansion in task.expansions if expansion.source]
            needed += [task.root] if group[1] else []
            if not any(Path(path).is_relative_to(root) for path in needed for root in missing):
                return executor.submit(compare, task)
            result.set_result(())
        except SetsetError as error:  # an error here is handled like an error of the task
            result.set_exception(error)
        return result

    for (numbers, group), future in submit_ahead(_groups(evidence), submit):
        lists = sum(batch.lists for batch in group)
        progress.advance(size.size, lists, lists)
        try:
            problems = future.result()
        except SetsetError as error:
            problems = (f"cannot be compared: {error}",) * max(len(group), 1)
        if not group and any(problems):
            where = f"the expansion of batch {numbers[0]} of size {size.source_size}"
            description = "; ".join(filter(None, problems))
            yield Finding(FindingKind.LISTS, where, description, *key, source=numbers[0])
        for batch, problem in zip(group, problems, strict=False):
            if problem:
                batches.require_unchanged(batch, size)
                yield Finding.of_batch(FindingKind.LISTS, batch.path, batch, problem)
    progress.end(size.size)


def _groups(evidence: Evidence) -> Iterator[tuple[range, list[Batch]]]:
    """Yields groups of batches to derive together, with the numbers of their sources. A group is a merged batch, or the
    batches of one source in one storage root. Then yields each source without batches, with an empty group."""

    def key(batch: Batch) -> tuple[int, ...]:
        return (batch.span.first_source, batch.root_id, batch.id if batch.span.is_merged else 0)

    covered = set[int]()
    for _, members in groupby(evidence.batches, key):
        group = list(members)
        numbers = group[-1].span.sources(batches.MOST_MERGED)
        covered.update(numbers)
        yield numbers, group
    for expansion in evidence.expansions:
        if not expansion.batches_out and expansion.source not in covered:
            yield range(expansion.source, expansion.source + 1), []


def _compare_task(
    size: SizeRecord, sources: dict[int | None, Batch], numbers: range, group: list[Batch]
) -> CompareTask:
    """Task that derives batches again and compares them with their files."""
    cut, folders = (size.exploration.target, size.size, size.batch_lists), storage_roots.destinations(size.database)
    to = folders[group[0].root_id if group else min(folders)]
    expand = []
    for number in numbers:
        source = None
        if size.source_size != SEED_SOURCE_SIZE:
            source = batches.source_of(sources.get(number) or batches.get(size.source, number))
        expand.append(ExpandTask(*cut, source, to, pruned=size.exploration.pruned))
    return CompareTask(tuple(expand), tuple(batch.file for batch in group), to.root)


def recount_files(
    database: Database, size: int | None, executor: Executor, progress: ProgressListener, target: int | None = None
) -> dict[tuple[int, int], int]:
    """Decodes all files. Returns the number of lists by target and size. An unreadable file counts as empty."""
    totals: dict[tuple[int, int], int] = {}
    for record in _begun(database, size, target):
        recorded, total = batches.read(record), 0
        progress.begin(record.size, Activity.CHECK, len(recorded), 0)
        decoded = submit_ahead(recorded, lambda batch: executor.submit(recount, batch.path, batch.digest))
        for batch, future in decoded:
            lists = 0
            try:
                lists = future.result()
            except SetsetError as error:
                storage_roots.require_present(database, batch.root_id)
                batches.require_unchanged(batch, record)
                progress.notice(f"{batch.path}: {error}; run 'setset check'")
            progress.advance(record.size, lists, lists)
            total += lists
        totals[record.exploration.target, record.size] = total
        progress.end(record.size)
    return totals


def _begun(database: Database, size: int | None, target: int | None = None) -> list[SizeRecord]:
    """Records of the stored sizes. `size` and `target` select one size and one target; None selects all."""
    explored = explorations.find_all(database, target)
    return [record for exploration in explored for record in exploration.sizes() if size in (None, record.size)]
