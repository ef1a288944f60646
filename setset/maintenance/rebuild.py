"""A new database from the batch files alone."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from setset import durable
from setset.batches import files
from setset.batches.format import BadBatch, Header
from setset.batches.records import SUFFIX, BatchFile, Span
from setset.batches.roots import root_owner
from setset.database import Database, batches, expansions, explorations, open_to_write, roots, runs, schema
from setset.database.expansions import KnownExpansion
from setset.errors import BadInput, NotAWorkspace
from setset.folder import REBUILT, WorkspaceFolder
from setset.progress import Activity, ProgressListener

MOST_MISSING = 1_000_000
"""A file made from a source so far beyond those that are known is a stranger's, not one behind a gap."""

Found = tuple[int, Header, BatchFile]


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
    aside = WorkspaceFolder(folder.path, REBUILT)
    try:
        schema.remove(aside.database)
        database = open_to_write(aside, workspace_id)
        with runs.record_run(database, "setset db rebuild", workers=0):
            used = {roots.use_root(database, output) for output in (None, *outputs)}
            sizes: dict[tuple[int, int], list[Found]] = defaultdict(list)
            for root_id in sorted(used):
                for header, batch in _sound_files(roots.folders(database)[root_id], progress):
                    sizes[header.target, header.size].append((root_id, header, batch))
            for (target, size), found in sorted(sizes.items()):
                _adopt(database, target, size, found, progress)
        database.close()
        kept = _set_aside(folder.database)
        durable.replace_durably(aside.database, folder.database)
    finally:
        schema.remove(aside.database)
    return kept


def find_owner(folder: WorkspaceFolder, outputs: tuple[Path, ...]) -> str | None:
    """The id of the workspace that all storage roots belong to, if any says so.

    Raises:
        NotAWorkspace: There is nothing to make a database from.
        BadInput: The folders hold files of different workspaces.
    """
    known = [folder.own_root, *outputs]
    owners = {found for root in known if (found := root_owner(root)) is not None}
    if len(owners) > 1:
        raise BadInput(f"these folders hold files of different workspaces: {', '.join(map(str, known))}")
    has_files = any(True for root in known for _ in root.glob(f"t??/s??/*{SUFFIX}"))
    if not (owners or has_files or folder.database.exists()):
        raise NotAWorkspace(f"no workspace at {folder.path}: there are neither a database nor batch files")
    return next(iter(owners), None)


def _sound_files(root: Path, progress: ProgressListener) -> Iterator[tuple[Header, BatchFile]]:
    for path in sorted(root.glob(f"t??/s??/*{SUFFIX}")):
        try:
            header, digest = files.verify(path)
        except BadBatch as error:
            progress.notice(f"{path}: {error}")
            continue
        batch = files.record(header, digest)
        if path != root / batch.path:
            progress.notice(f"{path}: not where it belongs")
            continue
        yield header, batch


def _set_aside(path: Path) -> Path | None:
    kept = None
    if path.exists():
        kept = schema.free_name(path, "lost")
        path.rename(kept)
    # The journal of a database that is gone would be played back into the one that takes its place.
    schema.remove(path)
    return kept


def _adopt(
    database: Database, target: int, size: int, found: list[Found], progress: ProgressListener
) -> None:
    """Records the batches of one size, and the expansions whose outputs are complete."""
    exploration = explorations.find_or_create(database, target)
    sources = batches.sources_of_size(database, exploration, size - 1)
    cover = list(_cover(found, sources))
    if not cover:
        return
    explorations.begin_size(database, exploration, size, cover[0][1].batch_lists)
    progress.begin(size, Activity.REBUILD, len(cover), 0)
    whole = _complete_sources([header.span for _, header, _ in cover])
    keep = [
        (root_id, batch)
        for root_id, header, batch in cover
        if whole.issuperset(range(header.span.first_source, header.span.last_source + 1))
    ]
    made: dict[int, list[BatchFile]] = defaultdict(list)
    for _, batch in keep:
        made[batch.span.first_source].append(batch)
    due = (sources.keys() | set(range(max(whole, default=0) + 1))) - whole
    known = [
        KnownExpansion(source, sources.get(source, (0, ""))[0], tuple(made[source]))
        for source in sorted(whole)
    ]
    known += [KnownExpansion(source, sources.get(source, (0, ""))[0], None) for source in sorted(due)]
    expansions.adopt(database, exploration, size, keep, known)
    for _, batch in keep:
        progress.advance(batch.lists, batch.lists)
    progress.end()


def _cover(found: list[Found], sources: dict[int, tuple[int, str]]) -> Iterator[Found]:
    """The files that were made from these sources, without those whose lists are in another one already: the
    parts of a merged file may be there still, or a file in two folders."""
    reached: tuple[float, float] = (-1, 0)
    for each in sorted(found, key=_place):
        _, header, _ = each
        span = header.span
        _, digest = sources.get(span.first_source, (0, ""))
        stale = digest not in ("", header.source_digest.hex())
        if stale or span.last_source >= len(sources) + MOST_MISSING:
            continue
        if (span.first_source, span.first_part) > reached:
            yield each
            reached = (span.last_source, math.inf if span.ends_source else span.last_part)


def _place(found: Found) -> tuple[int, int, int, int, int]:
    """By where a file starts; of several that start alike the one that reaches furthest is first."""
    root_id, header, _ = found
    span = header.span
    return span.first_source, span.first_part, -span.last_source, -span.last_part, root_id


def _complete_sources(spans: list[Span]) -> set[int]:
    """The sources all of whose parts are there: part 0, each next one, and the one that ends the source."""
    stretches: dict[int, list[tuple[int, int | None]]] = defaultdict(list)
    for span in spans:
        for source in range(span.first_source, span.last_source + 1):
            first = span.first_part if source == span.first_source else 0
            ended = source < span.last_source or span.ends_source
            stretches[source].append((first, None if ended else span.last_part))
    whole = set()
    for source, parts in stretches.items():
        expected: int | None = 0
        for first, last in sorted(parts, key=lambda part: part[0]):
            if first != expected:
                break
            expected = None if last is None else last + 1
        if expected is None:
            whole.add(source)
    return whole
