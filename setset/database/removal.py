"""Rows that go: of expansions that are to be done again, of batches that were merged, of sizes that are removed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, and_, bindparam, delete, insert, literal, or_, select, update
from sqlalchemy.sql.elements import ColumnElement

from setset.batches.records import BatchFile
from setset.database import batches, numbering
from setset.database.batches import StoredBatch
from setset.database.connection import Database
from setset.database.explorations import ExplorationKey
from setset.database.models import (
    BATCHES,
    EXPANSIONS,
    EXPLORATIONS,
    SIZES,
    TALLIES,
    State,
    Work,
)
from setset.database.stages import storing
from setset.tasks.kinds import SEED_SOURCE_SIZE


def forget(database: Database, exploration: ExplorationKey, size: int, sources: set[int]) -> set[int]:
    """Forgets what is recorded of the expansions of these sources, and of those that share a batch with them.

    They are planned again, except for sources that are not there any more. What was counted from the batches of this
    size is forgotten too. Returns all that were forgotten.
    """
    known = batches.sources_of_size(database, exploration, size - 1)
    whole, gone = set(sources), dict[int, StoredBatch]()
    # Forwards, then backwards: a merged batch pulls in the sources on both sides of it.
    found = list(batches.in_order(database, exploration, size))
    for batch in (*found, *reversed(found)):
        last = min(batch.span.last_source, batch.span.first_source + len(known))
        touched = range(batch.span.first_source, last + 1)
        if not whole.isdisjoint(touched):
            whole.update(touched)
            gone[batch.id] = batch
    stage = storing(exploration, size).condition
    with database.transaction() as connection:
        batches.delete_rows(connection, list(gone.values()))
        nothing = {"state": State.PLANNED, "lists_out": None, "batches_out": None, "bytes_out": None}
        rows = connection.execute(select(EXPANSIONS.c.id, EXPANSIONS.c.source).where(stage)).all()
        again = [{"row": row.id} for row in rows if row.source in whole and row.source in known]
        lost = [{"row": row.id} for row in rows if row.source not in known]
        if again:
            connection.execute(
                update(EXPANSIONS).where(EXPANSIONS.c.id == bindparam("row")).values(**nothing), again
            )
        if lost:
            connection.execute(delete(EXPANSIONS).where(EXPANSIONS.c.id == bindparam("row")), lost)
        numbering.reset_numbers(connection, exploration, size)
        _forget_counts(connection, exploration, size)
    return whole


def _forget_counts(connection: Connection, exploration: ExplorationKey, source_size: int) -> None:
    """Forgets what was counted, without files, from the batches of a size that are not what they were."""
    counted = and_(
        EXPANSIONS.c.exploration_id == exploration.id,
        EXPANSIONS.c.work == Work.COUNT,
        EXPANSIONS.c.source_size == source_size,
    )
    _delete_expansions(connection, counted)


def _delete_expansions(connection: Connection, condition: ColumnElement[bool]) -> None:
    ids = select(EXPANSIONS.c.id).where(condition)
    connection.execute(delete(TALLIES).where(TALLIES.c.expansion_id.in_(ids)))
    connection.execute(delete(EXPANSIONS).where(condition))


@dataclass(frozen=True)
class Merged:
    """Batches that were merged, and the file that takes their place."""

    old: tuple[StoredBatch, ...]
    new: BatchFile


def replace_merged(
    database: Database, exploration: ExplorationKey, size: int, merged: Sequence[Merged]
) -> None:
    """Puts merged batches in the place of those that they are made of, and numbers the size again.

    Expansions of the old batches that were planned are forgotten with them.
    """
    with database.transaction() as connection:
        for each in merged:
            batches.delete_rows(connection, each.old)
            columns = batches.batch_columns(exploration, size, each.old[0].root_id, each.new)
            connection.execute(insert(BATCHES).values(**columns))
        numbering.take_numbers(connection, exploration, size)
        numbering.give_numbers(connection, exploration, size)
        planned = and_(EXPANSIONS.c.exploration_id == exploration.id, EXPANSIONS.c.source_size == size)
        connection.execute(delete(EXPANSIONS).where(planned))


def remove_sizes(database: Database, exploration: ExplorationKey, first: int) -> None:
    """Forgets the sizes from `first` on, and all that was counted from them; from 3 on, the exploration too.

    What was counted from smaller sizes stays: it needs no larger one.
    """
    everything = first <= SEED_SOURCE_SIZE + 1
    with database.transaction() as connection:
        stored = and_(EXPANSIONS.c.work == Work.STORE, EXPANSIONS.c.size >= first)
        derived = or_(stored, EXPANSIONS.c.source_size >= first, literal(everything))
        _delete_expansions(connection, and_(EXPANSIONS.c.exploration_id == exploration.id, derived))
        for table in (BATCHES, SIZES):
            gone = delete(table).where(table.c.exploration_id == exploration.id, table.c.size >= first)
            connection.execute(gone)
        if everything:
            connection.execute(delete(EXPLORATIONS).where(EXPLORATIONS.c.id == exploration.id))
