"""The numbers of batches: their places in the lexicographic order of a size.

A batch gets its number once everything before it is known, so that no number depends on the order in
which work was finished.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, and_, bindparam, func, select, update

from setset.database.models import Base, Batch, Expansion, Size, State, Work
from setset.tasks.kinds import SEED_SOURCE_SIZE


def these(exploration: int, work: Work, size: int, source_size: int) -> Any:
    """The expansions of one kind from one size to another, as a condition."""
    return and_(
        Expansion.exploration_id == exploration,
        Expansion.work == work,
        Expansion.size == size,
        Expansion.source_size == source_size,
    )


def number_batches(do: Connection, exploration: int, size: int) -> None:
    """Gives numbers to the batches before which nothing is missing, and notes when the size is complete."""
    mine = and_(Size.exploration_id == exploration, Size.size == size)
    numbered = do.scalar(select(Size.numbered).where(mine)) or 0
    planned = these(exploration, Work.STORE, size, size - 1)
    gap = do.scalar(
        select(Expansion.source)
        .where(planned, Expansion.source >= numbered, Expansion.state != State.DONE)
        .order_by(Expansion.source)
        .limit(1)
    )
    frontier = gap
    if frontier is None:
        frontier = (do.scalar(select(func.max(Expansion.source)).where(planned)) or 0) + 1
    if frontier > numbered:
        batches = and_(Batch.exploration_id == exploration, Batch.size == size)
        start = do.scalar(select(func.max(Batch.number) + 1).where(batches))
        give_numbers(do, exploration, size, start or 0, numbered, frontier)
        do.execute(update(Size).where(mine).values(numbered=frontier))
    if gap is None and frontier == _sources_if_complete(do, exploration, size - 1):
        do.execute(update(Size).where(mine).values(complete=True))


def _sources_if_complete(do: Connection, exploration: int, size: int) -> int | None:
    """How many batches a size has, if all of them are known."""
    if size == SEED_SOURCE_SIZE:
        return 1
    if not do.scalar(select(Size.complete).where(Size.exploration_id == exploration, Size.size == size)):
        return None
    mine = and_(Batch.exploration_id == exploration, Batch.size == size)
    return do.scalar(select(func.count()).select_from(Batch).where(mine))


def give_numbers(
    do: Connection, exploration: int, size: int, start: int, first: int, frontier: int | None
) -> None:
    """Numbers the batches from source `first` on and before source `frontier`, starting with `start`.

    What comes before `first` has its numbers, and is not looked at again.
    """
    waiting = (
        select(Batch.id)
        .where(Batch.exploration_id == exploration, Batch.size == size, Batch.number.is_(None))
        .where(Batch.first_source >= first)
        .order_by(Batch.first_source, Batch.first_part)
    )
    if frontier is not None:
        waiting = waiting.where(Batch.first_source < frontier)
    numbers = [
        {"batch": row.id, "place": place} for place, row in enumerate(do.execute(waiting).all(), start)
    ]
    if numbers:
        table = Base.metadata.tables[Batch.__tablename__]
        given = update(table).where(table.c.id == bindparam("batch")).values(number=bindparam("place"))
        do.execute(given, numbers)
