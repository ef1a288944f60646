"""Batch files that are, or should be, there: the table `batches`. Their numbers: see `numbering`."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Row, Select, and_, bindparam, delete, func, insert, select, tuple_, update
from sqlalchemy.sql.elements import ColumnElement

from setset import platform
from setset.batches.records import BatchFile, Span
from setset.cards import Cards
from setset.database import roots
from setset.database.connection import BadDatabase, Database
from setset.database.explorations import ExplorationKey
from setset.database.models import BATCHES, EXPLORATIONS
from setset.errors import BadInput, SetsetError
from setset.tasks.kinds import SEED_SOURCE_SIZE, Source

PAGE = 1000
MOST_BATCHES = 1 << 31
"""More than a size will ever have."""
MOST_MERGED = 1_000_000
"""More sources than a merged batch will ever have, whatever an altered row says."""


@dataclass(frozen=True)
class StoredBatch:
    """A batch as the database records it."""

    id: int
    target: int
    size: int
    number: int | None
    lists_before: int | None
    """How many lists of its size are in the batches before it, if it has a number."""
    span: Span
    lists: int
    first: Cards
    last: Cards
    root_id: int
    path: str
    bytes: int
    digest: str
    source_digest: str | None
    """None for a batch that was recorded by version 0.1."""
    defect: str | None
    pruned: bool = False
    """Of its exploration: whether only lists that may reach the target are kept."""

    @property
    def file(self) -> BatchFile:
        """The file that should be there."""
        return BatchFile(
            self.span,
            self.lists,
            self.first,
            self.last,
            self.path,
            self.bytes,
            self.digest,
            self.source_digest or "",
        )

    def __str__(self) -> str:
        return f"batch {self._name if self.number is None else self.number} of size {self.size}"

    @property
    def _name(self) -> str:
        return f"source {self.span.first_source} part {self.span.first_part}"


def in_order(
    database: Database, exploration: ExplorationKey, size: int, sources: tuple[int, int] | None = None
) -> Iterator[StoredBatch]:
    """The batches of a size in lexicographic order, page by page; only those with parts of sources first to last."""
    within: list[ColumnElement[bool]] = [at_size(exploration, size)]
    after = (-1, -1)
    if sources is not None:
        within += [BATCHES.c.first_source <= sources[1], BATCHES.c.last_source >= sources[0]]
        # The last batch that begins in a source before these may reach into them; those before it do not.
        before = select(func.max(BATCHES.c.first_source)).where(
            *within[:1], BATCHES.c.first_source < sources[0]
        )
        after = ((database.query(before)[0][0] or 0) - 1, -1)
    while True:
        rows = database.query(
            _stored_batches()
            .where(*within)
            # As a pair: of two conditions SQLite uses no index, and reads all pages before this one again.
            .where(tuple_(BATCHES.c.first_source, BATCHES.c.first_part) > after)
            .order_by(BATCHES.c.first_source, BATCHES.c.first_part)
            .limit(PAGE)
        )
        for row in rows:
            yield stored_batch(row)
        if len(rows) < PAGE:
            return
        after = (rows[-1].first_source, rows[-1].first_part)


def numbered_from(
    database: Database, exploration: ExplorationKey, size: int, number: int
) -> Iterator[StoredBatch]:
    """The batches with this number and the following ones, page by page."""
    while True:
        rows = database.query(
            _stored_batches()
            .where(at_size(exploration, size), BATCHES.c.number >= number)
            .order_by(BATCHES.c.number)
            .limit(PAGE)
        )
        for row in rows:
            yield stored_batch(row)
        if len(rows) < PAGE:
            return
        number = rows[-1].number + 1


def in_range(
    database: Database, exploration: ExplorationKey, size: int, first: Cards, last: Cards
) -> Iterator[StoredBatch]:
    """The batches of a complete size that can hold lists between two, which are in lexicographic order."""
    place = bisect_left(
        range(_next_number(database, exploration, size)),
        first,
        key=lambda number: get(database, exploration, size, number).last,
    )
    for batch in numbered_from(database, exploration, size, place):
        if batch.first > last:
            return
        yield batch


def _next_number(database: Database, exploration: ExplorationKey, size: int) -> int:
    """One more than the last number: unlike a count, one look-up."""
    last = select(func.max(BATCHES.c.number)).where(at_size(exploration, size))
    found = database.query(last)[0][0]
    return 0 if found is None else int(found) + 1


def get(database: Database, exploration: ExplorationKey, size: int, number: int) -> StoredBatch:
    """The batch with this number, which must be there."""
    if (found := find(database, exploration, size, number)) is not None:
        return found
    known = count_numbered(database, exploration, size)
    raise BadInput(f"there is no batch {number} of size {size}: the batches are 0 to {known - 1:,}")


def find(database: Database, exploration: ExplorationKey, size: int, number: int) -> StoredBatch | None:
    """The batch with this number, if there is one."""
    at = at_size(exploration, size), BATCHES.c.number == number
    return next(map(stored_batch, database.query(_stored_batches().where(*at))), None)


def count_numbered(database: Database, exploration: ExplorationKey, size: int) -> int:
    """How many batches of a size have their numbers; 1 for the source of the seeds."""
    if size == SEED_SOURCE_SIZE:
        return 1
    numbered = select(func.count()).select_from(BATCHES).where(numbered_at(exploration, size))
    return int(database.query(numbered)[0][0])


def find_list(
    database: Database, exploration: ExplorationKey, size: int, index: int
) -> tuple[StoredBatch, int]:
    """The batch that holds list number `index` of a size, and the list's number in it."""
    found = select(BATCHES.c.number, BATCHES.c.lists_before, BATCHES.c.lists)
    found = found.where(at_size(exploration, size), BATCHES.c.lists_before <= index)
    rows = database.query(found.order_by(BATCHES.c.lists_before.desc()).limit(1))
    if not rows:
        command = f"setset run --size {size} {exploration.options}"
        raise BadInput(f"no lists of size {size} are stored yet: run '{command}' first")
    nearest = rows[0]
    if index < nearest.lists_before + nearest.lists:
        return get(database, exploration, size, nearest.number), index - nearest.lists_before
    stored = nearest.lists_before + nearest.lists
    raise BadInput(f"there is no list {index:,} of size {size}: {stored:,} are stored, numbered from 0")


def totals(database: Database, exploration: ExplorationKey, size: int) -> tuple[int, int]:
    """How many lists of a size are stored, and in how many bytes."""
    sums = (func.coalesce(func.sum(column), 0) for column in (BATCHES.c.lists, BATCHES.c.bytes))
    lists, taken = tuple(database.query(select(*sums).where(at_size(exploration, size)))[0])
    return int(lists), int(taken)


def merged_sources(database: Database, exploration: ExplorationKey, size: int) -> set[int]:
    """The sources that share a batch with others, or have several parts in one."""
    return {
        source
        for row in database.query(_stored_batches().where(at_size(exploration, size), _is_merged()))
        for source in stored_batch(row).span.sources(MOST_MERGED)
    }


def _is_merged() -> ColumnElement[bool]:
    return tuple_(BATCHES.c.first_source, BATCHES.c.first_part) != tuple_(
        BATCHES.c.last_source, BATCHES.c.last_part
    )


def recorded_paths(database: Database, root_id: int) -> set[str]:
    """The files below a storage root that the database records."""
    return {row.path for row in database.query(select(BATCHES.c.path).where(BATCHES.c.root_id == root_id))}


def recorded_digests(database: Database, root_id: int, path: str) -> set[str]:
    """The digest that a file of a storage root is recorded with, if it is."""
    at = and_(BATCHES.c.root_id == root_id, BATCHES.c.path == path)
    return {row.digest for row in database.query(select(BATCHES.c.digest).where(at))}


def path_of(database: Database, batch: StoredBatch) -> Path:
    """Where a batch's file is; refuses a path that would lead out of its storage root."""
    if platform.leads_outside(batch.path):
        raise SetsetError(f"the database names a file outside its storage root: {batch.path!r}")
    return roots.folders(database)[batch.root_id] / batch.path


def source_of(database: Database, batch: StoredBatch) -> Source:
    """A batch as the source of a task."""
    if batch.number is None:
        raise SetsetError(f"{batch} has no number yet")
    return Source(batch.size, batch.number, str(path_of(database, batch)), batch.digest)


# For the modules of this package


def delete_rows(connection: Connection, ids: Iterable[int]) -> None:
    """Deletes rows one by one: SQLite takes only so many values in one statement."""
    rows = [{"batch": each} for each in ids]
    if rows:
        connection.execute(delete(BATCHES).where(BATCHES.c.id == bindparam("batch")), rows)


def insert_rows(
    connection: Connection, exploration: ExplorationKey, size: int, files: Sequence[tuple[int, BatchFile]]
) -> None:
    """Records one or more files, each with its storage root, in one statement."""
    connection.execute(insert(BATCHES), [_columns(exploration, size, *each) for each in files])


def update_rows(
    connection: Connection,
    exploration: ExplorationKey,
    root_id: int,
    known: Sequence[StoredBatch],
    files: Sequence[BatchFile],
) -> tuple[BatchFile, ...]:
    """Records files of batches that were made again, without their defects; returns those that are not known."""
    rows = {batch.span.start: batch for batch in known}
    for file in files:
        if (old := rows.get(file.span.start)) and (old.file != file or old.defect):
            columns = _columns(exploration, old.size, root_id, file)
            connection.execute(update(BATCHES).where(BATCHES.c.id == old.id).values(**columns, defect=None))
    return tuple(file for file in files if file.span.start not in rows)


def of_source(
    connection: Connection, exploration: ExplorationKey, size: int, source: int
) -> list[StoredBatch]:
    """The batches that begin with parts of a source, within a transaction."""
    return [
        stored_batch(row)
        for row in connection.execute(
            _stored_batches().where(at_size(exploration, size), BATCHES.c.first_source == source)
        ).all()
    ]


def at_size(exploration: ExplorationKey, size: int) -> ColumnElement[bool]:
    """The batches of a size, as a condition."""
    return and_(BATCHES.c.exploration_id == exploration.id, BATCHES.c.size == size)


def numbered_at(exploration: ExplorationKey, size: int) -> ColumnElement[bool]:
    """The batches of a size that have their numbers, as a condition."""
    return and_(at_size(exploration, size), BATCHES.c.number.is_not(None))


def get_source(connection: Connection, exploration: ExplorationKey, size: int, number: int) -> StoredBatch:
    """A numbered batch, within a transaction."""
    at = and_(at_size(exploration, size), BATCHES.c.number == number)
    return stored_batch(connection.execute(_stored_batches().where(at)).one())


def _stored_batches() -> Select[Any]:
    return select(BATCHES, EXPLORATIONS.c.target, EXPLORATIONS.c.pruned).join(EXPLORATIONS)


def stored_batch(row: Row[Any]) -> StoredBatch:
    span = Span(row.first_source, row.first_part, row.last_source, row.last_part, bool(row.ends_source))
    try:
        first, last = (
            tuple(int(card) for card in cards.split()) for cards in (row.first_list, row.last_list)
        )
        if not (0, 0) <= span.start <= (span.last_source, span.last_part) < (MOST_BATCHES, MOST_BATCHES):
            raise ValueError(f"source {span.last_source} part {span.last_part}")
    except (ValueError, AttributeError, TypeError) as error:
        raise BadDatabase(f"the database is damaged ({error}): run 'setset db rebuild'") from error
    return StoredBatch(
        row.id,
        row.target,
        row.size,
        row.number,
        row.lists_before,
        span,
        row.lists,
        first,
        last,
        row.root_id,
        row.path,
        row.bytes,
        row.digest,
        row.source_digest,
        row.defect,
        bool(row.pruned),
    )


def _columns(exploration: ExplorationKey, size: int, root_id: int, batch: BatchFile) -> dict[str, Any]:
    return {
        "exploration_id": exploration.id,
        "size": size,
        "first_source": batch.span.first_source,
        "first_part": batch.span.first_part,
        "last_source": batch.span.last_source,
        "last_part": batch.span.last_part,
        "ends_source": batch.span.ends_source,
        "lists": batch.lists,
        "first_list": spell(batch.first),
        "last_list": spell(batch.last),
        "root_id": root_id,
        "path": batch.path,
        "bytes": batch.bytes,
        "digest": batch.digest,
        "source_digest": batch.source_digest,
    }


def spell(cards: Cards) -> str:
    return " ".join(map(str, cards))
