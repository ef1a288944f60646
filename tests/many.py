"""A database as a large exploration has it, made in bulk, and what it costs to ask it something."""

from __future__ import annotations

import sqlite3
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

from sqlalchemy import Engine, Table, event

from setset.batches.records import NO_SOURCE
from setset.cards import Cards
from setset.database.connection import checksum, connect
from setset.database.models import BATCHES, EXPANSIONS
from setset.database.rows import accept, altered_rows
from setset.folder import WorkspaceFolder
from setset.tasks.kinds import SEED_SOURCE_SIZE
from tests.small import writing

TARGET, SIZE, LISTS = 16, 6, 20_000_000
"""Each batch of size 6 has as many lists as it may: list number 10^11 is in batch 5,000."""
DIGEST = "%032x"
STEPS = 100
"""Number of steps of SQLite's machine per count."""


def make(path: Path, count: int) -> WorkspaceFolder:
    """A complete exploration with `count` batches: half of size 5, from the seeds, and one of size 6 from each."""
    path.mkdir()
    with writing(path):
        pass
    sources_count = count // 2
    with closing(connect(path / "setset.db", "rw")) as connection, connection:
        connection.execute(
            "INSERT INTO explorations (id, target, created_at, pruned, checksum) VALUES (1, ?, 'then', 0, 0)", (TARGET,)
        )
        connection.execute(
            "INSERT INTO storage_roots (id, path, created_at, checksum) VALUES (1, 'batches', 'then', 0)"
        )
        connection.executemany(
            "INSERT INTO sizes (exploration_id, size, source_size, batch_lists, numbered, checksum) "
            "VALUES (1, ?, ?, ?, ?, 0)",
            [(SIZE - 1, SEED_SOURCE_SIZE, LISTS, 1), (SIZE, SIZE - 1, LISTS, sources_count)],
        )
        _insert_rows(
            connection,
            BATCHES,
            (_batch(SIZE - 1, 0, n, n, n == sources_count - 1, NO_SOURCE) for n in range(sources_count)),
        )
        _insert_rows(connection, BATCHES, (_batch(SIZE, n, 0, n, True, DIGEST % n) for n in range(sources_count)))
        _insert_rows(connection, EXPANSIONS, [_expansion(SIZE - 1, SEED_SOURCE_SIZE, 0, 0, sources_count, NO_SOURCE)])
        sources = (_expansion(SIZE, SIZE - 1, n, LISTS, 1, DIGEST % n) for n in range(sources_count))
        _insert_rows(connection, EXPANSIONS, sources)
    with writing(path) as database:
        accept(database, [row for row in altered_rows(database) if row.is_structure])
    return WorkspaceFolder(path)


def _batch(size: int, source: int, part: int, number: int, is_last: bool, source_digest: str) -> dict[str, object]:
    return {
        "exploration_id": 1,
        "size": size,
        "number": number,
        **dict.fromkeys(("first_source", "last_source"), source),
        **dict.fromkeys(("first_part", "last_part"), part),
        "ends_source": int(is_last),
        "lists": LISTS,
        **dict.fromkeys(("first_list", "last_list"), " ".join(map(str, first_of(number)))),
        "root_id": 1,
        "path": f"t{TARGET}/s{size:02d}/{source:07d}-{part:03d}.setset",
        "bytes": 9,
        "digest": DIGEST % number,
        "source_digest": source_digest,
    }


def _expansion(size: int, source_size: int, source: int, lists_in: int, batches: int, digest: str) -> dict[str, object]:
    row = {"exploration_id": 1, "work": "store", "size": size, "source_size": source_size, "source": source}
    row |= {"state": "done", "attempts": 1, "lists_in": lists_in, "lists_out": batches * LISTS, "batches_out": batches}
    return {**row, "bytes_out": 9 * batches, "source_digest": digest}


def _insert_rows(connection: sqlite3.Connection, table: Table, rows: Iterable[dict[str, object]]) -> None:
    """Inserts rows of the same columns, with their checksums."""
    first, *rest = rows
    names = (*first, "checksum")
    connection.executemany(
        f"INSERT INTO {table.name} ({', '.join(names)}) VALUES ({', '.join('?' * len(names))})",
        ((*row.values(), checksum(table, row)) for row in (first, *rest)),
    )


def first_of(number: int) -> Cards:
    """The only list of a batch that anybody looks at: these are in the order of the numbers."""
    return (number // 6400, 10 + number // 80 % 80, 100 + number % 80)


@dataclass
class Cost:
    """Work done: steps of SQLite's machine, in hundreds, and calls of Python functions."""

    steps: int = 0
    calls: int = 0


@contextmanager
def measured(cost: Cost) -> Iterator[None]:
    """Counts what is done in connections that are opened within, and by this thread."""

    def step() -> int:
        cost.steps += 1
        return 0

    def listen(connection: sqlite3.Connection, _record: object) -> None:
        connection.set_progress_handler(step, STEPS)

    def call(_frame: FrameType, kind: str, _argument: object) -> None:
        if kind == "call":
            cost.calls += 1

    event.listen(Engine, "connect", listen)
    sys.setprofile(call)
    try:
        yield
    finally:
        sys.setprofile(None)
        event.remove(Engine, "connect", listen)


def cost_of(action: Callable[[], object]) -> Cost:
    """Cost of an action that opens the database itself."""
    cost = Cost()
    with measured(cost):
        action()
    return cost
