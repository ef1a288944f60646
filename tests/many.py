"""A database as a large exploration has it, made in bulk, and what it costs to ask it something."""

from __future__ import annotations

import sqlite3
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

from sqlalchemy import Engine, event

from setset.batches.records import combine_digests
from setset.cards import Cards
from setset.database.connection import connect
from setset.folder import WorkspaceFolder
from tests.small import writing

TARGET, SIZE, LISTS = 16, 6, 20_000_000
"""Each batch of size 6 has as many lists as it may: list number 10^12 is in batch 50,000."""
DIGEST = "%032x"
STEPS = 100
"""Of SQLite's machine, that are counted as one."""


def make(path: Path, count: int) -> WorkspaceFolder:
    """A complete exploration with `count` batches and expansions, half of them of size 6 and half of size 5."""
    path.mkdir()
    with writing(path):
        pass
    half = count // 2
    with closing(connect(path / "setset.db", "rw")) as connection, connection:
        connection.execute(
            "INSERT INTO explorations (id, target, created_at) VALUES (1, ?, 'then')", (TARGET,)
        )
        connection.execute("INSERT INTO storage_roots (id, path, created_at) VALUES (1, 'batches', 'then')")
        connection.executemany(
            "INSERT INTO sizes (exploration_id, size, source_size, batch_lists, numbered, complete) "
            "VALUES (1, ?, ?, ?, ?, 1)",
            [(size, size - 1, LISTS, half) for size in (SIZE - 1, SIZE)],
        )
        for size in (SIZE - 1, SIZE):
            _insert(connection, size, half)
    return WorkspaceFolder(path)


def _insert(connection: sqlite3.Connection, size: int, count: int) -> None:
    connection.executemany(
        "INSERT INTO batches (exploration_id, size, number, lists_before, first_source, first_part, last_source, "
        "last_part, ends_source, lists, first_list, last_list, root_id, path, bytes, digest, source_digest) "
        "VALUES (1, ?, ?, ?, ?, 0, ?, 0, 1, ?, ?, ?, 1, ?, 9, ?, ?)",
        (
            (
                *(size, number, number * LISTS, number, number, LISTS),
                *(" ".join(map(str, each)) for each in (first_of(number), first_of(number))),
                f"t{TARGET}/s{size:02d}/{number:07d}-000.setset",
                DIGEST % number,
                combine_digests([DIGEST % number]),
            )
            for number in range(count)
        ),
    )
    connection.executemany(
        "INSERT INTO expansions (exploration_id, work, size, source_size, source, state, attempts, lists_in, "
        "lists_out, batches_out, bytes_out) VALUES (1, 'store', ?, ?, ?, 'done', 1, ?, ?, 1, 9)",
        ((size, size - 1, number, LISTS, LISTS) for number in range(count)),
    )


def first_of(number: int) -> Cards:
    """The only list of a batch that anybody looks at: these are in the order of the numbers."""
    return (number // 6400, 10 + number // 80 % 80, 100 + number % 80)


@dataclass
class Cost:
    """What was done: steps of SQLite's machine, in hundreds, and calls of Python functions."""

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
    """What an action costs that opens the database itself."""
    cost = Cost()
    with measured(cost):
        action()
    return cost
