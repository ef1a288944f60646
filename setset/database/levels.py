"""The catalogue of classes: the tables `levels`, `classes` and `links`."""

from collections.abc import Sequence
from dataclasses import asdict, fields
from typing import Any

import numpy as np
from sqlalchemy import Table, delete, select

from setset.database.batches import spell
from setset.database.connection import BadDatabase, Database, checksum, now
from setset.database.models import CLASSES, LEVELS, LINKS
from setset.symmetry.classes import Level, Link, Links, ListClass, Totals


class DamagedCatalogue(BadDatabase):
    """Classes or links in the database were changed after they were stored."""


def load_totals(database: Database) -> dict[int, Totals]:
    """Loads the totals of each size in the catalogue."""
    rows = database.query(select(LEVELS).order_by(LEVELS.c.size))
    for row in rows:
        if row.checksum != checksum(LEVELS, row._mapping):
            raise _damaged(database, row.size)
    names = [field.name for field in fields(Totals)]
    return {row.size: Totals(**{name: row._mapping[name] for name in names}) for row in rows}


def load_level(database: Database, size: int) -> Level | None:
    """Loads the classes of a size and their links to the classes with one card less. None if they were never built.

    Raises DamagedCatalogue if classes or links are missing or were changed.
    """
    digests = database.query(select(LEVELS.c.digest).where(LEVELS.c.size == size))
    if not digests:
        return None
    column, link = CLASSES.c, LINKS.c
    classes = database.query(
        select(column.number, column.representative, column.stabilizer, column.extensions)
        .where(column.size == size)
        .order_by(column.number)
    )
    links = database.query(
        select(link.smaller, link.larger, link.extensions, link.deletions)
        .where(link.size == size)
        .order_by(link.smaller, link.larger)
    )
    members = tuple(
        ListClass(size, row.number, tuple(map(int, row.representative.split())), row.stabilizer, row.extensions)
        for row in classes
    )
    level = Level(size, members, Links(list(map(tuple, links))))
    # SQLite does not notice every flipped bit, and a changed representative would pass for another list.
    if level.digest != digests[0].digest:
        raise _damaged(database, size)
    return level


def _damaged(database: Database, size: int) -> DamagedCatalogue:
    where = f"the classes of size {size} in {database.folder.database}"
    return DamagedCatalogue(f"{where} are damaged: run 'setset classes build --force'")


def store_level(database: Database, level: Level, game_classes: list[int]) -> Totals:
    """Stores the classes and links of a size in one transaction, replacing earlier rows.

    `game_classes` has, for each class, the number of classes that it splits into under the game's own symmetries.
    """
    size, totals = level.size, Totals.of(level, sum(game_classes))
    sealed = {"hands": totals.hands, "digest": level.digest, "built_at": now()}
    classes = [
        (
            size,
            list_class.number,
            spell(list_class.cards),
            list_class.stabilizer,
            list_class.lists,
            list_class.extensions,
            list_class.complete,
            games,
        )
        for list_class, games in zip(level.classes, game_classes, strict=True)
    ]
    with database.transaction():
        for table in (LINKS, CLASSES, LEVELS):
            database.execute(delete(table).where(table.c.size == size))
        database.insert(LEVELS, [{**asdict(totals), **sealed}])
        _insert(database, CLASSES, CLASSES.columns.keys(), classes)
        # Sorted by primary key, so that each row is appended at the end of the table.
        links = level.links.rows[np.argsort(level.links.rows[:, 1], kind="stable")]
        _insert(database, LINKS, ("size", *Link._fields), [(size, *row) for row in links.tolist()])
    return totals


def _insert(database: Database, table: Table, columns: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> None:
    """Inserts rows through the driver, since SQLAlchemy takes longer to insert 116,052 links than to compute them."""
    values = ", ".join("?" * len(columns))
    statement = f"INSERT INTO {table.name} ({', '.join(columns)}) VALUES ({values})"  # noqa: S608
    if rows:
        database.connection.exec_driver_sql(statement, list(rows))
