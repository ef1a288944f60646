"""Every query of the catalogue. As in `store`, ORM objects never leave this module; levels and totals do."""

from __future__ import annotations

import json
from dataclasses import asdict, fields
from typing import Any

import xxhash
from sqlalchemy import delete, insert, select

from setset.database.models import CatalogueClass, CatalogueLevel, CatalogueLink
from setset.database.schema import BadDatabase
from setset.database.store import Store, now, spell
from setset.symmetry.classes import Level, Link, ListClass, Totals

_INSERT_LINKS = "INSERT INTO links (size, smaller, larger, extensions, deletions) VALUES (?, ?, ?, ?, ?)"
"""Straight to the driver: there are 116,052 links, and SQLAlchemy would take longer than finding them."""


class Damaged(BadDatabase):
    """Classes or links in the database are not those that were stored."""


def totals(store: Store) -> dict[int, Totals]:
    """The sizes that are in the catalogue."""
    columns = [getattr(CatalogueLevel, field.name) for field in fields(Totals)]
    rows = store.query(select(*columns).order_by(CatalogueLevel.size))
    return {row.size: Totals(**row._mapping) for row in rows}


def level(store: Store, size: int) -> Level | None:
    """The classes of a size and their links to the size before; None if they were never built.

    Raises Damaged if some are missing or changed since.
    """
    promised = store.query(select(CatalogueLevel.digest).where(CatalogueLevel.size == size))
    if not promised:
        return None
    found = Level(size, _classes(store, size), _links(store, size))
    if _digest(found) != promised[0].digest:
        raise Damaged(
            f"the classes of size {size} in {store.workspace.database} are damaged: "
            "run 'setset classes build --anew'"
        )
    return found


def _digest(level: Level) -> str:
    # SQLite does not notice every flipped bit, and a changed representative would pass for another list.
    classes = [(one.cards, one.stabilizer, one.extensions) for one in level.classes]
    return xxhash.xxh3_128_hexdigest(json.dumps([level.size, classes, level.links]).encode())


def _classes(store: Store, size: int) -> tuple[ListClass, ...]:
    one = CatalogueClass
    rows = store.query(
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


def _links(store: Store, size: int) -> tuple[Link, ...]:
    link = CatalogueLink
    rows = store.query(
        select(link.smaller, link.larger, link.extensions, link.deletions)
        .where(link.size == size)
        .order_by(link.smaller, link.larger)
    )
    return tuple(Link(**row._mapping) for row in rows)


def put(store: Store, level: Level, game_classes: list[int]) -> Totals:
    """Stores a size in the place of what is stored of it, in one transaction.

    `game_classes` are those of each class.
    """
    size, found = level.size, Totals.of(level, sum(game_classes))
    sealed = {"hands": found.hands, "digest": _digest(level), "built_at": now()}
    with store.transaction() as do:
        for table in (CatalogueLink, CatalogueClass, CatalogueLevel):
            do.execute(delete(table).where(table.size == size))
        do.execute(insert(CatalogueLevel).values(**asdict(found), **sealed))
        do.execute(
            insert(CatalogueClass), [_row(*pair) for pair in zip(level.classes, game_classes, strict=True)]
        )
        if level.links:
            do.exec_driver_sql(_INSERT_LINKS, [(size, *link) for link in level.links])
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
