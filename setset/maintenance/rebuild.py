"""Rebuilds the database from the batch files alone.

A source batch counts as expanded only if all files that it expands to are there, with the same maximum number of lists
per file, and each file records the current digest of the source. Otherwise the files that are there stay on the disk
without a row, and the expansion of the source is planned again. The next run adopts files that have the right lists,
and replaces other files.
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
from setset.batches.ownership import root_owner
from setset.batches.records import BATCH_FILES, BatchFile, Span
from setset.database import Database, batches, expansions, explorations, open_to_write, runs, schema, storage_roots
from setset.database.connection import BadDatabase, NewerSchema
from setset.errors import BadInput, NotAWorkspace, quoted
from setset.executors.window import submit_ahead
from setset.folder import REBUILT, WorkspaceFolder
from setset.maintenance.counts_file import restore_counts
from setset.maintenance.proof import source_digest
from setset.platform import usable_cores
from setset.progress import Activity, ProgressListener
from setset.tasks.kinds import SEED_SOURCE_SIZE


@dataclass(frozen=True)
class SoundFile:
    """A sound batch file below a storage root."""

    root_id: int
    header: Header
    batch: BatchFile

    @property
    def span(self) -> Span:
        return self.batch.span


def rebuild_database(folder: WorkspaceFolder, outputs: tuple[Path, ...], progress: ProgressListener) -> Path | None:
    """Makes a new database from the headers of all sound files below the storage roots.

    Until the new database is complete, it has another name. Keeps the old database, if any, and returns its new path.
    Batches get the same numbers and sources as before. Counts come from the file `setset.counts`. The history of runs
    and the catalogue of classes are lost. Damaged files stay on the disk until a run replaces them.
    """
    workspace_id = find_owner(folder, outputs)
    _warn_of_lost_roots(folder, outputs, progress)
    aside = WorkspaceFolder(folder.path, REBUILT)
    try:
        schema.remove(aside.database)
        with (
            contextlib.closing(open_to_write(aside, workspace_id, last_folder=_salvage(folder, "folder"))) as database,
            runs.record_run(database, "setset db rebuild", workers=0),
        ):
            used = {storage_roots.use_root(database, output, adopt=True) for output in (None, *outputs)}
            folders = storage_roots.folders(database)
            everything = [file for root in sorted(used) for file in _sound_files(root, folders[root], progress)]
            for (target, pruned, size), sound_files in sorted(_by_size(everything, progress).items()):
                _adopt(database, target, pruned, size, sound_files)
            restore_counts(database, progress)
        kept = schema.replace(folder.database, aside.database)
    finally:
        schema.remove(aside.database)
    return kept


def _require_replaceable(folder: WorkspaceFolder) -> None:
    """Raises an error if another program holds the database, or if a newer setset made it."""
    if not folder.database.exists():
        return
    try:
        schema.require_current(folder.database)
    except NewerSchema:
        raise
    except BadDatabase:
        pass


def find_owner(folder: WorkspaceFolder, outputs: tuple[Path, ...]) -> str | None:
    """Id of the workspace that owns the storage roots, from their tokens or the old database. None if neither has it.

    Raises:
        NotAWorkspace: There is nothing to make a database from.
        BadInput: The folders hold files of different workspaces.
        SetsetError: The old database must not be replaced (see `_require_replaceable`).
    """
    _require_replaceable(folder)
    folders = [folder.own_root, *outputs]
    owners = {owner for root in folders if (owner := root_owner(root)) is not None}
    if len(owners) > 1:
        raise BadInput(
            f"these folders hold files of different workspaces: {', '.join(map(str, folders))}; "
            "give --output only for folders of this workspace, and move files of other workspaces away"
        )
    has_files = any(True for root in folders for _ in root.glob(BATCH_FILES))
    # Empty folders of a workspace are enough, since a run does not start in such a folder without a database.
    has_files = has_files or (folder.own_root.is_dir() and any(folder.own_root.iterdir()))
    if not (owners or has_files or folder.database.exists() or folder.has_kept_database()):
        raise NotAWorkspace(f"no workspace at {folder.path}: there are neither a database nor batch files")
    # If all tokens are lost, take the id from the old database, so that it agrees with the new tokens after a stop.
    return next(iter(owners), None) or _salvage(folder, "id")


def _salvage(folder: WorkspaceFolder, column: str) -> str | None:
    """Value of a column in the old database's row of the workspace. None if it cannot be read."""
    return next(iter(storage_roots.salvage(folder.database, "workspace", column)), None)


def _warn_of_lost_roots(folder: WorkspaceFolder, outputs: tuple[Path, ...], progress: ProgressListener) -> None:
    """Warns of recorded storage roots that `outputs` lacks. The new database will lack their files."""
    new_roots = {output.resolve() for output in outputs}
    for path in storage_roots.salvage(folder.database, "storage_roots", "path"):
        root = folder.root(path)
        if root != folder.own_root and root.resolve() not in new_roots:
            progress.notice(
                f"the new database will lack the files of the storage root {root}, which --output does not name; if it "
                f"was moved, run 'setset roots move {quoted(root)} NEW' with the old database instead"
            )


def _sound_files(root_id: int, root: Path, progress: ProgressListener) -> Iterator[SoundFile]:
    """Yields the sound batch files of a root. Leaves out files in a wrong folder. Reads on all cores."""
    with ThreadPoolExecutor(usable_cores()) as threads:
        for folder, paths in groupby(sorted(root.glob(BATCH_FILES)), attrgetter("parent")):
            in_folder = list(paths)
            size = int(folder.name[1:]) if folder.name[1:].isdecimal() else 0
            progress.begin(size, Activity.REBUILD, len(in_folder), 0)
            for path, future in submit_ahead(in_folder, lambda path: threads.submit(_read_file, path), 64):
                lists = 0
                try:
                    header, digest = future.result()
                    lists, batch = header.lists, files.record(header, digest)
                    if path != root / batch.name:
                        raise BadBatch("its folder or name does not match its header")
                    yield SoundFile(root_id, header, batch)
                except BadBatch as error:
                    progress.notice(f"{path}: {error}")
                progress.advance(size, lists, lists)
            progress.end(size)


def _read_file(path: Path) -> tuple[Header, str]:
    """Returns the header and digest of a sound file. Compares its first and last list with the header."""
    header, digest = files.verify(path)
    files.load(path, digest)
    return header, digest


def _by_size(sound_files: list[SoundFile], progress: ProgressListener) -> dict[tuple[int, bool, int], list[SoundFile]]:
    """Groups files by target, by pruned or not, and by size.

    A target is either pruned or not, but a stopped `rm` may have left files of the other kind. If a target has files of
    both kinds, leaves out the kind with fewer lists.
    """
    lists: Counter[tuple[int, bool]] = Counter()
    left: Counter[tuple[int, bool]] = Counter()
    sizes: dict[tuple[int, bool, int], list[SoundFile]] = defaultdict(list)
    for file in sound_files:
        lists[file.header.target, file.header.pruned] += file.header.lists
    for file in sound_files:
        target, pruned = file.header.target, file.header.pruned
        if pruned == (lists[target, True] > lists[target, False]):
            sizes[target, pruned, file.header.size].append(file)
        else:
            left[target, pruned] += 1
    for (target, pruned), files_left in left.items():
        progress.notice(
            f"target {target}: leaving out {files_left:,} files made {'with' if pruned else 'without'} --prune, since "
            "the other files of this target have more lists"
        )
    return sizes


def _adopt(database: Database, target: int, pruned: bool, size: int, sound_files: list[SoundFile]) -> None:
    """Records the batches of one size, and the expansions that they prove."""
    at = explorations.find_or_create(database, target, pruned).at(size)
    # A file records the digest of its source, not the size of its source.
    sources_of = {record.size: batches.sources(record) for record in at.exploration.sizes()}
    sources_of[SEED_SOURCE_SIZE] = batches.sources(at.exploration.at(SEED_SOURCE_SIZE))
    made_from = {
        source_size: [file for file in sound_files if source_digest(sources, file.span) == file.batch.source_digest]
        for source_size, sources in sources_of.items()
    }
    source_size = max(made_from, key=lambda size_before: (len(made_from[size_before]), size_before))
    sources, proven = sources_of[source_size], made_from[source_size]
    # Files with different maximum numbers of lists do not fit together, since the same part has other lists.
    cuts = sorted({file.header.batch_lists for file in proven}, reverse=True)
    choices = [_complete_sources([file for file in proven if file.header.batch_lists == cut]) for cut in cuts]
    keep = max(choices, key=_count_sources, default=[])
    if not keep:
        return
    files_of: dict[int, list[BatchFile]] = {
        source: [] for file in keep for source in range(file.span.first_source, file.span.last_source + 1)
    }
    for file in keep:
        files_of[file.span.first_source].append(file.batch)
    files_of_sources = {source: files_of.get(number) for number, source in sorted(sources.items())}
    recorded = [(file.root_id, file.batch) for file in keep]
    expansions.adopt(at, source_size, keep[0].header.batch_lists, recorded, files_of_sources)


def _count_sources(complete: list[SoundFile]) -> int:
    return sum(file.span.end[0] - file.span.first_source for file in complete)


def _complete_sources(sound_files: list[SoundFile]) -> list[SoundFile]:
    """Chooses files that together hold all parts of their sources. Returns them ordered by source and part.

    Several files may begin with the same part, because a merged file and its parts exist, or because a file is in two
    folders. Of these files, chooses the longest file that ends a source or that another file continues.
    """
    chosen: dict[tuple[int, int], SoundFile] = {}
    for file in sorted(sound_files, key=lambda file: (file.span.start, file.span.end, -file.root_id), reverse=True):
        is_continued = file.span.end[1] == 0 or file.span.end in chosen
        if is_continued and file.span.start not in chosen:
            chosen[file.span.start] = file
    complete: list[SoundFile] = []
    position = (0, 0)
    for start in sorted(chosen):
        # A file must begin a source, or continue exactly where the file before it ends.
        if start >= position and (start[1] == 0 or start == position):
            complete.append(chosen[start])
            position = chosen[start].span.end
    return complete
