"""The catalogue of classes: the tables `levels`, `classes` and `links`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, fields
from itertools import chain

import numpy as np
from sqlalchemy import Connection, Table, delete, insert, select

from setset.database.batches import spell
from setset.database.connection import BadDatabase, Database, now
from setset.database.models import CLASSES, LEVELS, LINKS
from setset.symmetry.classes import Level, Link, Links, ListClass, Totals

_VALUES_AT_ONCE = 800
"""In one statement, which takes half of the time of one a row. SQLite may have been built for 999 at most."""


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


def _links(database: Database, size: int) -> Links:
    link = LINKS.c
    rows = database.query(
        select(link.smaller, link.larger, link.extensions, link.deletions)
        .where(link.size == size)
        .order_by(link.smaller, link.larger)
    )
    return Links(list(map(tuple, rows)))


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
        classes = chain.from_iterable(map(_row, level.classes, game_classes))
        _insert(connection, CLASSES, CLASSES.columns.keys(), list(classes))
        # In the order of the primary key each goes to the end of the table.
        links = level.links.rows[np.argsort(level.links.rows[:, 1], kind="stable")]
        links = np.insert(links, 0, size, axis=1)
        _insert(connection, LINKS, ("size", *Link._fields), links.ravel().tolist())
    return found


def _insert(connection: Connection, table: Table, columns: Sequence[str], values: Sequence[object]) -> None:
    """Rows, one value after the other. Straight to the driver: there are 116,052 links, and SQLAlchemy would take
    longer than finding them."""
    head = f"INSERT INTO {table.name} ({', '.join(columns)}) VALUES "  # noqa: S608
    row = f"({', '.join('?' * len(columns))})"
    at_once = _VALUES_AT_ONCE // len(columns) * len(columns)
    for start in range(0, len(values), at_once):
        some = tuple(values[start : start + at_once])
        connection.exec_driver_sql(head + ", ".join([row] * (len(some) // len(columns))), some)


def _row(one: ListClass, game_classes: int) -> tuple[object, ...]:
    """A row of the table `classes`."""
    return (
        one.size,
        one.number,
        spell(one.cards),
        one.stabilizer,
        one.lists,
        one.extensions,
        one.complete,
        game_classes,
    )
