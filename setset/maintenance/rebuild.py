"""A new database from the batch files alone.

A source counts as expanded only if files prove it: from its first part to its last without a gap, all cut for the
same number of lists, made from the source as found. Unproven files stay on the disk, and their expansions are planned
again. `run` adopts the files that it can use and makes the others again.
"""

import contextlib
from collections import Counter, defaultdict
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from pathlib import Path

from setset.batches import files
from setset.batches.format import BadBatch, Header
from setset.batches.records import BATCH_FILES, BatchFile, Span
from setset.batches.roots import root_owner
from setset.database import Database, batches, expansions, explorations, open_to_write, roots, runs, schema
from setset.database.connection import BadDatabase, NewerSchema
from setset.errors import BadInput, NotAWorkspace
from setset.executors.window import submit_ahead
from setset.folder import REBUILT, WorkspaceFolder
from setset.maintenance.counts_file import restore_counts
from setset.maintenance.proof import Sources, source_digest
from setset.platform import usable_cores
from setset.progress import Activity, ProgressListener
from setset.tasks.kinds import SEED_SOURCE_SIZE


@dataclass(frozen=True)
class FoundFile:
    """A sound batch file below a storage root."""

    root_id: int
    header: Header
    batch: BatchFile

    @property
    def span(self) -> Span:
        return self.batch.span


def rebuild_database(folder: WorkspaceFolder, outputs: tuple[Path, ...], progress: ProgressListener) -> Path | None:
    """Makes a new database from the headers of all sound files below the storage roots.

    It is made under another name and put in its place when it is complete. The old database, if any, is kept
    under a name that is returned. Counts, numbers and sources come out as they were. The history of runs and the
    catalogue of classes are lost. Files that are not sound are left for `run` to replace.
    """
    workspace_id = find_owner(folder, outputs)
    _name_missed(folder, outputs, progress)
    aside = WorkspaceFolder(folder.path, REBUILT)
    try:
        schema.remove(aside.database)
        with (
            contextlib.closing(open_to_write(aside, workspace_id, noted=_salvage(folder, "folder"))) as database,
            runs.record_run(database, "setset db rebuild", workers=0),
        ):
            used = {roots.use_root(database, output, adopt=True) for output in (None, *outputs)}
            folders = roots.folders(database)
            everything = [file for root in sorted(used) for file in _sound_files(root, folders[root], progress)]
            for (target, pruned, size), found in sorted(_by_size(everything, progress).items()):
                _adopt(database, target, pruned, size, found)
            restore_counts(database, progress)
        kept = schema.replace(folder.database, aside.database)
    finally:
        schema.remove(aside.database)
    return kept


def _require_replaceable(folder: WorkspaceFolder) -> None:
    """Refuses a database that is in use or was made by a newer setset. Any other database can be replaced."""
    if not folder.database.exists():
        return
    try:
        schema.require_current(folder.database)
    except NewerSchema:
        raise
    except BadDatabase:
        pass


def find_owner(folder: WorkspaceFolder, outputs: tuple[Path, ...]) -> str | None:
    """The id of the workspace that all storage roots belong to, if any or the old database says so.

    Raises:
        NotAWorkspace: There is nothing to make a database from.
        BadInput: The folders hold files of different workspaces.
        SetsetError: The old database must not be replaced.
    """
    _require_replaceable(folder)
    known = [folder.own_root, *outputs]
    owners = {found for root in known if (found := root_owner(root)) is not None}
    if len(owners) > 1:
        raise BadInput(
            f"these folders hold files of different workspaces: {', '.join(map(str, known))}; "
            "give --output only for folders of this one, and move away what is not"
        )
    has_files = any(True for root in known for _ in root.glob(BATCH_FILES))
    # Empty folders may be left; a run refuses to begin there without a database.
    has_files = has_files or (folder.own_root.is_dir() and any(folder.own_root.iterdir()))
    if not (owners or has_files or folder.database.exists() or folder.has_kept_database()):
        raise NotAWorkspace(f"no workspace at {folder.path}: there are neither a database nor batch files")
    # If all tokens are lost, the old database still knows: if this is stopped, it and the new tokens agree.
    return next(iter(owners), None) or _salvage(folder, "id")


def _salvage(folder: WorkspaceFolder, column: str) -> str | None:
    """A value of the workspace's row in the old database; None if it cannot be read."""
    return next(iter(roots.salvage(folder.database, "workspace", column)), None)


def _name_missed(folder: WorkspaceFolder, outputs: tuple[Path, ...], progress: ProgressListener) -> None:
    """Names the storage roots of the old database whose files will not be in the new one."""
    given = {output.resolve() for output in outputs}
    for path in roots.salvage(folder.database, "storage_roots", "path"):
        root = folder.root(path)
        if root != folder.own_root and root.resolve() not in given:
            progress.notice(
                f"the old database names the storage root {root}, which --output does not: its files will be missing "
                f"in the new one; if it was moved, 'setset roots move {root} NEW' needs no new database"
            )


def _sound_files(root_id: int, root: Path, progress: ProgressListener) -> Iterator[FoundFile]:
    """Sound files of a root in their proper folders, read on all cores."""
    with ThreadPoolExecutor(usable_cores()) as threads:
        for folder, paths in groupby(sorted(root.glob(BATCH_FILES)), attrgetter("parent")):
            found = list(paths)
            size = int(folder.name[1:]) if folder.name[1:].isdecimal() else 0
            progress.begin(size, Activity.REBUILD, len(found), 0)
            for path, future in submit_ahead(found, lambda path: threads.submit(_read_file, path), 64):
                lists = 0
                try:
                    header, digest = future.result()
                    lists, batch = header.lists, files.record(header, digest)
                    if path != root / batch.name:
                        raise BadBatch("not where it belongs")
                    yield FoundFile(root_id, header, batch)
                except BadBatch as error:
                    progress.notice(f"{path}: {error}")
                progress.advance(size, lists, lists)
            progress.end(size)


def _read_file(path: Path) -> tuple[Header, str]:
    """Header and digest of a sound file. Compares its first and last list with the header."""
    header, digest = files.verify(path)
    files.load(path, digest)
    return header, digest


def _by_size(found: list[FoundFile], progress: ProgressListener) -> dict[tuple[int, bool, int], list[FoundFile]]:
    """Files by target, rule and size. A target has one rule. If a stopped `rm` left files of both rules, the rule with
    more lists wins."""
    lists: Counter[tuple[int, bool]] = Counter()
    left: Counter[tuple[int, bool]] = Counter()
    sizes: dict[tuple[int, bool, int], list[FoundFile]] = defaultdict(list)
    for each in found:
        lists[each.header.target, each.header.pruned] += each.header.lists
    for each in found:
        target, pruned = each.header.target, each.header.pruned
        if pruned == (lists[target, True] > lists[target, False]):
            sizes[target, pruned, each.header.size].append(each)
        else:
            left[target, pruned] += 1
    for (target, pruned), files_left in left.items():
        progress.notice(
            f"target {target}: {files_left:,} files of an exploration that was {'' if pruned else 'not '}pruned are "
            "left alone; a workspace has one exploration of a target"
        )
    return sizes


def _adopt(database: Database, target: int, pruned: bool, size: int, found: list[FoundFile]) -> None:
    """Records the batches of one size, and the expansions that they prove."""
    at = explorations.find_or_create(database, target, pruned).at(size)
    # A file does not name the size of its source, but its digest.
    known = {each.size: batches.sources(each) for each in at.exploration.sizes()}
    known[SEED_SOURCE_SIZE] = batches.sources(at.exploration.at(SEED_SOURCE_SIZE))
    made_from = {source_size: _made_from(sources, found) for source_size, sources in known.items()}
    source_size = max(made_from, key=lambda each: (len(made_from[each]), each))
    sources, proven = known[source_size], made_from[source_size]
    # Files cut for different numbers of lists do not fit together: the same parts have other lists.
    cuts = sorted({each.header.batch_lists for each in proven}, reverse=True)
    wholes = [_whole_sources([each for each in proven if each.header.batch_lists == cut]) for cut in cuts]
    keep = max(wholes, key=_count_sources, default=[])
    if not keep:
        return
    made: dict[int, list[BatchFile]] = {
        source: [] for each in keep for source in range(each.span.first_source, each.span.last_source + 1)
    }
    for each in keep:
        made[each.span.first_source].append(each.batch)
    whole = {source: made.get(number) for number, source in sorted(sources.items())}
    recorded = [(each.root_id, each.batch) for each in keep]
    expansions.adopt(at, source_size, keep[0].header.batch_lists, recorded, whole)


def _made_from(sources: Sources, found: list[FoundFile]) -> list[FoundFile]:
    """Files made from these sources."""
    return [each for each in found if source_digest(sources, each.span) == each.batch.source_digest]


def _count_sources(whole: list[FoundFile]) -> int:
    return sum(each.span.end[0] - each.span.first_source for each in whole)


def _whole_sources(found: list[FoundFile]) -> list[FoundFile]:
    """Files without a gap from the start of a source to the end of a source.

    If several files have the same start, the longest wins, provided that other files continue it: the parts of a
    merged file may still exist, or a file may be in two folders.
    """
    chosen: dict[tuple[int, int], FoundFile] = {}
    for each in sorted(found, key=lambda each: (each.span.start, each.span.end, -each.root_id), reverse=True):
        leads_on = each.span.end[1] == 0 or each.span.end in chosen
        if leads_on and each.span.start not in chosen:
            chosen[each.span.start] = each
    whole: list[FoundFile] = []
    position = (0, 0)
    for start in sorted(chosen):
        # Within a source, the first start that is not before the position is the position.
        if start >= position and (start[1] == 0 or start == position):
            whole.append(chosen[start])
            position = chosen[start].span.end
    return whole
