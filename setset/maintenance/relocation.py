"""Storage roots that were moved, and those that are lost for good."""

from __future__ import annotations

import stat
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from setset import durable
from setset.batches import files
from setset.batches.format import BadBatch
from setset.batches.roots import TOKEN, RootState, Token, read_token, root_state
from setset.database import Database, batches, explorations, place, roots
from setset.database.batches import StoredBatch
from setset.database.roots import RootRecord
from setset.errors import BadInput, ReadOnly
from setset.executors.window import submit_ahead
from setset.platform import leads_outside, usable_cores
from setset.progress import Activity, ProgressListener


@dataclass(frozen=True)
class MovedRoot:
    """A storage root in its new place: what lies there, and how many files are missing or damaged."""

    path: str
    files: int
    lists: int
    bytes: int
    damaged: int
    moved: bool
    """False if it was recorded there already."""


def move_root(
    database: Database, old: str, new: Path, fast: bool, incomplete: bool, progress: ProgressListener
) -> MovedRoot:
    """Records that a storage root is in another folder now, after looking that it is.

    The token of the folder comes first, then the row, in one transaction. Stopped in between, the root is one that is
    gone, and the same command goes on.

    Args:
        old: Its folder as it is recorded, or its number.
        new: Where it is; perhaps within another root of this workspace, which then has its files too.
        fast: Compare only names and sizes, and read no file.
        incomplete: Also if files are missing or damaged there, but not all.
    """
    record = roots.find(database, old)
    if record is None:
        known = roots.find(database, str(new))
        if known is None:
            raise BadInput(f"{old} is not a storage root of this workspace: 'setset roots' lists them")
        return _moved(known, known.folder, 0, moved=False)
    _require_left(database, record, new)
    path, owner = roots.new_place(database, record, new)
    _require_root_of(new, owner, record)
    wrong = list(_wrong_files(database, record, new, fast, progress))
    if wrong and not (incomplete and len(wrong) < record.files):
        first = f"{wrong[0][0].path}: {wrong[0][1]}"
        others = f", or run 'setset roots move --incomplete {record.folder} {new}', then 'setset repair'"
        raise BadInput(
            f"{len(wrong):,} of the {record.files:,} files of {record.folder} are not in {new} as they are recorded "
            f"({first}): bring them there{others if len(wrong) < record.files else ''}"
        )
    if read_token(new) != owner:
        try:
            durable.save(new / TOKEN, owner.encode())
        except OSError as error:
            raise ReadOnly(f"cannot write to {new}: {error.strerror}") from error
    roots.record_move(database, record, path)
    if record.is_own:
        # It stands for the workspace when the database is lost, even with all files elsewhere.
        roots.claim_own(database)
    return _moved(record, new, len(wrong), moved=True)


def _moved(record: RootRecord, place: Path, damaged: int, moved: bool) -> MovedRoot:
    return MovedRoot(str(place), record.files, record.lists, record.bytes, damaged, moved)


def _require_left(database: Database, record: RootRecord, new: Path) -> None:
    """Refuses to leave a folder in which the root still is: then the other one is a copy."""
    if not new.is_dir():
        raise BadInput(f"there is no folder {new}: name the one where {record.folder} is now")
    still_there = roots.state(database, record) in (RootState.OWN, RootState.DAMAGED)
    if still_there and not new.samefile(record.folder):
        raise BadInput(
            f"{record.folder} is still there, and is the one that is used: {new} is a copy of it, or another folder; "
            f"to use {new} instead, remove or rename {record.folder} first"
        )


def _require_root_of(new: Path, owner: Token, record: RootRecord) -> None:
    """Refuses a folder that is not a root of this workspace, by its token."""
    found = root_state(new, owner)
    if found is RootState.MISSING:
        raise BadInput(
            f"{new} is not the storage root {record.folder}: it has no {TOKEN}; copy that too, or, if it is lost, run "
            f"'setset db rebuild' with --output {new}"
        )
    if found is RootState.DAMAGED:
        raise BadInput(
            f"{new / TOKEN} is damaged: copy it again from where {record.folder} was, or run 'setset db rebuild' "
            f"with --output {new}"
        )
    if found is RootState.FOREIGN and not place.was_moved(new, owner):
        raise BadInput(f"{new} is not the storage root {record.folder}: it belongs to another workspace")


def _wrong_files(
    database: Database, record: RootRecord, folder: Path, fast: bool, progress: ProgressListener
) -> Iterator[tuple[StoredBatch, str]]:
    """The files of a root that are not in a folder as they are recorded, and why."""
    with ThreadPoolExecutor(usable_cores()) as threads:

        def submit(batch: StoredBatch) -> Future[str | None]:
            return threads.submit(_problem, folder, batch, fast)

        for exploration in explorations.find_all(database):
            for size in explorations.sizes(database, exploration):
                found = batches.in_order(database, exploration, size.size)
                mine = [batch for batch in found if batch.root_id == record.id]
                if not mine:
                    continue
                progress.begin(size.size, Activity.CHECK, len(mine), 0)
                for batch, future in submit_ahead(mine, submit, 64):
                    problem = future.result()
                    progress.advance(size.size, batch.lists, batch.lists)
                    if problem is not None:
                        yield batch, problem
                progress.end(size.size)


def _problem(folder: Path, batch: StoredBatch, fast: bool) -> str | None:
    """What is wrong with a file, by its size and, unless `fast`, by its digest."""
    if leads_outside(batch.path):
        return "leads outside its storage root"
    try:
        found = (folder / batch.path).lstat()
    except OSError:
        return "missing"
    if not stat.S_ISREG(found.st_mode):
        return "not a regular file"
    if found.st_size != batch.bytes:
        return f"{found.st_size:,} bytes instead of {batch.bytes:,}"
    try:
        if fast or files.verify(folder / batch.path)[1] == batch.digest:
            return None
    except BadBatch as error:
        return str(error)
    return "a sound batch file, but not the one that the database records"


def require_forgettable(database: Database, name: str) -> RootRecord:
    """The root that is to be forgotten; refuses one that is there with files, or the workspace's own."""
    record = roots.find(database, name)
    if record is None:
        raise BadInput(f"{name} is not a storage root of this workspace: 'setset roots' lists them")
    if record.is_own:
        raise BadInput(
            f"{record.folder} is the workspace's own storage root: 'setset repair' makes its files again"
        )
    if record.files and not roots.is_gone(database, record):
        raise BadInput(f"{record.folder} is there: only a storage root that is gone can be forgotten")
    return record


def forget_root(database: Database, name: str, output: Path | None) -> RootRecord:
    """Gives up a storage root that is lost for good: its files are recorded as missing in another one.

    From there `repair` makes them again, each byte-identical: no number changes, and nothing that was derived from
    them.
    """
    record = require_forgettable(database, name)
    heir = roots.use_root(database, output, refill=True) if record.files else None
    roots.record_loss(database, record, heir)
    return record
