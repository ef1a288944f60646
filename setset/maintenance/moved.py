"""Storage roots that were moved, and storage roots that are lost for good."""

import stat
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from setset.batches import files
from setset.batches.format import BadBatch
from setset.batches.ownership import TOKEN, Root, RootState
from setset.batches.records import Batch
from setset.database import Database, batches, explorations, storage_roots
from setset.errors import BadInput, quoted
from setset.platform import leads_outside, usable_cores
from setset.progress import Activity, ProgressListener


@dataclass(frozen=True)
class MovedRoot:
    """A storage root in its new folder: totals of its recorded files, and the number of missing or corrupted files."""

    path: str
    files: int
    lists: int
    bytes: int
    damaged: int
    moved: bool
    """False if an earlier call has recorded the move already."""


def move_root(
    database: Database, old: str, new: Path, fast: bool, incomplete: bool, progress: ProgressListener
) -> MovedRoot:
    """Records the new folder of a storage root, after comparing the files there with their records.

    First claims the folder, by a token file that names this workspace. Then changes the row. After a stop in between,
    the root counts as missing, and the same command resumes.

    Args:
        old: The recorded folder of the root, or its number.
        new: The folder that holds the files now. May be the recorded folder, to claim it again, or another root of this
            workspace, to merge the two.
        fast: Compare only names and sizes, and read no file.
        incomplete: Accept missing or damaged files. In another folder, at least one file must be sound.
    """
    root = storage_roots.find(database, old)
    if root is None:
        new_root = storage_roots.find(database, str(new))
        if new_root is None:
            raise BadInput(
                f"{old} is not a storage root of this workspace: 'setset roots' lists them; to take over files in "
                f"{new}, run 'setset db rebuild' with --output {quoted(new)}"
            )
        return MovedRoot(new_root.path, new_root.files, new_root.lists, new_root.bytes, 0, moved=False)
    is_same_folder = _require_same_root(database, root, new)
    path, workspace = storage_roots.recorded_path(database, new, ignored_id=root.number), storage_roots.owner(database)
    folder = database.folder.root(path)
    wrong = list(_wrong_files(database, root, folder, fast, progress))
    can_be_incomplete = is_same_folder or len(wrong) < root.files
    if wrong and not (incomplete and can_be_incomplete):
        advice = "copy them again"
        if can_be_incomplete:
            command = f"setset roots move --incomplete {quoted(root.folder)} {quoted(new)}"
            advice += f", or run '{command}', then 'setset repair'"
        batch, problem = wrong[0]
        raise BadInput(
            f"{len(wrong):,} of the {root.files:,} files of {root.folder} are missing or altered in {new}, the first "
            f"one {batch.name} ({problem}): {advice}"
        )
    workspace.claim(folder, adopt=True)
    storage_roots.record_move(database, root, path)
    if storage_roots.is_own(database, root):
        # Even if all files are elsewhere, the token of the own root identifies the workspace if the database is lost.
        workspace.claim(root.folder, adopt=True)
    return MovedRoot(str(new), root.files, root.lists, root.bytes, len(wrong), moved=True)


def _require_same_root(database: Database, root: Root, new: Path) -> bool:
    """Raises BadInput if the folder `new` is not this storage root. Returns whether `new` is its recorded folder."""
    if not new.is_dir():
        raise BadInput(f"there is no folder {new}: name the folder that holds the files of {root.folder} now")
    is_same_folder = root.folder.is_dir() and new.samefile(root.folder)
    if not is_same_folder and root.state in (RootState.OWN, RootState.MOVED, RootState.DAMAGED):
        raise BadInput(
            f"the storage root {root.folder} is still in use: to use {new} instead, remove or rename {root.folder} "
            "first"
        )
    folder = database.folder.root(storage_roots.recorded_path(database, new, ignored_id=root.number))
    workspace = storage_roots.owner(database)
    reason = {
        RootState.MISSING: f"it has no {TOKEN}",
        RootState.DAMAGED: f"its {TOKEN} is damaged",
        RootState.FOREIGN: "it belongs to another workspace",
    }.get(workspace.state(folder))
    if reason:
        raise BadInput(
            f"{new} is not the storage root {root.folder}: {reason}; copy the whole folder again, or, if its "
            f"{TOKEN} is lost, run 'setset db rebuild' with --output {quoted(new)}"
        )
    workspace.require_claimable(folder)
    return is_same_folder


def _wrong_files(
    database: Database, root: Root, folder: Path, fast: bool, progress: ProgressListener
) -> Iterator[tuple[Batch, str]]:
    """Yields the batches of a root whose files in a folder are missing or differ from the records, with reasons."""
    with ThreadPoolExecutor(usable_cores()) as threads:
        for size in (size for exploration in explorations.find_all(database) for size in exploration.sizes()):
            mine = [batch for batch in batches.read(size) if batch.root_id == root.number]
            if not mine:
                continue
            progress.begin(size.size, Activity.CHECK, len(mine), 0)
            problems = threads.map(partial(_problem, folder, fast), mine)
            for batch, problem in zip(mine, problems, strict=True):
                progress.advance(size.size, batch.lists, batch.lists)
                if problem is not None:
                    yield batch, problem
            progress.end(size.size)


def _problem(folder: Path, fast: bool, batch: Batch) -> str | None:
    """Difference between a file and its record, or None. If `fast`, compares the length in bytes, else the digest."""
    if leads_outside(batch.name):
        return "its path leads outside its storage root"
    try:
        if not fast:
            files.verify(folder / batch.name, batch.digest)
            return None
        status = (folder / batch.name).lstat()
    except FileNotFoundError:
        return "missing"
    except (OSError, BadBatch) as error:
        return str(error)
    if not stat.S_ISREG(status.st_mode):
        return "not a regular file"
    return None if status.st_size == batch.bytes else f"{status.st_size:,} bytes instead of {batch.bytes:,}"


def require_forgettable(database: Database, name: str) -> Root:
    """Returns the root to forget. Raises BadInput if it still has its files, or is the root inside the workspace."""
    root = storage_roots.find(database, name)
    if root is None:
        raise BadInput(f"{name} is not a storage root of this workspace: 'setset roots' lists them")
    if storage_roots.is_own(database, root):
        raise BadInput(
            f"{root.folder} is inside the workspace, so it cannot be forgotten: 'setset repair' makes its files again"
        )
    if root.files and not root.is_gone:
        raise BadInput(f"{root.folder} still has its files: only a storage root that is gone can be forgotten")
    return root


def forget_root(database: Database, name: str, output: Path | None) -> None:
    """Gives up a storage root that is lost for good. Records its files as missing files of another root.

    Then `setset repair` makes each file again in the other root, byte-identical. So the batches keep their
    numbers, and files made from these batches stay valid.
    """
    root = require_forgettable(database, name)
    new_root_id = storage_roots.use_root(database, output, refill=True) if root.files else None
    storage_roots.record_loss(database, root, new_root_id)
