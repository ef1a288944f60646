"""What a run that was killed may leave behind, and which files are nobody's."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from setset.batches import files
from setset.batches.format import BadBatch, Header
from setset.database.store import Store
from setset.errors import SetsetError
from setset.folder import TOKEN
from setset.jobs.progress import Watcher

_FOLDER = re.compile(r"t(\d\d)/s(\d\d)")


@dataclass(frozen=True)
class Stray:
    """A file below a storage root that no row vouches for."""

    path: Path
    kind: str
    """temporary: half-written; orphan: a sound batch file without a row; foreign: not ours."""
    header: Header | None = None
    """Of an orphan."""


def strays(store: Store) -> Iterator[Stray]:
    """All files below the storage roots that no row vouches for."""
    for root_id, root in store.roots().items():
        known = store.paths(root_id)
        for path in sorted(root.rglob("*")):
            relative = path.relative_to(root).as_posix()
            if relative in known or relative == TOKEN or (path.is_dir() and not path.is_symlink()):
                continue
            yield _stray(path, relative)


def sweep(store: Store, watcher: Watcher) -> None:
    """Removes temporaries, and orphans whose lists recorded files hold, as a stopped compaction leaves them;
    other orphans may yet be taken over."""
    for stray in list(strays(store)):
        if stray.kind == "temporary" or (stray.header and _is_elsewhere(store, stray.path, stray.header)):
            stray.path.unlink(missing_ok=True)
            watcher.notice(f"removed {stray.path.name}, left by a run that was stopped")


def sweep_temporaries(store: Store) -> None:
    """Removes what workers that are no more had not finished. For the holder of the workspace, after its work."""
    # What ended the work may be that the disk or the database is gone; that is what must be heard of.
    with contextlib.suppress(OSError, SetsetError):
        for root in store.roots().values():
            for path in root.glob("t??/s??/.*.tmp"):
                if files.is_temporary(path.name):
                    path.unlink(missing_ok=True)


def _stray(path: Path, relative: str) -> Stray:
    folder, _, name = relative.rpartition("/")
    place = _FOLDER.fullmatch(folder)
    if not folder and name.startswith(f".{TOKEN}.") and files.is_temporary(name):
        return Stray(path, "temporary")
    if place is None or path.is_symlink() or not path.is_file():
        return Stray(path, "foreign")
    if files.is_temporary(name):
        return Stray(path, "temporary")
    if not files.is_batch_name(name):
        return Stray(path, "foreign")
    target, size = int(place[1]), int(place[2])
    try:
        header, _ = files.verify(path)
    except BadBatch:
        return Stray(path, "foreign")
    if (header.target, header.size) != (target, size) or files.name(header.span) != name:
        return Stray(path, "foreign")
    return Stray(path, "orphan", header)


def _is_elsewhere(store: Store, orphan: Path, header: Header) -> bool:
    """Whether all that an orphan holds is in recorded files, which are there and sound, and not the orphan
    itself under another name."""
    batches = store.recorded(header.target, header.size, header.span.first_source, header.span.last_source)
    try:
        return batches is not None and all(
            files.verify(store.path_of(batch))[1] == batch.digest
            and not store.path_of(batch).samefile(orphan)
            for batch in batches
        )
    except SetsetError:
        return False
