"""Repair: check, forget corrupted or unproven results, and make them again through the queue."""

import contextlib
from collections.abc import Callable
from concurrent.futures import Executor
from pathlib import Path

from setset.batches import files
from setset.batches.format import Header
from setset.batches.ownership import TOKEN, ForeignRoot
from setset.batches.records import Batch
from setset.database import Database, batches, expansions, explorations, storage_roots
from setset.database.connection import BadDatabase
from setset.database.explorations import ExplorationKey, SizeRecord, Step
from setset.database.rows import accept, altered_rows, require_consistent
from setset.errors import BadInput, NoSpace, SetsetError
from setset.maintenance.check import check, check_roots, check_rows, check_size, record_outcome
from setset.maintenance.findings import Finding, FindingKind, Repaired
from setset.maintenance.leftovers import remove_leftovers
from setset.progress import NoProgress, ProgressListener

MakeAgain = Callable[[ExplorationKey, tuple[Step, ...], frozenset[Step]], None]
"""Callback that does the planned expansions of the steps (see `Step`) in the tuple. If a step is also in the set, the
callback does only the forgotten expansions of this step."""


def repair_all(
    database: Database, size: int | None, deep: Executor | None, progress: ProgressListener, make_again: MakeAgain
) -> Repaired:
    """Repairs the findings of a check, smallest sizes first, since larger sizes are derived from smaller sizes.

    Checks each size after the repair of the smaller sizes. If a repair fails, goes on with the other sizes, and raises
    the first error at the end. A full disk ends the repair at once.

    Args:
        size: Repair only this size; all sizes if None.
        deep: Executor for a deep check, which decodes each file and derives its lists again. None if not deep.
        make_again: Callback that makes forgotten results again.
    """
    failures: list[SetsetError] = []
    findings = [*check_roots(database), *check_rows(database)]
    repaired = _repair_roots(database, [finding for finding in findings if finding.kind.remedy.is_repair], failures)
    altered = altered_rows(database)
    if altered:
        if any(row.is_structure for row in altered):
            _require_files_agree(database)
        expansions.distrust(database, altered)
        accept(database, altered)
    require_consistent(database)
    for exploration in explorations.find_all(database):
        unfinished = frozenset(exploration.steps(unfinished=True))
        wanted = [record.size for record in exploration.sizes() if size in (None, record.size)]
        for number in wanted:
            record = exploration.size(number)
            steps = exploration.steps(number)
            findings = [finding for finding in check_size(record, progress, deep) if finding.kind.remedy.is_repair]
            repaired += findings
            _forget(record, findings)
            if not findings and number != wanted[-1]:
                continue  # results that an earlier repair forgot are made again with the largest size at the latest
            try:
                make_again(exploration, steps, unfinished)
            except NoSpace:
                raise
            except SetsetError as error:
                failures.append(error)
    if repaired:
        remove_leftovers(database, progress)  # such as a damaged merged file whose parts were made again
    if failures:
        raise failures[0]
    findings = list(check(database, size, NoProgress()))
    record_outcome(database, size, findings)
    return Repaired(repaired, [finding for finding in findings if not finding.kind.remedy.is_repair])


def repair_batches(
    database: Database, target: int, size: int | None, number: int | None, source: int | None, make_again: MakeAgain
) -> Repaired:
    """Makes a batch, or all batches of a source, again, even if they are sound. The result must match their records."""
    findings, record = requested_batches(database, target, size, number, source)
    expansions.forget_files(record, {finding.batch: "as asked" for finding in findings if finding.batch})
    unfinished = frozenset(record.exploration.steps(unfinished=True))
    make_again(record.exploration, record.exploration.steps(record.size), unfinished)
    return Repaired(findings, [])


def _require_files_agree(database: Database) -> None:
    """Raises BadDatabase if the row of an exploration or size contradicts the headers of its files."""
    for exploration in explorations.find_all(database):
        for size in exploration.sizes():
            header = next(filter(None, map(_header, batches.read(size))), None)
            if header is None:
                continue
            in_header = header.target, header.pruned, header.size, header.batch_lists
            if in_header != (exploration.target, exploration.pruned, size.size, size.batch_lists):
                raise BadDatabase(
                    f"the row of size {size.size} of target {exploration.target} was changed by hand, and contradicts "
                    f"its files (target {header.target}, at most {header.batch_lists:,} lists per file): undo the "
                    "change, or run 'setset db rebuild'"
                )


def _header(batch: Batch) -> Header | None:
    with contextlib.suppress(SetsetError):
        return files.verify(Path(batch.path))[0]
    return None


def _forget(size: SizeRecord, findings: list[Finding]) -> None:
    """Forgets the results that the findings are about.

    If a file is damaged, keeps the row of its batch, since the new file must have the same lists. If a file has wrong
    lists, or an expansion is not proven, deletes the rows of all batches of the expansion.
    """
    unproven = {finding.source for finding in findings if finding.source is not None}
    batch_findings = [(finding.kind, finding.batch, finding.reason) for finding in findings if finding.batch]
    unproven |= {batch.span.first_source for kind, batch, _ in batch_findings if kind is FindingKind.LISTS}
    if unproven:
        unproven = expansions.forget(size, unproven)
    damaged = {
        batch: reason
        for kind, batch, reason in batch_findings
        if kind is FindingKind.FILE and batch.span.first_source not in unproven
    }
    if damaged:
        expansions.forget_files(size, damaged)


def requested_batches(
    database: Database, target: int, size: int | None, number: int | None, source: int | None
) -> tuple[list[Finding], SizeRecord]:
    """Returns a finding for batch `number`, or one for each batch made from `source`, and the record of the size. The
    repair of such a finding makes the batch again."""
    if size is None:
        raise BadInput(f"{'--batch' if source is None else '--source'} needs --size")
    record = explorations.find(database, target).size(size)
    chosen = [batches.get(record, number)] if number is not None else []
    if source is not None:
        chosen += [
            batch for batch in batches.read(record) if batch.span.first_source <= source <= batch.span.last_source
        ]
    if not chosen:
        raise BadInput(f"no file of size {size} is made from source {source}: 'setset status' shows what there is")
    for batch in chosen:
        storage_roots.require_present(database, batch.root_id)
    findings = [Finding.of_batch(FindingKind.FILE, batch.path, batch, "as asked") for batch in chosen]
    return findings, record


def _repair_roots(database: Database, findings: list[Finding], failures: list[SetsetError]) -> list[Finding]:
    """Rewrites damaged tokens of storage roots that hold recorded files of this workspace.

    If a root cannot be claimed, adds the error to `failures`, and drops the finding. Returns all other findings.
    """
    workspace = storage_roots.owner(database)
    # Repair may refill the own root after it was emptied.
    workspace.claim(database.folder.own_root, adopt=True)
    damaged = {finding.where for finding in findings}
    for root_id, root in storage_roots.folders(database).items():
        recorded = sorted(storage_roots.recorded_files(database, root_id).items())
        token = str(root / TOKEN)
        if token in damaged and any(files.holds(root / name, digest) for name, digest in recorded):
            try:
                workspace.claim(root, adopt=True)
            except ForeignRoot as error:
                failures.append(error)
                damaged.remove(token)
    return [finding for finding in findings if finding.where in damaged]
