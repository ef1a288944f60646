"""`setset db rebuild`: a new database from the batch files alone."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import Any

from setset.batches import files
from setset.batches.format import BadBatch, Header
from setset.batches.spans import Span
from setset.jobs import database
from setset.jobs.models import State
from setset.jobs.records import NewBatch
from setset.jobs.store import Store, now
from setset.jobs.watching import Watcher
from setset.jobs.workspace import OWN_ROOT, Workspace, owner


def rebuild(workspace: Workspace, outputs: tuple[Path, ...], watcher: Watcher) -> Path | None:
    """Makes the database anew from the headers of all sound files below the storage roots.

    The old database, if any, is kept under another name, which is returned. Counts, numbers and sources come
    out as they were; what no file holds is lost: the history of runs, counts without files, the catalogue of
    classes. Files that are not sound are left for `run` to replace.
    """
    kept = _set_aside(workspace.database)
    owners = [owner(root) for root in (workspace.root(OWN_ROOT), *outputs)]
    store = Store.writing(workspace, next((known for known in owners if known), None))
    root_ids = [store.use_root(None), *(store.use_root(output) for output in outputs)]
    sizes: dict[tuple[int, int], list[tuple[int, Header, NewBatch]]] = defaultdict(list)
    for root_id in root_ids:
        for path in sorted(store.roots()[root_id].glob(f"t??/s??/*{files.SUFFIX}")):
            try:
                header, digest = files.verify(path)
            except BadBatch as error:
                watcher.notice(f"{path}: {error}")
                continue
            relative = f"{files.folder(header.target, header.size)}/{files.name(header.span)}"
            if path != store.roots()[root_id] / relative:
                watcher.notice(f"{path}: not where it belongs")
                continue
            batch = NewBatch(
                header.span, header.lists, header.first, header.last, relative, header.file_bytes, digest
            )
            sizes[header.target, header.size].append((root_id, header, batch))
    for (target, size), found in sorted(sizes.items()):
        _adopt(store, target, size, found, watcher)
    return kept


def _set_aside(path: Path) -> Path | None:
    if not path.exists():
        return None
    kept = database.free_name(path, "lost")
    path.rename(kept)
    for suffix in ("-journal", "-wal", "-shm"):
        Path(f"{path}{suffix}").unlink(missing_ok=True)
    return kept


def _adopt(
    store: Store, target: int, size: int, found: list[tuple[int, Header, NewBatch]], watcher: Watcher
) -> None:
    """Records the batches of one size, and the expansions whose outputs are complete."""
    exploration = store.exploration(target)
    store.begin_size(exploration, size, found[0][1].batch_lists)
    watcher.begin(size, "rebuild", len(found), 0)
    whole = _complete_sources([header.span for _, header, _ in found])
    lists_in = store.lists_by_number(exploration, size - 1)
    keep = [
        (root_id, batch)
        for root_id, header, batch in found
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
