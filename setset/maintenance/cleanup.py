"""What a run that was killed may leave behind, and which files are not recorded."""

from __future__ import annotations

import contextlib
import enum
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from setset.batches import files
from setset.batches.format import BadBatch, Header
from setset.batches.roots import TOKEN
from setset.database import Database, batches, expansions, explorations, roots
from setset.durable import is_temporary
from setset.errors import SetsetError
from setset.progress import ProgressListener

_SIZE_FOLDER = re.compile(r"t(\d\d)/s(\d\d)")


class StrayKind(enum.Enum):
    """What a file is that no row records."""

    TEMPORARY = enum.auto()
    """Half-written."""
    ORPHAN = enum.auto()
    """A sound batch file."""
    FOREIGN = enum.auto()
    """Not ours."""


@dataclass(frozen=True)
class Stray:
    """A file below a storage root that no row records."""

    path: Path
    kind: StrayKind
    header: Header | None = None
    """Of an orphan."""


def find_strays(database: Database) -> Iterator[Stray]:
    """All files below the storage roots that no row records."""
    for root_id, root in roots.folders(database).items():
        known = batches.recorded_paths(database, root_id)
        for path in sorted(root.rglob("*")):
            relative = path.relative_to(root).as_posix()
            if relative in known or relative == TOKEN or (path.is_dir() and not path.is_symlink()):
                continue
            yield _identify(path, relative)


def remove_leftovers(database: Database, progress: ProgressListener) -> None:
    """Removes temporaries, and orphans whose lists recorded files hold, as a stopped compaction leaves them;
    other orphans may yet be taken over."""
    for stray in list(find_strays(database)):
        if stray.kind is StrayKind.TEMPORARY or (
            stray.header and _is_recorded_elsewhere(database, stray.path, stray.header)
        ):
            stray.path.unlink(missing_ok=True)
            progress.notice(f"removed {stray.path.name}, left by a run that was stopped")


def remove_temporaries(database: Database) -> None:
    """Removes what workers that are gone had not finished. For whoever has the lock, after the work."""
    # What ended the work may be that the disk or the database is gone; that is what must be heard of.
    with contextlib.suppress(OSError, SetsetError):
        for root in roots.folders(database).values():
            for path in root.glob("t??/s??/.*.tmp"):
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
    target, size = int(place[1]), int(place[2])
    try:
        header, _ = files.verify(path)
    except BadBatch:
        return Stray(path, StrayKind.FOREIGN)
    if (header.target, header.size) != (target, size) or files.file_name(header.span) != name:
        return Stray(path, StrayKind.FOREIGN)
    return Stray(path, StrayKind.ORPHAN, header)


def _is_recorded_elsewhere(database: Database, orphan: Path, header: Header) -> bool:
    """Whether all that an orphan holds is in recorded files, which are there and sound, and not the orphan
    itself under another name."""
    sources = (header.span.first_source, header.span.last_source)
    try:
        exploration = explorations.find(database, header.target)
        done = expansions.count_done(database, exploration, header.size, sources)
        if done != sources[1] - sources[0] + 1:
            return False
        return all(
            files.verify(batches.path_of(database, batch))[1] == batch.digest
            and not batches.path_of(database, batch).samefile(orphan)
            for batch in batches.in_order(database, exploration, header.size, sources)
        )
    except SetsetError:
        return False
