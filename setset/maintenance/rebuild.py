"""`setset db rebuild`: a new database from the batch files alone."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from setset.batches import files
from setset.batches.filing import record
from setset.batches.format import BadBatch, Header
from setset.batches.spans import Span
from setset.database import schema as database
from setset.database.models import State
from setset.database.runs import logged
from setset.database.store import Store, now
from setset.errors import BadInput, NotAWorkspace
from setset.folder import OWN_ROOT, REBUILT, Workspace, owner
from setset.jobs.progress import Watcher
from setset.tasks.kinds import NewBatch

SIDE_FILES = ("-journal", "-wal", "-shm")
MOST_MISSING = 1_000_000
"""A file made from a source so far beyond those that are known is a stranger's, not one behind a gap."""

Found = tuple[int, Header, NewBatch]


def rebuild(workspace: Workspace, outputs: tuple[Path, ...], watcher: Watcher) -> Path | None:
    """Makes the database anew from the headers of all sound files below the storage roots.

    It is made under another name and put in its place when it is whole. The old database, if any, is kept
    under a name that is returned. Counts, numbers and sources come out as they were; what no file holds is
    lost: the history of runs, counts without files, the catalogue of classes. Files that are not sound are
    left for `run` to replace.
    """
    workspace_id = _common_owner(workspace, outputs)
    aside = Workspace(workspace.path, REBUILT)
    try:
        _remove(aside.database)
        store = Store.writing(aside, workspace_id)
        with logged(store, "setset db rebuild", workers=0):
            roots = {store.use_root(output) for output in (None, *outputs)}
            sizes: dict[tuple[int, int], list[Found]] = defaultdict(list)
            for root_id in sorted(roots):
                for header, batch in _sound_files(store.roots()[root_id], watcher):
                    sizes[header.target, header.size].append((root_id, header, batch))
            for (target, size), found in sorted(sizes.items()):
                _adopt(store, target, size, found, watcher)
        store.close()
        kept = _set_aside(workspace.database)
        database.settle(aside.database, workspace.database)
    finally:
        _remove(aside.database)
    return kept


def _common_owner(workspace: Workspace, outputs: tuple[Path, ...]) -> str | None:
    """The id of the workspace that all storage roots belong to, if any says so. Refuses what is no workspace."""
    roots = [workspace.root(OWN_ROOT), *outputs]
    owners = {found for root in roots if (found := owner(root)) is not None}
    if len(owners) > 1:
        folders = ", ".join(str(root) for root in roots)
        raise BadInput(f"these folders hold files of different workspaces: {folders}")
    has_files = any(True for root in roots for _ in root.glob(f"t??/s??/*{files.SUFFIX}"))
    if not (owners or has_files or workspace.database.exists()):
        raise NotAWorkspace(f"no workspace at {workspace.path}: there are neither a database nor batch files")
    return next(iter(owners), None)


def _sound_files(root: Path, watcher: Watcher) -> Iterator[tuple[Header, NewBatch]]:
    for path in sorted(root.glob(f"t??/s??/*{files.SUFFIX}")):
        try:
            header, digest = files.verify(path)
        except BadBatch as error:
            watcher.notice(f"{path}: {error}")
            continue
        batch = record(header, digest)
        if path != root / batch.path:
            watcher.notice(f"{path}: not where it belongs")
            continue
        yield header, batch


def _remove(path: Path) -> None:
    for suffix in ("", *SIDE_FILES):
        Path(f"{path}{suffix}").unlink(missing_ok=True)


def _set_aside(path: Path) -> Path | None:
    kept = None
    if path.exists():
        kept = database.free_name(path, "lost")
        path.rename(kept)
    # The journal of a database that is gone would be played back into the one that takes its place.
    _remove(path)
    return kept


def _adopt(store: Store, target: int, size: int, found: list[Found], watcher: Watcher) -> None:
    """Records the batches of one size, and the expansions whose outputs are complete."""
    exploration = store.exploration(target)
    sources = store.numbered(exploration, size - 1)
    cover = list(_cover(found, sources))
    if not cover:
        return
    store.begin_size(exploration, size, cover[0][1].batch_lists)
    watcher.begin(size, "rebuild", len(cover), 0)
    whole = _complete_sources([header.span for _, header, _ in cover])
    lists_in = {number: lists for number, (lists, _) in sources.items()}
    keep = [
        (root_id, batch)
        for root_id, header, batch in cover
        if whole.issuperset(range(header.span.first_source, header.span.last_source + 1))
    ]
    rows: list[dict[str, Any]] = []
    for source in sorted(whole):
        parts = [batch for _, batch in keep if batch.span.first_source == source]
        rows.append(
            {
                "source": source,
                "lists_in": lists_in.get(source, 0),
                "state": State.DONE,
                "lists_out": sum(batch.lists for batch in parts),
                "batches_out": len(parts),
                "bytes_out": sum(batch.bytes for batch in parts),
                "finished_at": now(),
            }
        )
    due = (lists_in.keys() | set(range(max(whole, default=0) + 1))) - whole
    rows += [{"source": n, "lists_in": lists_in.get(n, 0), "state": State.PLANNED} for n in sorted(due)]
    store.adopt(exploration, size, keep, rows)
    for _, batch in keep:
        watcher.advance(batch.lists, batch.lists)
    watcher.end()


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
