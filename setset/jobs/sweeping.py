"""What a run that was killed may leave behind, and which files are nobody's."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from setset.batches import files
from setset.batches.format import BadBatch
from setset.errors import SetsetError
from setset.jobs.store import Store
from setset.jobs.watching import Watcher
from setset.jobs.workspace import TOKEN

_FOLDER = re.compile(r"t(\d\d)/s(\d\d)")


@dataclass(frozen=True)
class Stray:
    """A file below a storage root that no row vouches for."""

    path: Path
    kind: str
    """temporary: half-written; orphan: a sound batch file without a row; foreign: not ours."""
    superfluous: bool = False
    """An orphan whose expansion is recorded: what it holds is in other files."""


def strays(store: Store) -> Iterator[Stray]:
    """All files below the storage roots that no row vouches for."""
    for root_id, root in store.roots().items():
        known = store.paths(root_id)
        for path in sorted(root.rglob("*")):
            relative = path.relative_to(root).as_posix()
            if relative in known or relative == TOKEN or (path.is_dir() and not path.is_symlink()):
                continue
            yield _stray(store, path, relative)


def sweep(store: Store, watcher: Watcher) -> None:
    """Removes temporaries, and orphans that a stopped compaction left; other orphans may yet be taken over."""
    for stray in strays(store):
        if stray.kind == "temporary" or stray.superfluous:
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


def _stray(store: Store, path: Path, relative: str) -> Stray:
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
    merged = (
        header.span.first_source != header.span.last_source or header.span.first_part != header.span.last_part
    )
    return Stray(path, "orphan", merged or store.was_recorded(target, size, header.span.first_source))
