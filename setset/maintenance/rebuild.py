"""A new database from the batch files alone.

A source counts as expanded only if files prove it: from its first part to its last without a gap, all cut for the
same number of lists, made from the source as it was found. What is not proven is left on the disk and planned again;
`run` takes over what it can and writes the rest anew.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from pathlib import Path

from setset.batches import files
from setset.batches.format import BadBatch, Header
from setset.batches.records import BATCH_FILES, BatchFile
from setset.batches.roots import root_owner
from setset.database import (
    Database,
    expansions,
    explorations,
    open_to_write,
    place,
    roots,
    runs,
    schema,
)
from setset.database.evidence import sources_of_size
from setset.database.expansions import KnownExpansion
from setset.database.explorations import Step
from setset.database.models import Work
from setset.errors import BadInput, NotAWorkspace
from setset.executors.window import submit_ahead
from setset.folder import REBUILT, WorkspaceFolder
from setset.maintenance.proof import Digests, source_digest
from setset.platform import usable_cores
from setset.progress import Activity, ProgressListener


@dataclass(frozen=True)
class FoundFile:
    """A sound batch file below a storage root."""

    root_id: int
    header: Header
    batch: BatchFile


def rebuild_database(
    folder: WorkspaceFolder, outputs: tuple[Path, ...], progress: ProgressListener
) -> Path | None:
    """Makes a new database from the headers of all sound files below the storage roots.

    It is made under another name and put in its place when it is complete. The old database, if any, is kept
    under a name that is returned. Counts, numbers and sources come out as they were; what no file holds is
    lost: the history of runs, counts without files, the catalogue of classes. Files that are not sound are
    left for `run` to replace.
    """
    workspace_id = find_owner(folder, outputs)
    _name_missed(folder, outputs, progress)
    aside = WorkspaceFolder(folder.path, REBUILT)
    try:
        schema.remove(aside.database)
        database = open_to_write(aside, workspace_id, noted=place.recorded_place(folder.database))
        with runs.record_run(database, "setset db rebuild", workers=0):
            used = {roots.use_root(database, output, adopt=True) for output in (None, *outputs)}
            everything = [
                FoundFile(root_id, header, batch)
                for root_id in sorted(used)
                for header, batch in _sound_files(roots.folders(database)[root_id], progress)
            ]
            for (target, pruned, size), found in sorted(_by_size(everything, progress).items()):
                _adopt(database, target, pruned, size, found)
        database.close()
        kept = schema.replace(folder.database, aside.database)
    finally:
        schema.remove(aside.database)
    return kept


def find_owner(folder: WorkspaceFolder, outputs: tuple[Path, ...]) -> str | None:
    """The id of the workspace that all storage roots belong to, if any or the old database says so.

    Raises:
        NotAWorkspace: There is nothing to make a database from.
        BadInput: The folders hold files of different workspaces.
    """
    known = [folder.own_root, *outputs]
    owners = {found for root in known if (found := root_owner(root)) is not None}
    if len(owners) > 1:
        raise BadInput(
            f"these folders hold files of different workspaces: {', '.join(map(str, known))}; "
            "give --output only for folders of this one, and move away what is not"
        )
    has_files = any(True for root in known for _ in root.glob(BATCH_FILES))
    # What is left of it may be empty folders; a run refuses to begin there without a database.
    has_files = has_files or (folder.own_root.is_dir() and any(folder.own_root.iterdir()))
    if not (owners or has_files or folder.database.exists() or folder.has_kept_database()):
        raise NotAWorkspace(f"no workspace at {folder.path}: there are neither a database nor batch files")
    # Of tokens that are all lost, the old database still knows: if this is stopped, it and the new tokens agree.
    return next(iter(owners), None) or place.recorded_owner(folder.database)


def _name_missed(folder: WorkspaceFolder, outputs: tuple[Path, ...], progress: ProgressListener) -> None:
    """Names the storage roots of the old database whose files will not be in the new one."""
    given = {output.resolve() for output in outputs}
    for root in roots.recorded_outputs(folder.database):
        if root.resolve() not in given:
            progress.notice(
                f"the old database names the storage root {root}, which --output does not: its files will be missing "
                f"in the new one; if it was moved, 'setset roots move {root} NEW' needs no new database"
            )


def _sound_files(root: Path, progress: ProgressListener) -> Iterator[tuple[Header, BatchFile]]:
    """What is sound of the files of a root, each size for itself, the files read on all cores."""
    with ThreadPoolExecutor(usable_cores()) as threads:
        for folder, paths in groupby(sorted(root.glob(BATCH_FILES)), attrgetter("parent")):
            found = list(paths)
            size = int(folder.name[1:]) if folder.name[1:].isdecimal() else 0
            progress.begin(size, Activity.REBUILD, len(found), 0)
            verified = submit_ahead(found, lambda path: threads.submit(files.verify, path), 64)
            yield from _in_their_places(root, size, verified, progress)
            progress.end(size)


def _in_their_places(
    root: Path,
    size: int,
    verified: Iterator[tuple[Path, Future[tuple[Header, str]]]],
    progress: ProgressListener,
) -> Iterator[tuple[Header, BatchFile]]:
    for path, future in verified:
        try:
            header, digest = future.result()
        except BadBatch as error:
            progress.advance(size, 0, 0)
            progress.notice(f"{path}: {error}")
            continue
        progress.advance(size, header.lists, header.lists)
        batch = files.record(header, digest)
        if path != root / batch.path:
            progress.notice(f"{path}: not where it belongs")
            continue
        yield header, batch


def _by_size(
    found: list[FoundFile], progress: ProgressListener
) -> dict[tuple[int, bool, int], list[FoundFile]]:
    """The files by target, rule and size. A target has one rule: where there are files of both, as a stopped `rm`
    leaves them, it is that of most lists."""
    lists: Counter[tuple[int, bool]] = Counter()
    for each in found:
        lists[each.header.target, each.header.pruned] += each.header.lists
    sizes: dict[tuple[int, bool, int], list[FoundFile]] = defaultdict(list)
    left: Counter[int] = Counter()
    for each in found:
        target, pruned = each.header.target, each.header.pruned
        if pruned == (lists[target, True] > lists[target, False]):
            sizes[target, pruned, each.header.size].append(each)
        else:
            left[target] += 1
    for target, files_left in left.items():
        kind = "not pruned" if lists[target, True] > lists[target, False] else "pruned"
        progress.notice(
            f"target {target}: {files_left:,} files of an exploration that was {kind} are left alone; "
            "a workspace has one exploration of a target"
        )
    return sizes


def _adopt(database: Database, target: int, pruned: bool, size: int, found: list[FoundFile]) -> None:
    """Records the batches of one size, and the expansions that they prove."""
    exploration = explorations.find_or_create(database, target, pruned)
    step = Step(Work.STORE, size, size - 1)
    sources = sources_of_size(database, exploration, step.source_size)
    batch_lists, chains = _best_cut(found, sources)
    if not chains:
        return
    known = []
    expanded: set[int] = set()
    for chain in chains:
        by_source: dict[int, list[BatchFile]] = defaultdict(list)
        for each in chain.files:
            by_source[each.batch.span.first_source].append(each.batch)
        for source in range(chain.first, chain.end):
            known.append(KnownExpansion(source, *sources[source], tuple(by_source[source])))
            expanded.add(source)
    known += [KnownExpansion(source, *sources[source], None) for source in sorted(sources.keys() - expanded)]
    keep = [(each.root_id, each.batch) for chain in chains for each in chain.files]
    expansions.adopt(database, exploration, step, batch_lists, keep, known)


@dataclass(frozen=True)
class Chain:
    """Files that follow each other without a gap: all that the sources from `first` to before `end` became."""

    first: int
    end: int
    files: tuple[FoundFile, ...]


def _best_cut(found: list[FoundFile], sources: Digests) -> tuple[int, list[Chain]]:
    """The number of lists in a full file, and the chains of files cut for it, that prove most sources.

    Files cut for different numbers do not fit together: the same parts have other lists.
    """
    proven = [each for each in found if _is_from_these(each.header, sources)]
    best: tuple[int, list[Chain]] = (0, [])
    by_size = Counter(each.header.batch_lists for each in proven)
    for batch_lists in sorted(by_size, reverse=True):
        chains = _chains([each for each in proven if each.header.batch_lists == batch_lists])
        if _proven_sources(chains) > _proven_sources(best[1]):
            best = batch_lists, chains
    return best


def _proven_sources(chains: list[Chain]) -> int:
    return sum(chain.end - chain.first for chain in chains)


def _is_from_these(header: Header, sources: Digests) -> bool:
    """Whether a file was made from the sources that are recorded, all of them."""
    return source_digest(sources, header.span) == header.source_digest.hex()


def _chains(found: list[FoundFile]) -> list[Chain]:
    """All chains from the start of a source to the end of one, each source in one chain at most.

    Of several files that start alike the one that reaches furthest is tried first: the parts of a merged file may be
    there still, or a file in two folders.
    """
    starting: dict[tuple[int, int], list[FoundFile]] = defaultdict(list)
    for each in sorted(found, key=lambda each: (each.header.span.end, -each.root_id), reverse=True):
        starting[each.header.span.start].append(each)
    chains: list[Chain] = []
    dead: set[tuple[int, int]] = set()
    reached = 0
    for source in sorted(number for number, part in starting if part == 0):
        if source < reached:
            continue
        files_of_chain = _follow(starting, dead, (source, 0))
        if files_of_chain:
            reached = files_of_chain[-1].header.span.end[0]
            chains.append(Chain(source, reached, tuple(files_of_chain)))
    return chains


def _follow(
    starting: dict[tuple[int, int], list[FoundFile]], dead: set[tuple[int, int]], start: tuple[int, int]
) -> list[FoundFile]:
    """The files from a place to the first end of a source that can be reached; none if there is no way.

    `dead` are places from which there is none; they are noted, so that no place is tried twice.
    """
    path: list[tuple[FoundFile, Iterator[FoundFile]]] = []
    choices = iter(starting.get(start, ()))
    while True:
        chosen = next((each for each in choices if each.header.span.end not in dead), None)
        if chosen is None:
            if not path:
                return []
            last, choices = path.pop()
            dead.add(last.header.span.end)
            continue
        path.append((chosen, choices))
        if chosen.header.span.end[1] == 0:
            return [each for each, _ in path]
        choices = iter(starting.get(chosen.header.span.end, ()))
