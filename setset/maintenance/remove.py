"""Removing an exploration, or its sizes from one on.

A size is removed together with all larger sizes: the digests of its batches prove their files.

Rows go first, in one transaction, then files, largest size first. A stop in between leaves files without rows. The same
command removes them, or a run adopts them.
"""

import contextlib
import os
from dataclasses import dataclass
from pathlib import Path

from setset import durable, platform
from setset.batches.files import size_folder
from setset.database import Database, batches, expansions, explorations, roots
from setset.errors import ReadOnly
from setset.maintenance.leftovers import StrayKind, find_strays
from setset.progress import Activity, ProgressListener


@dataclass(frozen=True)
class RemovedSize:
    """Files of a size that are removed: recorded files, and files that no row records."""

    size: int
    files: int
    lists: int
    bytes: int
    unrecorded: int


@dataclass(frozen=True)
class Removed:
    """Files and rows of an exploration that were removed, or would be, by size; and how many files stay.

    Example:
        >>> removed = setset.open(example).exploration(18).remove(4, dry_run=True)
        >>> [(size.size, size.files, size.lists) for size in removed.sizes]
        [(4, 1, 681201)]
    """

    target: int
    sizes: tuple[RemovedSize, ...]
    kept: int
    """Files that stay without a record, since the token of their storage root is not valid."""

    @property
    def files(self) -> int:
        return sum(size.files + size.unrecorded for size in self.sizes)


def plan_removal(database: Database, target: int, first: int) -> Removed:
    """The files and rows that `remove` would remove of the sizes from `first` on."""
    return _plan(database, target, first)[0]


def remove(database: Database, target: int, first: int, progress: ProgressListener) -> Removed:
    """Removes the sizes of a target from `first` on: rows, and files below roots whose tokens are valid.

    Raises:
        ReadOnly: A folder of these files cannot be written to, and nothing was changed; or some files are left.
    """
    removed, found = _plan(database, target, first)
    own = roots.own_folders(database).values()
    for folder in {path.parent for mine in found.values() for path, _, _ in mine}:
        if folder.is_dir() and any(folder.is_relative_to(root) for root in own) and not os.access(folder, os.W_OK):
            raise ReadOnly(f"no permission to remove files in {folder}: nothing was removed, ask the owner to do it")
    left: list[OSError] = []
    for exploration in explorations.find_all(database, target):
        expansions.remove_sizes(exploration, first)
    for size in (each.size for each in reversed(removed.sizes) if found[each.size]):
        own = roots.own_folders(database).values()
        progress.begin(size, Activity.REMOVE, len(found[size]), sum(lists for _, lists, _ in found[size]))
        for path, lists, _ in found[size]:
            if any(path.is_relative_to(root) for root in own) and not path.is_symlink():
                try:
                    durable.remove(path)
                except OSError as error:
                    left.append(error)
            progress.advance(size, lists, lists)
        for folder in (root / size_folder(target, size, pruned) for root in own for pruned in (False, True)):
            with contextlib.suppress(OSError):
                platform.sync_folder(folder)
                folder.rmdir()  # if nothing is left in it, of ours or of others
                folder.parent.rmdir()
        progress.end(size)
    if left:
        raise ReadOnly(f"{len(left):,} files cannot be removed, the first one: {left[0]}; the same command tries again")
    return removed


_Files = dict[int, list[tuple[Path, int, int]]]
"""Files by size: path, lists and bytes of each."""


def _plan(database: Database, target: int, first: int) -> tuple[Removed, _Files]:
    """The sizes from `first` on with their files: recorded files, and files that a stopped removal left."""
    ours = (StrayKind.ORPHAN, StrayKind.DAMAGED)
    strays = [each for each in find_strays(database) if each.kind in ours and each.target == target]
    begun = (size for each in explorations.find_all(database, target) for size in each.sizes())
    recorded = {size.size: batches.read(size) for size in begun if size.size >= first}
    found: _Files = {
        size: [(Path(batch.path), batch.lists, batch.bytes) for batch in mine] for size, mine in recorded.items()
    }
    for stray in (each for each in strays if each.size >= first):
        lists = stray.header.lists if stray.header else 0
        found.setdefault(stray.size, []).append((stray.path, lists, stray.path.stat().st_size))
    sizes = []
    for size, mine in sorted(found.items()):
        files = len(recorded.get(size, ()))
        totals = sum(lists for _, lists, _ in mine), sum(taken for _, _, taken in mine)
        sizes.append(RemovedSize(size, files, *totals, len(mine) - files))
    own = roots.own_folders(database)
    kept = sum(batch.root_id not in own for mine in recorded.values() for batch in mine)
    return Removed(target, tuple(sizes), kept), found
