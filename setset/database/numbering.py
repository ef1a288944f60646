"""The numbers of batches: the position of each in the lexicographic order of its size.

A batch gets its number once everything before it is known. So no number depends on the order in which work was
finished.
"""

from __future__ import annotations

from itertools import accumulate
from typing import NamedTuple

from sqlalchemy import Connection, bindparam, func, select, update

from setset.batches.records import NO_SOURCE
from setset.database import batches, explorations
from setset.database.connection import Database
from setset.database.explorations import ExplorationKey, SizeRecord
from setset.database.models import BATCHES, EXPANSIONS, SIZES, Work
from setset.tasks.kinds import SEED_SOURCE_SIZE


class NumberedBatch(NamedTuple):
    """The number of a batch, how many lists it has, and the digest of its file."""

    number: int
    lists: int
    digest: str


def renumber(database: Database, exploration: ExplorationKey, size: SizeRecord) -> None:
    """Gives the batches of a size their numbers again, as far as nothing before them is missing."""
    with database.transaction() as connection:
        reset_numbers(connection, exploration, size.size)
        number_batches(connection, exploration, size.size)


# For the modules of this package


def read_numbered(connection: Connection, exploration: ExplorationKey, size: int) -> list[NumberedBatch]:
    """The batches of a size that have their numbers, in order; the seeds have one source, which is empty."""
    return (
        [NumberedBatch(0, 0, NO_SOURCE)]
        if size == SEED_SOURCE_SIZE
        else [
            NumberedBatch(*row)
            for row in connection.execute(
                select(BATCHES.c.number, BATCHES.c.lists, BATCHES.c.digest)
                .where(batches.numbered_at(exploration, size))
                .order_by(BATCHES.c.number)
            )
        ]
    )


def reset_numbers(connection: Connection, exploration: ExplorationKey, size: int) -> None:
    """Takes the numbers of all batches of a size, which is not complete until they have them again."""
    take_numbers(connection, exploration, size)
    again = update(SIZES).where(explorations.at_size(exploration, size))
    connection.execute(again.values(numbered=0, complete=False))


def take_numbers(connection: Connection, exploration: ExplorationKey, size: int) -> None:
    """Leaves the batches of a size without numbers."""
    none = update(BATCHES).where(batches.at_size(exploration, size))
    connection.execute(none.values(number=None, lists_before=None))


def number_batches(connection: Connection, exploration: ExplorationKey, size: int) -> list[NumberedBatch]:
    """Gives numbers to the batches before which nothing is missing, and records whether the size is complete.

    Returns the batches that got their numbers.
    """
    mine = explorations.at_size(exploration, size)
    row = connection.execute(select(SIZES).where(mine)).first()
    if row is None:
        return []
    planned = (EXPANSIONS.c.exploration_id == exploration.id) & (EXPANSIONS.c.work == Work.STORE)
    planned &= (EXPANSIONS.c.size == size) & (EXPANSIONS.c.source_size == row.source_size)
    gap = connection.scalar(
        select(EXPANSIONS.c.source)
        .where(planned, EXPANSIONS.c.source >= row.numbered, EXPANSIONS.c.batches_out.is_(None))
        .order_by(EXPANSIONS.c.source)
        .limit(1)
    )
    end = gap
    if end is None:
        last = connection.scalar(select(func.max(EXPANSIONS.c.source)).where(planned))
        end = 0 if last is None else last + 1
    fresh = give_numbers(connection, exploration, size, row.numbered, end) if end > row.numbered else []
    complete = gap is None and end == _sources_if_complete(connection, exploration, row.source_size)
    if (max(end, row.numbered), complete) != (row.numbered, row.complete):
        noted = {"numbered": max(end, row.numbered), "complete": complete}
        connection.execute(update(SIZES).where(mine).values(**noted))
    return fresh


def _sources_if_complete(connection: Connection, exploration: ExplorationKey, size: int) -> int | None:
    """How many batches a size has, if all of them are known."""
    if size == SEED_SOURCE_SIZE:
        return 1
    if not connection.scalar(select(SIZES.c.complete).where(explorations.at_size(exploration, size))):
        return None
    known = select(func.count()).select_from(BATCHES).where(batches.at_size(exploration, size))
    return connection.scalar(known)


def give_numbers(
    connection: Connection, exploration: ExplorationKey, size: int, first: int = 0, end: int | None = None
) -> list[NumberedBatch]:
    """Numbers the batches from source `first` on and before source `end`.

    What comes before `first` has its numbers, and is not looked at again.
    """
    number, before = _next_number(connection, exploration, size)
    waiting = (
        select(BATCHES.c.id, BATCHES.c.lists, BATCHES.c.digest)
        .where(
            batches.at_size(exploration, size), BATCHES.c.number.is_(None), BATCHES.c.first_source >= first
        )
        .order_by(BATCHES.c.first_source, BATCHES.c.first_part)
    )
    if end is not None:
        waiting = waiting.where(BATCHES.c.first_source < end)
    rows = connection.execute(waiting).all()
    sums = accumulate((row.lists for row in rows), initial=before)
    numbers = [
        {"batch": row.id, "new": new, "passed": passed}
        for new, (row, passed) in enumerate(zip(rows, sums, strict=False), number)
    ]
    if numbers:
        given = update(BATCHES).where(BATCHES.c.id == bindparam("batch"))
        given = given.values(number=bindparam("new"), lists_before=bindparam("passed"))
        connection.execute(given, numbers)
    return [NumberedBatch(new, row.lists, row.digest) for new, row in enumerate(rows, number)]


def _next_number(connection: Connection, exploration: ExplorationKey, size: int) -> tuple[int, int]:
    """The number of the next batch to get one, and how many lists come before it."""
    last = (
        select(BATCHES.c.number, BATCHES.c.lists_before, BATCHES.c.lists)
        .where(batches.at_size(exploration, size), BATCHES.c.number.is_not(None))
        .order_by(BATCHES.c.number.desc())
        .limit(1)
    )
    for row in connection.execute(last):
        return row.number + 1, (row.lists_before or 0) + row.lists
    return 0, 0
