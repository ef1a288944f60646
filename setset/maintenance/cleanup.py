"""What a run that was killed may leave behind, and which files are not recorded."""

from __future__ import annotations

import contextlib
import enum
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from setset.batches import files
from setset.batches.format import MAGIC, BadBatch, Header
from setset.batches.roots import TOKEN, RootState, root_state
from setset.database import Database, batches, evidence, explorations, roots
from setset.durable import is_temporary
from setset.errors import SetsetError
from setset.progress import ProgressListener

_SIZE_FOLDER = re.compile(r"([tp])(\d\d)/s(\d\d)")
_TARGET_FOLDER = re.compile(r"[tp]\d\d")
_SIZE_NAME = re.compile(r"s\d\d")


class StrayKind(enum.Enum):
    """What a file is that no row records."""

    TEMPORARY = enum.auto()
    """Half-written."""
    ORPHAN = enum.auto()
    """A sound batch file."""
    DAMAGED = enum.auto()
    """A batch file that was altered."""
    FOREIGN = enum.auto()
    """Not ours."""


@dataclass(frozen=True)
class Stray:
    """A file below a storage root that no row records."""

    path: Path
    kind: StrayKind
    target: int = 0
    size: int = 0
    header: Header | None = None
    """Of an orphan."""
    pruned: bool = False


def find_strays(database: Database) -> Iterator[Stray]:
    """All files in the storage roots of this workspace that no row records.

    Only the folders that setset makes are looked into; a folder that is not one of them is one stray.
    """
    for root_id, root in roots.own_folders(database).items():
        known = batches.recorded_paths(database, root_id)
        in_use = {TOKEN, *known, *_folders_of(known)}
        for path in _entries(root):
            relative = path.relative_to(root).as_posix()
            if relative not in in_use:
                yield _identify(path, relative)


def _folders_of(paths: set[str]) -> Iterator[str]:
    for folder in {path.rpartition("/")[0] for path in paths}:
        yield folder
        yield folder.rpartition("/")[0]


def _entries(root: Path) -> Iterator[Path]:
    """What is in a root and in the folders of its targets and sizes.

    A folder that is a link, to another disk say, is not looked into: what it leads to may not be ours to clean.
    """
    for path in sorted(root.iterdir()):
        if not (_TARGET_FOLDER.fullmatch(path.name) and path.is_dir() and not path.is_symlink()):
            yield path
            continue
        for inner in sorted(path.iterdir()):
            if _SIZE_NAME.fullmatch(inner.name) and inner.is_dir() and not inner.is_symlink():
                yield from sorted(inner.iterdir())
            else:
                yield inner


def remove_leftovers(database: Database, progress: ProgressListener) -> bool:
    """Removes temporaries, and orphans whose lists recorded files hold, as a stopped compaction leaves them.

    Other orphans may yet be taken over. Returns whether there are any.
    """
    left = False
    for stray in list(find_strays(database)):
        if _is_useless(database, stray):
            stray.path.unlink(missing_ok=True)
            progress.notice(f"removed {stray.path.name}, left by a run that was stopped")
        else:
            left |= stray.kind in (StrayKind.ORPHAN, StrayKind.DAMAGED)
    return left


def _is_useless(database: Database, stray: Stray) -> bool:
    match stray.kind:
        case StrayKind.TEMPORARY:
            return True
        case StrayKind.ORPHAN:
            return stray.header is not None and _is_recorded_elsewhere(database, stray.path, stray.header)
        case StrayKind.DAMAGED:
            place = stray.target, stray.pruned
            known = [each for each in explorations.find_all(database) if (each.target, each.pruned) == place]
            return any(explorations.is_complete(database, each, stray.size) for each in known)
        case _:
            return False


def remove_temporaries(database: Database) -> None:
    """Removes what workers that are gone had not finished, and claims of roots that were cut short.

    For whoever has the lock, after the work: then each root that was used is this workspace's own.
    """
    # What ended the work may be that the disk or the database is gone; that is what must be heard of.
    with contextlib.suppress(OSError, SetsetError):
        own = set(roots.own_folders(database).values())
        if root_state(database.folder.own_root, roots.own_token(database)) is RootState.OWN:
            own.add(database.folder.own_root)  # not recorded while all files are elsewhere
        for root in own:
            for path in _entries(root):
                if is_temporary(path.name):
                    path.unlink(missing_ok=True)


def _identify(path: Path, relative: str) -> Stray:
    folder, _, name = relative.rpartition("/")
    place = _SIZE_FOLDER.fullmatch(folder)
    if not folder and name.startswith(f".{TOKEN}.") and is_temporary(name):
        return Stray(path, StrayKind.TEMPORARY)
    if place is None or path.is_symlink() or not path.is_file():
        return Stray(path, StrayKind.FOREIGN)
    if is_temporary(name):
        return Stray(path, StrayKind.TEMPORARY)
    if not files.is_batch_name(name):
        return Stray(path, StrayKind.FOREIGN)
    pruned, target, size = place[1] == "p", int(place[2]), int(place[3])
    try:
        header, _ = files.verify(path)
    except BadBatch:
        kind = StrayKind.DAMAGED if _begins_like_a_batch(path) else StrayKind.FOREIGN
        return Stray(path, kind, target, size, None, pruned)
    said = header.pruned, header.target, header.size
    if said != (pruned, target, size) or files.file_name(header.span) != name:
        return Stray(path, StrayKind.FOREIGN)
    return Stray(path, StrayKind.ORPHAN, target, size, header, pruned)


def _begins_like_a_batch(path: Path) -> bool:
    try:
        return files.read(path).startswith(MAGIC)
    except BadBatch:
        return False


def _is_recorded_elsewhere(database: Database, orphan: Path, header: Header) -> bool:
    """Whether all that an orphan holds is in recorded files, which are there and sound, and not the orphan
    itself under another name.

    So it is if its size is complete: then the files that hold lists between its first and its last have all of
    them. Before that, if the sources that it comes from are expanded.
    """
    try:
        exploration = explorations.find(database, header.target)
        if exploration.pruned != header.pruned:
            return False
        if explorations.is_complete(database, exploration, header.size):
            held = batches.in_range(database, exploration, header.size, header.first, header.last)
        else:
            first, last = header.span.first_source, header.span.last_source
            size = explorations.get_size(database, exploration, header.size)
            done = evidence.count_finished(database, exploration, size, range(first, last + 1))
            if done != last - first + 1:
                return False
            held = batches.in_order(database, exploration, header.size, (first, last))
        found = list(held)
        return bool(found) and all(
            files.verify(batches.path_of(database, batch))[1] == batch.digest
            and not batches.path_of(database, batch).samefile(orphan)
            for batch in found
        )
    except (SetsetError, OSError):
        return False
