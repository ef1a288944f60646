"""The catalogue of classes: the tables `levels`, `classes` and `links`."""

from __future__ import annotations

from dataclasses import asdict, fields
from typing import Any

from sqlalchemy import delete, insert, select

from setset.database.batches import spell
from setset.database.connection import BadDatabase, Database, now
from setset.database.models import CLASSES, LEVELS, LINKS
from setset.symmetry.classes import Level, Link, ListClass, Totals

_INSERT_LINKS = "INSERT INTO links (size, smaller, larger, extensions, deletions) VALUES (?, ?, ?, ?, ?)"
"""Straight to the driver: there are 116,052 links, and SQLAlchemy would take longer than finding them."""


class DamagedCatalogue(BadDatabase):
    """Classes or links in the database are not those that were stored."""


def load_totals(database: Database) -> dict[int, Totals]:
    """The sizes that are in the catalogue."""
    columns = [LEVELS.c[field.name] for field in fields(Totals)]
    rows = database.query(select(*columns).order_by(LEVELS.c.size))
    return {row.size: Totals(**row._mapping) for row in rows}


def load_level(database: Database, size: int) -> Level | None:
    """The classes of a size and their links to the size before; None if they were never built.

    Raises DamagedCatalogue if some are missing or changed since.
    """
    promised = database.query(select(LEVELS.c.digest).where(LEVELS.c.size == size))
    if not promised:
        return None
    found = Level(size, _classes(database, size), _links(database, size))
    # SQLite does not notice every flipped bit, and a changed representative would pass for another list.
    if found.digest != promised[0].digest:
        raise DamagedCatalogue(
            f"the classes of size {size} in {database.folder.database} are damaged: "
            "run 'setset classes build --force'"
        )
    return found


def _classes(database: Database, size: int) -> tuple[ListClass, ...]:
    one = CLASSES.c
    rows = database.query(
        select(one.number, one.representative, one.stabilizer, one.extensions)
        .where(one.size == size)
        .order_by(one.number)
    )
    return tuple(
        ListClass(
            size, row.number, tuple(map(int, row.representative.split())), row.stabilizer, row.extensions
        )
        for row in rows
    )


def _links(database: Database, size: int) -> tuple[Link, ...]:
    link = LINKS.c
    rows = database.query(
        select(link.smaller, link.larger, link.extensions, link.deletions)
        .where(link.size == size)
        .order_by(link.smaller, link.larger)
    )
    return tuple(Link(**row._mapping) for row in rows)


def store_level(database: Database, level: Level, game_classes: list[int]) -> Totals:
    """Stores a size in the place of what is stored of it, in one transaction.

    `game_classes` are those of each class.
    """
    size, found = level.size, Totals.of(level, sum(game_classes))
    sealed = {"hands": found.hands, "digest": level.digest, "built_at": now()}
    with database.transaction() as connection:
        for table in (LINKS, CLASSES, LEVELS):
            connection.execute(delete(table).where(table.c.size == size))
        connection.execute(insert(LEVELS).values(**asdict(found), **sealed))
        connection.execute(
            insert(CLASSES), [_row(*pair) for pair in zip(level.classes, game_classes, strict=True)]
        )
        if level.links:
            connection.exec_driver_sql(_INSERT_LINKS, [(size, *link) for link in level.links])
    return found


def _row(one: ListClass, game_classes: int) -> dict[str, Any]:
    return {
        "size": one.size,
        "number": one.number,
        "representative": spell(one.cards),
        "stabilizer": one.stabilizer,
        "lists": one.lists,
        "extensions": one.extensions,
        "complete": one.complete,
        "game_classes": game_classes,
    }
