"""Repair: check, forget what is damaged or not proven, and make it again by the queue."""

import contextlib
from collections.abc import Callable
from concurrent.futures import Executor
from pathlib import Path

from setset.batches import files
from setset.batches.format import Header
from setset.batches.records import Batch
from setset.batches.roots import TOKEN, ForeignRoot
from setset.database import Database, batches, expansions, explorations, roots
from setset.database.connection import BadDatabase
from setset.database.explorations import ExplorationKey, SizeRecord, Step
from setset.database.rows import accept, altered_rows
from setset.errors import BadInput, NoSpace, SetsetError
from setset.maintenance.check import check, check_roots, check_rows, check_size, record_outcome
from setset.maintenance.findings import Finding, FindingKind, Repaired
from setset.maintenance.leftovers import remove_leftovers
from setset.maintenance.proof import require_sizes
from setset.progress import NoProgress, ProgressListener

MakeAgain = Callable[[ExplorationKey, tuple[Step, ...], frozenset[Step]], None]
"""Works through steps of an exploration. Of unfinished steps, only through forgotten expansions."""


def repair_all(
    database: Database, size: int | None, deep: Executor | None, progress: ProgressListener, make_again: MakeAgain
) -> Repaired:
    """Repairs what a check finds, smallest sizes first, since larger sizes are derived from smaller ones.

    Checks each size after the smaller sizes are sound. A failure does not stop the repair of other sizes; the first
    failure is raised at the end.

    Args:
        size: Only this size.
        deep: An executor, to decode each file and derive its lists again.
        make_again: Does what was forgotten.
    """
    require_sizes(database)
    failures: list[SetsetError] = []
    found = [*check_roots(database), *check_rows(database)]
    repaired = _repair_roots(database, [each for each in found if each.kind.remedy.is_repair], failures)
    altered = altered_rows(database)
    if altered:
        if any(row.is_structure for row in altered):
            _require_files_agree(database)
        expansions.distrust(database, altered)
        accept(database, altered)
    for exploration in explorations.find_all(database):
        unfinished = frozenset(exploration.steps(never_done=True))
        wanted = [each.size for each in exploration.sizes() if size in (None, each.size)]
        for number in wanted:
            record = exploration.size(number)
            steps = exploration.steps(number)
            found = [each for each in check_size(record, progress, deep) if each.kind.remedy.is_repair]
            repaired += found
            _forget(record, found)
            if not found and number != wanted[-1]:
                continue  # what an earlier repair has forgotten is made again with the last size at the latest
            try:
                make_again(exploration, steps, unfinished)
            except NoSpace:
                raise
            except SetsetError as error:
                failures.append(error)
    if repaired:
        remove_leftovers(database, progress)  # a damaged merged file, which is made again in parts
    if failures:
        raise failures[0]
    found = list(check(database, size, NoProgress()))
    record_outcome(database, size, found)
    return Repaired(repaired, [finding for finding in found if not finding.kind.remedy.is_repair])


def repair_batch(database: Database, target: int, size: int | None, number: int, make_again: MakeAgain) -> Repaired:
    """Derives one batch again, whatever its state, and compares it with what is recorded."""
    asked, batch, record = batch_finding(database, target, size, number)
    expansions.forget_files(record, {batch: "as asked"})
    unfinished = frozenset(record.exploration.steps(never_done=True))
    make_again(record.exploration, record.exploration.steps(record.size), unfinished)
    return Repaired([asked], [])


def _require_files_agree(database: Database) -> None:
    """Refuses rows of explorations and sizes that contradict the headers of their files.

    Raises:
        BadDatabase: Names the size.
    """
    for exploration in explorations.find_all(database):
        for size in exploration.sizes():
            header = next(filter(None, map(_header, batches.read(size))), None)
            if header is None:
                continue
            said = header.target, header.pruned, header.size, header.batch_lists
            if said != (exploration.target, exploration.pruned, size.size, size.batch_lists):
                raise BadDatabase(
                    f"size {size.size} of target {exploration.target} was changed by hand, and its files say otherwise "
                    f"(target {header.target}, {header.batch_lists:,} lists in a file): put it back, or run "
                    "'setset db rebuild'"
                )


def _header(batch: Batch) -> Header | None:
    with contextlib.suppress(SetsetError):
        return files.verify(Path(batch.path))[0]
    return None


def _forget(size: SizeRecord, found: list[Finding]) -> None:
    """Forgets the expansions of some findings.

    A damaged file keeps its record: the remade file must have the same lists. An expansion that is not proven, or has
    other lists than its sources give, keeps nothing.
    """
    unproven = {finding.source for finding in found if finding.source is not None}
    batches_found = [(finding.kind, finding.batch, finding.reason) for finding in found if finding.batch]
    unproven |= {batch.span.first_source for kind, batch, _ in batches_found if kind is FindingKind.LISTS}
    if unproven:
        unproven = expansions.forget(size, unproven)
    damaged = {
        batch: reason
        for kind, batch, reason in batches_found
        if kind is FindingKind.FILE and batch.span.first_source not in unproven
    }
    if damaged:
        expansions.forget_files(size, damaged)


def batch_finding(database: Database, target: int, size: int | None, number: int) -> tuple[Finding, Batch, SizeRecord]:
    """Finding for a batch that the user asks to make again."""
    if size is None:
        raise BadInput("--batch needs --size")
    record = explorations.find(database, target).size(size)
    batch = batches.get(record, number)
    roots.require_there(database, batch.root_id)
    return Finding(FindingKind.FILE, batch.path, f"{batch}, as asked", target, size, batch), batch, record


def _repair_roots(database: Database, found: list[Finding], failures: list[SetsetError]) -> list[Finding]:
    """Writes damaged tokens again in roots with files of this workspace.

    Returns the findings without refused claims, which it adds to `failures`.
    """
    workspace = roots.owner(database)
    # Repair is the command that may fill an emptied folder.
    workspace.claim(database.folder.own_root, adopt=True)
    damaged = {finding.where for finding in found}
    for root_id, root in roots.folders(database).items():
        recorded = sorted(roots.recorded_files(database, root_id).items())
        token = str(root / TOKEN)
        if token in damaged and any(files.holds(root / name, digest) for name, digest in recorded):
            try:
                workspace.claim(root, adopt=True)
            except ForeignRoot as error:
                failures.append(error)
                damaged.remove(token)
    return [finding for finding in found if finding.where in damaged]
