"""Differences between rows and file names: files that no row records, and recorded files that are missing."""

import contextlib
import enum
import functools
import os
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
from setset.batches.ownership import TOKEN, RootState
from setset.batches.records import Batch
from setset.database import Database, batches, explorations, storage_roots
from setset.database.explorations import SizeRecord
from setset.errors import SetsetError
from setset.maintenance.findings import FindingKind
from setset.maintenance.proof import Evidence, read_evidence
from setset.platform import leads_outside
from setset.progress import ProgressListener

_SIZE_FOLDER = re.compile(r"([tp])(\d\d)/s(\d\d)")
_TARGET_FOLDER = re.compile(r"[tp]\d\d")
_SIZE_NAME = re.compile(r"s\d\d")


class StrayKind(enum.Enum):
    """Kind of a stray. Its value is the kind and the description of the finding that `check` reports."""

    TEMPORARY = FindingKind.TEMPORARY, "half-written by a run that was stopped; the next run removes it"
    ORPHAN = (
        FindingKind.ORPHAN,
        "a sound batch file that is not recorded; the next run of its size adopts or removes it",
    )
    DAMAGED = (
        FindingKind.ORPHAN,
        "a damaged batch file that is not recorded; a run removes it when its size is complete",
    )
    NEWER = FindingKind.NEWER, "a batch file that a newer setset made; it is left alone: upgrade setset"
    FOREIGN = FindingKind.FOREIGN, "not a file of setset; it is left alone"


@dataclass(frozen=True)
class Stray:
    """A stray, i.e. a file that lies below a storage root and has no row in the database."""

    path: Path
    kind: StrayKind
    target: int = 0
    size: int = 0
    pruned: bool = False
    header: Header | None = None
    """Header of the file if it is an orphan (a sound batch file without a row); otherwise None."""


def find_strays(database: Database) -> Iterator[Stray]:
    """Yields all strays in the storage roots of this workspace.

    Looks only into folders that setset makes. Any other folder counts as one stray.
    """
    for root_id, root in storage_roots.own_folders(database).items():
        names = storage_roots.recorded_files(database, root_id).keys()
        folders = {name.rpartition("/")[0] for name in names}
        in_use = {TOKEN, *names, *folders, *(folder.rpartition("/")[0] for folder in folders)}
        for path in _entries(root):
            relative = path.relative_to(root).as_posix()
            if relative not in in_use:
                yield _identify(path, relative)


def mark_missing_files(database: Database, progress: ProgressListener) -> None:
    """Records a defect for each recorded file that is missing, so that the run makes the file again.

    Reads no files, only their names, in storage roots with valid tokens. `check` also reads the files.
    """
    for root_id, root in storage_roots.own_folders(database).items():
        names = {name for name in storage_roots.recorded_files(database, root_id) if not leads_outside(name)}
        folders = {name.rpartition("/")[0] for name in names}
        listed = {f"{folder}/{name}" for folder in folders for name in _names(root / folder)}
        # A listing may be incomplete, or have names in another case. The path decides.
        if missing := {name for name in names - listed if _is_missing(root / name)}:
            progress.notice(
                f"missing in {root}: {len(missing):,} of {len(names):,} recorded files, the first one {min(missing)}; "
                "this run makes files up to its own size again, 'setset repair' makes all of them"
            )
            batches.mark_missing(database, root_id, missing)


def _names(folder: Path) -> list[str]:
    """Names of the entries of a folder. Empty if it cannot be listed."""
    with contextlib.suppress(OSError):
        return os.listdir(folder)  # noqa: PTH208 (a path for each of 100,000 files takes a second)
    return []


def _is_missing(path: Path) -> bool:
    """Whether nothing is at a path. Raises OSError if the path cannot be read."""
    try:
        path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return True
    return False


def _entries(root: Path) -> Iterator[Path]:
    """Yields the entries of a root and of its folders for targets and sizes.

    Does not look into a folder that is a symbolic link, since its files may belong to others.
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
    exploration_and_size, data = (int(match[2]), int(match[3]), match[1] == "p"), b""
    try:
        data = files.read(path)
        header, _ = batch_format.verify(data)
    except files.NewerFormat:
        return Stray(path, StrayKind.NEWER, *exploration_and_size)
    except BadBatch:
        is_damaged = data.startswith(batch_format.MAGIC)
        return Stray(path, StrayKind.DAMAGED if is_damaged else StrayKind.FOREIGN, *exploration_and_size)
    if (header.target, header.size, header.pruned) != exploration_and_size or files.file_name(header.span) != name:
        return Stray(path, StrayKind.FOREIGN)
    return Stray(path, StrayKind.ORPHAN, *exploration_and_size, header)


def remove_leftovers(database: Database, progress: ProgressListener) -> bool:
    """Removes temporary files, damaged strays of complete sizes, and orphans whose lists are also in recorded files.

    Keeps other orphans and damaged strays, since a run may adopt or replace them. Returns whether it has kept any.
    """
    has_kept = False
    read = functools.cache(read_evidence)
    for stray in list(find_strays(database)):
        if _is_useless(database, stray, read):
            try:
                durable.remove(stray.path)
                progress.notice(f"removed {stray.path.name}, left by a run that was stopped")
            except OSError as error:
                progress.notice(f"cannot remove {stray.path} ({error.strerror}): the next run tries again")
        else:
            has_kept |= stray.kind in (StrayKind.ORPHAN, StrayKind.DAMAGED)
    return has_kept


def _is_useless(database: Database, stray: Stray, read: Callable[[SizeRecord], Evidence]) -> bool:
    """Whether a stray can be removed: a temporary file, a damaged stray of a complete size, or a redundant orphan.

    An orphan is redundant if other files, recorded and sound, hold its lists.
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
    """The recorded batches that hold all lists of an orphan. Empty if some lists may be missing.

    In a complete size, these are the batches between the first and the last list of the orphan. In an incomplete size,
    they are the batches of the orphan's sources, if all these sources are expanded.
    """
    if evidence.size.is_complete():
        start = bisect_left(evidence.batches, orphan.first, key=lambda batch: batch.last)
        return list(takewhile(lambda batch: batch.first <= orphan.last, evidence.batches[start:]))
    first, last = orphan.span.first_source, orphan.span.last_source
    if sum(first <= expansion.source <= last for expansion in evidence.expansions) != last - first + 1:
        return []
    spans = ((batch, batch.span) for batch in evidence.batches)
    return [batch for batch, span in spans if span.first_source <= last and span.last_source >= first]


def remove_temporaries(database: Database) -> None:
    """Removes temporary files that dead workers or interrupted claims of roots left behind.

    The caller must hold the lock. A run calls this at its end, when it has claimed the roots that it uses.
    """
    # The run may have ended because the disk or the database is missing. That error must not be hidden.
    with contextlib.suppress(OSError, SetsetError):
        own = set(storage_roots.own_folders(database).values())
        if storage_roots.owner(database).state(database.folder.own_root) is RootState.OWN:
            own.add(database.folder.own_root)  # not recorded while all files are elsewhere
        for root in own:
            for path in _entries(root):
                if durable.is_temporary(path.name):
                    with contextlib.suppress(OSError):
                        durable.remove(path)
