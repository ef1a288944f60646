"""Removes an exploration, or one of its sizes and all larger sizes.

Larger sizes are removed too, because only the records of their source batches show that their files are right.

Deletes rows first, in one transaction, then files, largest size first. A stop in between leaves files without rows. The
same command removes these files, or a run adopts them.
"""

import contextlib
import os
from dataclasses import dataclass
from pathlib import Path

from setset import durable, platform
from setset.batches.files import size_folder
from setset.database import Database, batches, expansions, explorations, storage_roots
from setset.errors import ReadOnly
from setset.maintenance.leftovers import StrayKind, find_strays
from setset.progress import Activity, ProgressListener


@dataclass(frozen=True)
class RemovedSize:
    """Removed files of a size: recorded files, and files that no row records."""

    size: int
    files: int
    lists: int
    bytes: int
    unrecorded: int


@dataclass(frozen=True)
class Removed:
    """Result of a removal, or of a dry run: removed files of an exploration by size, and the number of kept files.

    Example:
        >>> removed = setset.open(example).exploration(18).remove(4, dry_run=True)
        >>> [(size.size, size.files, size.lists) for size in removed.sizes]
        [(4, 1, 681201)]
    """

    target: int
    sizes: tuple[RemovedSize, ...]
    kept: int
    """Number of files that stay on the disk without a row, since the token of their storage root is not valid."""

    @property
    def files(self) -> int:
        return sum(size.files + size.unrecorded for size in self.sizes)


def remove(database: Database, target: int, first: int, progress: ProgressListener) -> Removed:
    """Removes size `first` and all larger sizes of a target: their rows, and their files in roots with valid tokens.

    Raises:
        ReadOnly: A folder of these files is read-only, so nothing was removed; or some files could not be removed.
    """
    removed, files = plan_removal(database, target, first)
    own = storage_roots.own_folders(database).values()
    for folder in {path.parent for mine in files.values() for path, _, _ in mine}:
        if folder.is_dir() and any(folder.is_relative_to(root) for root in own) and not os.access(folder, os.W_OK):
            raise ReadOnly(
                f"no permission to remove files in {folder}: nothing was removed, ask the owner of the folder"
            )
    failures: list[OSError] = []
    for exploration in explorations.find_all(database, target):
        expansions.remove_sizes(exploration, first)
    for size in (removed_size.size for removed_size in reversed(removed.sizes) if files[removed_size.size]):
        own = storage_roots.own_folders(database).values()
        progress.begin(size, Activity.REMOVE, len(files[size]), sum(lists for _, lists, _ in files[size]))
        for path, lists, _ in files[size]:
            if any(path.is_relative_to(root) for root in own) and not path.is_symlink():
                try:
                    durable.remove(path)
                except OSError as error:
                    failures.append(error)
            progress.advance(size, lists, lists)
        for folder in (root / size_folder(target, size, pruned) for root in own for pruned in (False, True)):
            with contextlib.suppress(OSError):
                platform.sync_folder(folder)
                folder.rmdir()  # fails unless the folder is empty
                folder.parent.rmdir()
        progress.end(size)
    if failures:
        raise ReadOnly(
            f"{len(failures):,} files cannot be removed, the first one: {failures[0]}; the same command tries again"
        )
    return removed


FilesBySize = dict[int, list[tuple[Path, int, int]]]
"""Files by number of cards in their lists. For each file: path, number of lists, and length in bytes."""


def plan_removal(database: Database, target: int, first: int) -> tuple[Removed, FilesBySize]:
    """Plans the removal of size `first` and all larger sizes: recorded files, and files that a stopped removal left."""
    ours = (StrayKind.ORPHAN, StrayKind.DAMAGED)
    strays = [stray for stray in find_strays(database) if stray.kind in ours and stray.target == target]
    begun = (size for exploration in explorations.find_all(database, target) for size in exploration.sizes())
    recorded = {size.size: batches.read(size) for size in begun if size.size >= first}
    by_size: FilesBySize = {
        size: [(Path(batch.path), batch.lists, batch.bytes) for batch in mine] for size, mine in recorded.items()
    }
    for stray in (stray for stray in strays if stray.size >= first):
        lists = stray.header.lists if stray.header else 0
        by_size.setdefault(stray.size, []).append((stray.path, lists, stray.path.stat().st_size))
    sizes = []
    for size, mine in sorted(by_size.items()):
        files = len(recorded.get(size, ()))
        totals = sum(lists for _, lists, _ in mine), sum(size_in_bytes for _, _, size_in_bytes in mine)
        sizes.append(RemovedSize(size, files, *totals, len(mine) - files))
    own = storage_roots.own_folders(database)
    kept = sum(batch.root_id not in own for mine in recorded.values() for batch in mine)
    return Removed(target, tuple(sizes), kept), by_size
