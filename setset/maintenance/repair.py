"""Repairing: check, forget what is damaged or not proven, and have it made again by the queue that made it first."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from concurrent.futures import Executor
from pathlib import Path

from setset import platform
from setset.batches import files
from setset.batches.format import BadBatch
from setset.batches.roots import TOKEN, ForeignRoot
from setset.database import Database, batches, expansions, explorations, numbering, roots
from setset.database.explorations import ExplorationKey, SizeRecord, Step
from setset.errors import NoSpace, SetsetError
from setset.maintenance import cleanup
from setset.maintenance.check import check_roots, check_size
from setset.maintenance.findings import Finding, FindingKind
from setset.progress import ProgressListener

MakeAgain = Callable[[ExplorationKey, tuple[Step, ...], frozenset[Step]], None]
"""Works through some steps of an exploration; of the unfinished ones, only through what was forgotten."""


def repair_all(
    database: Database,
    size: int | None,
    deep: Executor | None,
    progress: ProgressListener,
    make_again: MakeAgain,
) -> list[Finding]:
    """Repairs what a check finds, smallest sizes first, since what is larger is derived from what is smaller.

    Each size is checked when those before it are sound. Returns the findings that were repaired. A failure does not
    keep it from the other sizes; the first one is raised at the end.
    """
    failures: list[SetsetError] = []
    repaired = _repair_roots(database, failures)
    for exploration in explorations.find_all(database):
        unfinished = explorations.unfinished_steps(database, exploration)
        wanted = [
            each.size for each in explorations.sizes(database, exploration) if size in (None, each.size)
        ]
        for number in wanted:
            record = explorations.get_size(database, exploration, number)
            steps = explorations.recorded_steps(database, exploration, number)
            found = list(check_size(database, exploration, record, progress, deep))
            found = [finding for finding in found if finding.kind.remedy.is_repair]
            repaired += found
            _forget(database, exploration, record, found)
            if not found and number != wanted[-1]:
                continue  # what an earlier repair has forgotten is made again with the last size at the latest
            try:
                make_again(exploration, steps, unfinished)
            except NoSpace:
                raise
            except SetsetError as error:
                failures.append(error)
    if repaired:
        cleanup.remove_leftovers(database, progress)  # a damaged merged file, which is made again in parts
    if failures:
        raise failures[0]
    return repaired


def _forget(database: Database, exploration: ExplorationKey, size: SizeRecord, found: list[Finding]) -> None:
    """Forgets the expansions that findings are about.

    Of damaged files the recorded lists are kept, and those that are made again must be the same. Of what is not
    proven, or has other lists than its sources give, nothing is kept.
    """
    unproven = {finding.source for finding in found if finding.source is not None}
    unproven |= {
        finding.batch.span.first_source
        for finding in found
        if finding.kind is FindingKind.LISTS and finding.batch is not None
    }
    if unproven:
        unproven = expansions.forget(database, exploration, size, unproven)
    elif any(finding.kind is FindingKind.SUM for finding in found):
        numbering.renumber(database, exploration, size)
    damaged = {
        finding.batch: finding.what.removeprefix(f"{finding.batch}: ")
        for finding in found
        if finding.kind is FindingKind.FILE and finding.batch is not None
        if finding.batch.span.first_source not in unproven
    }
    if damaged:
        expansions.forget_files(database, exploration, size, damaged)


def repair_batch(database: Database, target: int, size: int, number: int, make_again: MakeAgain) -> Finding:
    """Derives one batch again, whatever its state, and compares it with what is recorded."""
    exploration = explorations.find(database, target)
    found = batch_finding(database, target, size, number)
    record = explorations.get_size(database, exploration, size)
    batch = batches.get(database, exploration, size, number)
    expansions.forget_files(database, exploration, record, {batch: "as asked"})
    steps = explorations.recorded_steps(database, exploration, size)
    make_again(exploration, steps, explorations.unfinished_steps(database, exploration))
    return found


def batch_finding(database: Database, target: int, size: int, number: int) -> Finding:
    """A batch that is to be made again because somebody asks for it."""
    batch = batches.get(database, explorations.find(database, target), size, number)
    roots.require_there(database, batch.root_id)
    where = str(batches.path_of(database, batch))
    return Finding(FindingKind.FILE, where, f"{batch}, as asked", target, size, batch)


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
