"""Removing an exploration, or its sizes from one on.

A size never goes without those above it: their files are proven by the digests of their sources, which would be gone.

Rows go first, in one transaction, then files, those of the largest size first. Stopped in between, what is left are
files that no row records: the same command removes them, or a run takes them over.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from setset import platform
from setset.batches.files import size_folder
from setset.database import Database, batches, explorations, removal, roots
from setset.database.explorations import ExplorationKey
from setset.maintenance.cleanup import StrayKind, find_strays
from setset.progress import Activity, ProgressListener


@dataclass(frozen=True)
class RemovedSize:
    """What is removed of a size: the files that are recorded, and those that no row records."""

    size: int
    files: int
    lists: int
    bytes: int
    unrecorded: int


@dataclass(frozen=True)
class Removed:
    """What was removed of an exploration, or would be, by size; and how many files stay.

    Example:
        >>> removed = setset.open(example).exploration(18).remove(4, dry_run=True)
        >>> [(size.size, size.files, size.lists) for size in removed.sizes]
        [(4, 1, 681201)]
    """

    target: int
    sizes: tuple[RemovedSize, ...]
    kept: int
    """Files in storage roots that are not there, or belong to another workspace; nothing records them any more."""

    @property
    def files(self) -> int:
        return sum(size.files + size.unrecorded for size in self.sizes)


@dataclass(frozen=True)
class _File:
    """A file to be removed; its root, if a row records it."""

    size: int
    path: Path
    lists: int
    bytes: int
    root_id: int | None


def plan_removal(database: Database, target: int, first: int) -> Removed:
    """What would be removed of the sizes from `first` on."""
    return _summary(database, target, first, _files(database, target, first))


def remove(database: Database, target: int, first: int, progress: ProgressListener) -> Removed:
    """Removes the sizes of a target from `first` on: rows and files."""
    roots.claim_all(database)
    found = _files(database, target, first)
    summary = _summary(database, target, first, found)
    for exploration in _explorations(database, target):
        removal.remove_sizes(database, exploration, first)
    for size in sorted({each.size for each in found}, reverse=True):
        mine = [each for each in found if each.size == size]
        progress.begin(size, Activity.REMOVE, len(mine), sum(each.lists for each in mine))
        _remove_files(database, target, size, mine, progress)
        progress.end(size)
    return summary


def _explorations(database: Database, target: int) -> Iterable[ExplorationKey]:
    return [each for each in explorations.find_all(database) if each.target == target]


def _files(database: Database, target: int, first: int) -> list[_File]:
    """The files of the sizes from `first` on: those that are recorded, and those that a stopped removal left."""
    found = []
    for exploration in _explorations(database, target):
        for size in explorations.sizes(database, exploration):
            if size.size >= first:
                for batch in batches.in_order(database, exploration, size.size):
                    path = batches.path_of(database, batch)
                    found.append(_File(size.size, path, batch.lists, batch.bytes, batch.root_id))
    for stray in find_strays(database):
        ours = stray.kind in (StrayKind.ORPHAN, StrayKind.DAMAGED)
        if ours and stray.target == target and stray.size >= first:
            lists = stray.header.lists if stray.header else 0
            found.append(_File(stray.size, stray.path, lists, stray.path.stat().st_size, None))
    return found


def _summary(database: Database, target: int, first: int, found: list[_File]) -> Removed:
    own = roots.own_folders(database)
    begun = {
        size.size for each in _explorations(database, target) for size in explorations.sizes(database, each)
    }
    sizes = []
    for size in sorted({each.size for each in found} | {size for size in begun if size >= first}):
        mine = [each for each in found if each.size == size]
        recorded = sum(each.root_id is not None for each in mine)
        totals = sum(each.lists for each in mine), sum(each.bytes for each in mine)
        sizes.append(RemovedSize(size, recorded, *totals, len(mine) - recorded))
    kept = sum(each.root_id is not None and each.root_id not in own for each in found)
    return Removed(target, tuple(sizes), kept)


def _remove_files(
    database: Database, target: int, size: int, found: list[_File], progress: ProgressListener
) -> None:
    """Removes the files of a size, below the roots that are this workspace's own at this moment."""
    own = roots.own_folders(database)
    for each in found:
        mine = any(each.path.is_relative_to(root) for root in own.values())
        if mine and not each.path.is_symlink():
            each.path.unlink(missing_ok=True)
        progress.advance(size, each.lists, each.lists)
    for root in own.values():
        for pruned in (False, True):
            folder = root / size_folder(target, size, pruned)
            with contextlib.suppress(OSError):
                platform.sync_folder(folder)
                folder.rmdir()  # if nothing is left in it, of ours or of others
                folder.parent.rmdir()
