"""`setset check`: compare what the database says with what is on disk. Reads only; never writes anything."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor, Future
from dataclasses import dataclass

from setset.batches import files
from setset.database.store import Store
from setset.errors import BadInput, SetsetError
from setset.jobs.progress import Watcher
from setset.maintenance.cleanup import strays
from setset.maintenance.repair import remake_order
from setset.tasks.execute import differs
from setset.tasks.kinds import SEED_SOURCE_SIZE, StoredBatch


@dataclass(frozen=True)
class Finding:
    """Something that is not as it should be.

    Kinds: a *file* of a batch is missing, altered, truncated or another one; a *sum*: an expansion's batches
    do not add up; a *number* or the *order* of batches, or the *state* of a size, is wrong; *lists* are not what
    the sources expand to;
    a file is *temporary*, *orphan* or *foreign*: no row vouches for it.
    """

    kind: str
    where: str
    what: str
    target: int | None = None
    size: int | None = None
    batch: StoredBatch | None = None
    source: int | None = None


def check(
    store: Store, size: int | None, watcher: Watcher, deep: Executor | None = None, beside_run: bool = False
) -> Iterator[Finding]:
    """Everything that is wrong, smallest sizes first. With an executor for `deep`, also what only decoding
    each file and deriving its lists anew from its sources can show. Beside a run, what it has finished."""
    explorations = {target: store.find_exploration(target) for target in store.targets()}
    if size is not None and not any(size in store.sizes(each) for each in explorations.values()):
        raise BadInput(f"there is nothing of size {size} to check: 'setset status' shows what there is")
    for target, exploration in explorations.items():
        for each in store.sizes(exploration):
            if size not in (None, each):
                continue
            if beside_run and not store.is_complete(exploration, each):
                watcher.notice(f"size {each} is being written: it can be checked when the run is over")
            else:
                yield from _check_size(store, target, exploration, each, watcher)
                if deep is not None:
                    yield from _check_lists(store, exploration, each, deep, watcher)
    if size is None and not beside_run:
        for stray in strays(store):
            what = {
                "temporary": "half-written by a run that was stopped; the next run removes it",
                "orphan": "a sound batch file that is not recorded; the next run takes it over or removes it",
                "foreign": "not a file of setset; it is left alone",
            }[stray.kind]
            yield Finding(stray.kind, str(stray.path), what)


def _check_size(
    store: Store, target: int, exploration: int, size: int, watcher: Watcher
) -> Iterator[Finding]:
    watcher.begin(size, "check", store.count_batches(exploration, size), 0)
    previous: StoredBatch | None = None
    limit = store.batch_lists(exploration, size)
    number = 0
    found: dict[int, tuple[int, int]] = {}
    for batch in store.batches(exploration, size):
        problem = _file_problem(store, batch, limit)
        if problem:
            yield Finding("file", _where(store, batch), f"{batch}: {problem}", target, size, batch)
        if batch.number not in (None, number):
            yield Finding("number", str(batch), f"comes after batch {number - 1}", target, size)
        if previous and previous.last >= batch.first:
            yield Finding("order", str(batch), f"does not come after {previous}", target, size)
        if batch.span.first_source == batch.span.last_source:
            parts, lists = found.get(batch.span.first_source, (0, 0))
            found[batch.span.first_source] = parts + 1, lists + batch.lists
        previous, number = batch, number + 1
        watcher.advance(batch.lists, batch.lists)
    yield from _check_sums(store, target, exploration, size, found)
    yield from _check_state(store, target, exploration, size)
    watcher.end()


def _where(store: Store, batch: StoredBatch) -> str:
    return str(store.roots()[batch.root_id] / batch.path)


def _file_problem(store: Store, batch: StoredBatch, limit: int) -> str | None:
    """What is wrong with a batch's file, in the light of its row and of how many lists a file may hold."""
    try:
        header, digest = files.verify(store.path_of(batch))
    except SetsetError as error:
        return str(error)
    if digest != batch.digest:
        return "a sound batch file, but not the one that the database vouches for"
    said = (header.target, header.size, header.span, header.lists, header.first, header.last)
    if said != (batch.target, batch.size, batch.span, batch.lists, batch.first, batch.last):
        return "the file's header and the database differ"
    if header.file_bytes != batch.bytes or batch.defect is not None:
        return f"sound, but recorded with {batch.bytes} bytes and the defect {batch.defect!r}"
    if header.batch_lists != limit:
        return "cut for another number of lists in a file than the database says: run 'setset db rebuild'"
    return None


def _check_state(store: Store, target: int, exploration: int, size: int) -> Iterator[Finding]:
    """Whether a size is complete exactly if it is said to be."""
    expanded, sources = store.expanded_sources(exploration, size)
    before = size - 1 == SEED_SOURCE_SIZE or store.is_complete(exploration, size - 1)
    if store.is_complete(exploration, size) != (before and expanded == sources):
        what = f"{expanded:,} of {sources:,} sources are expanded; the database says otherwise"
        yield Finding("state", f"size {size}", what, target, size)


def _check_sums(
    store: Store, target: int, exploration: int, size: int, found: dict[int, tuple[int, int]]
) -> Iterator[Finding]:
    """Whether each finished expansion has the batches and lists that it is recorded with."""
    compacted = store.compacted_sources(exploration, size)
    for row in store.finished(exploration, size):
        source, lists_in, source_lists, batches_out, lists_out = tuple(row)
        where = f"the expansion of batch {source} of size {size - 1}"
        if source in compacted:
            continue
        # What is known from files alone does not say how many lists the source has.
        if source_lists is not None and lists_in not in (0, source_lists):
            what = f"read {lists_in:,} lists of {source_lists:,}"
            yield Finding("sum", where, what, target, size, None, source)
        parts, lists = found.get(source, (0, 0))
        if (parts, lists) != (batches_out, lists_out):
            what = f"made {batches_out} batches with {lists_out:,} lists; {parts} with {lists:,} are recorded"
            yield Finding("sum", where, what, target, size, None, source)
    recorded, made = store.list_sums(exploration, size)
    if compacted and recorded != made:
        yield Finding(
            "state", f"size {size}", f"{made:,} lists were made, {recorded:,} are recorded", target, size
        )


def _check_lists(
    store: Store, exploration: int, size: int, executor: Executor, watcher: Watcher
) -> Iterator[Finding]:
    """Decodes each file and derives it anew."""
    watcher.begin(size, "derive", store.count_batches(exploration, size), 0)
    window: list[tuple[StoredBatch, Future[str | None]]] = []
    for batch in store.batches(exploration, size):
        try:
            order, path = remake_order(store, batch), str(store.path_of(batch))
        except SetsetError as error:
            what = f"{batch}: cannot be derived anew: {error}"
            yield Finding("lists", _where(store, batch), what, batch.target, batch.size, batch)
            continue
        window.append((batch, executor.submit(differs, order, path, batch.digest)))
        if len(window) >= 8:
            yield from _verdict(store, *window.pop(0), watcher)
    for pending in window:
        yield from _verdict(store, *pending, watcher)
    watcher.end()


def _verdict(
    store: Store, batch: StoredBatch, future: Future[str | None], watcher: Watcher
) -> Iterator[Finding]:
    problem = future.result()
    watcher.advance(batch.lists, batch.lists)
    if problem:
        yield Finding("lists", _where(store, batch), f"{batch}: {problem}", batch.target, batch.size, batch)
