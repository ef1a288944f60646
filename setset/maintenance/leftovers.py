"""Files that no row records: what a killed run left behind, and what is not of setset."""

import contextlib
import enum
import functools
import re
from bisect import bisect_left
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path

from setset import durable
from setset.batches import files
from setset.batches import format as batch_format
from setset.batches.format import BadBatch, Header
from setset.batches.records import Batch
from setset.batches.roots import TOKEN, RootState
from setset.database import Database, explorations, roots
from setset.database.explorations import SizeRecord
from setset.errors import SetsetError
from setset.maintenance.findings import FindingKind
from setset.maintenance.proof import Evidence, read_evidence
from setset.progress import ProgressListener

_SIZE_FOLDER = re.compile(r"([tp])(\d\d)/s(\d\d)")
_TARGET_FOLDER = re.compile(r"[tp]\d\d")
_SIZE_NAME = re.compile(r"s\d\d")


class StrayKind(enum.Enum):
    """Kind of a file that no row records, with what `check` finds and says of it."""

    TEMPORARY = FindingKind.TEMPORARY, "half-written by a run that was stopped; the next run removes it"
    ORPHAN = (
        FindingKind.ORPHAN,
        "a sound batch file that is not recorded; the next run of its size takes it over or removes it",
    )
    DAMAGED = (
        FindingKind.ORPHAN,
        "a damaged batch file that is not recorded; a run removes it when its size is complete",
    )
    NEWER = FindingKind.NEWER, "a batch file that a newer setset made; it is left alone: upgrade setset"
    FOREIGN = FindingKind.FOREIGN, "not a file of setset; it is left alone"


@dataclass(frozen=True)
class Stray:
    """A file below a storage root that no row records."""

    path: Path
    kind: StrayKind
    target: int = 0
    size: int = 0
    pruned: bool = False
    header: Header | None = None
    """Header of an orphan."""


def find_strays(database: Database) -> Iterator[Stray]:
    """All files in the storage roots of this workspace that no row records.

    Only the folders that setset makes are looked into; a folder that is not one of them is one stray.
    """
    for root_id, root in roots.own_folders(database).items():
        known = roots.recorded_files(database, root_id).keys()
        folders = {name.rpartition("/")[0] for name in known}
        in_use = {TOKEN, *known, *folders, *(folder.rpartition("/")[0] for folder in folders)}
        for path in _entries(root):
            relative = path.relative_to(root).as_posix()
            if relative not in in_use:
                yield _identify(path, relative)


def _entries(root: Path) -> Iterator[Path]:
    """Entries of a root and of the folders of its targets and sizes.

    A folder that is a link, to another disk say, is not looked into: its files may not be ours to clean.
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


def _identify(path: Path, relative: str) -> Stray:
    folder, _, name = relative.rpartition("/")
    match = _SIZE_FOLDER.fullmatch(folder)
    if not folder and name.startswith(f".{TOKEN}.") and durable.is_temporary(name):
        return Stray(path, StrayKind.TEMPORARY)
    if match is None or path.is_symlink() or not path.is_file():
        return Stray(path, StrayKind.FOREIGN)
    if durable.is_temporary(name):
        return Stray(path, StrayKind.TEMPORARY)
    if not files.is_batch_name(name):
        return Stray(path, StrayKind.FOREIGN)
    place, data = (int(match[2]), int(match[3]), match[1] == "p"), b""
    try:
        data = files.read(path)
        header, _ = batch_format.verify(data)
    except files.NewerFormat:
        return Stray(path, StrayKind.NEWER, *place)
    except BadBatch:
        is_damaged = data.startswith(batch_format.MAGIC)
        return Stray(path, StrayKind.DAMAGED if is_damaged else StrayKind.FOREIGN, *place)
    if (header.target, header.size, header.pruned) != place or files.file_name(header.span) != name:
        return Stray(path, StrayKind.FOREIGN)
    return Stray(path, StrayKind.ORPHAN, *place, header)


def remove_leftovers(database: Database, progress: ProgressListener) -> bool:
    """Removes temporaries, and orphans whose lists recorded files hold, as a stopped compaction leaves them.

    Other orphans may yet be taken over. Returns whether there are any.
    """
    left = False
    read = functools.cache(read_evidence)
    for stray in list(find_strays(database)):
        if _is_useless(database, stray, read):
            try:
                durable.remove(stray.path)
                progress.notice(f"removed {stray.path.name}, left by a run that was stopped")
            except OSError as error:
                progress.notice(f"cannot remove {stray.path} ({error.strerror}): the next run tries again")
        else:
            left |= stray.kind in (StrayKind.ORPHAN, StrayKind.DAMAGED)
    return left


def _is_useless(database: Database, stray: Stray, read: Callable[[SizeRecord], Evidence]) -> bool:
    """Whether a stray is half-written, or its lists are in recorded files that are there and sound.

    The orphan itself under another name is no such file.
    """
    if stray.kind in (StrayKind.TEMPORARY, StrayKind.FOREIGN, StrayKind.NEWER):
        return stray.kind is StrayKind.TEMPORARY
    try:
        size = explorations.find(database, stray.target).size(stray.size)
        if size.exploration.pruned != stray.pruned:
            return False
        if stray.header is None:
            return size.is_complete()
        held = [(batch, Path(batch.path)) for batch in _holders(read(size), stray.header)]
        return bool(held) and all(
            files.holds(path, batch.digest) and not path.samefile(stray.path) for batch, path in held
        )
    except (SetsetError, OSError):
        return False


def _holders(evidence: Evidence, orphan: Header) -> list[Batch]:
    """The recorded batches that hold the lists of an orphan; none if some lists may be missing.

    If the size is complete, the batches with lists between the first and the last of the orphan have all of them.
    Before that, the batches of the orphan's sources have them if these are expanded.
    """
    if evidence.size.is_complete():
        start = bisect_left(evidence.batches, orphan.first, key=lambda batch: batch.last)
        return list(takewhile(lambda batch: batch.first <= orphan.last, evidence.batches[start:]))
    first, last = orphan.span.first_source, orphan.span.last_source
    if sum(first <= each.source <= last for each in evidence.expansions) != last - first + 1:
        return []
    spans = ((batch, batch.span) for batch in evidence.batches)
    return [batch for batch, span in spans if span.first_source <= last and span.last_source >= first]


def remove_temporaries(database: Database) -> None:
    """Removes what workers that are gone had not finished, and claims of roots that were cut short.

    For the holder of the lock, after the work: then each root that was used is this workspace's own.
    """
    # The reason for the end may be that the disk or the database is gone: that error must not be hidden.
    with contextlib.suppress(OSError, SetsetError):
        own = set(roots.own_folders(database).values())
        if roots.owner(database).state(database.folder.own_root) is RootState.OWN:
            own.add(database.folder.own_root)  # not recorded while all files are elsewhere
        for root in own:
            for path in _entries(root):
                if durable.is_temporary(path.name):
                    with contextlib.suppress(OSError):
                        durable.remove(path)
