"""What the views say, which people query too: progress, counts, throughput, defects."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

from sqlalchemy import Row, text

from setset.database.connection import Database, damaged
from setset.database.models import Work

MOST_PROBLEMS = 100
"""Of each kind, that are shown."""


@dataclass(frozen=True)
class StageProgress:
    """A row of `progress`, and how many workers the expansions had beside them, on average."""

    target: int
    size: int
    work: Work
    source_size: int
    sources: int
    expanded: int
    running: int
    failed: int
    batches: int | None
    defects: int | None
    lists: int | None
    bytes: int | None
    source_lists: int | None
    source_lists_done: int
    lists_out: int | None
    seconds: float | None
    complete: bool
    pruned: bool
    workers: float


@dataclass(frozen=True)
class RunningExpansion:
    """An expansion that a run has claimed."""

    target: int
    size: int
    source: int
    source_size: int
    attempts: int
    host: str | None
    pid: int | None


@dataclass(frozen=True)
class Defect:
    """A row of `defects`."""

    target: int
    size: int
    path: str
    what: str


@dataclass(frozen=True)
class Throughput:
    """What a host has done of one size, and how fast one of its workers was."""

    target: int
    size: int
    work: str
    host: str
    expansions: int
    lists: int
    seconds: float
    lists_per_second: float | None
    last_finished: str


@dataclass(frozen=True)
class FinishedWork:
    """An expansion that was done: by which process, from when to when."""

    target: int
    size: int
    work: str
    source_size: int
    source: int
    host: str | None
    pid: int | None
    lists: int
    seconds: float
    started_at: str
    finished_at: str


@dataclass(frozen=True)
class CountedSize:
    """A row of `counts`."""

    target: int
    size: int
    lists: int
    complete: bool
    origin: str
    pruned: bool


_Found = TypeVar("_Found")
_More = ParamSpec("_More")


def _or_damaged(
    ask: Callable[Concatenate[Database, _More], _Found],
) -> Callable[Concatenate[Database, _More], _Found]:
    """What a view says that is not what it is made to say is damage: SQLite takes any text for a view."""

    @wraps(ask)
    def asked(database: Database, /, *more: _More.args, **named: _More.kwargs) -> _Found:
        try:
            return ask(database, *more, **named)
        except (ValueError, TypeError, AttributeError) as error:
            raise damaged(database.folder.database, error) from error

    return asked


@_or_damaged
def progress(database: Database) -> list[StageProgress]:
    """How far each size of each target is."""
    workers = _workers_beside(database)
    found = []
    for row in database.query(text("SELECT * FROM progress")):
        values = dict(row._mapping)
        key = (row.target, row.work, row.size, row.source_size)
        values.update(work=Work(row.work), complete=bool(row.complete), workers=workers.get(key, 1.0))
        values.update(pruned=bool(row.pruned))
        found.append(StageProgress(**values))
    return found


def _workers_beside(database: Database) -> dict[tuple[int, str, int, int], float]:
    found = text(
        "SELECT x.target, e.work, e.size, e.source_size, SUM(e.seconds * r.workers) / SUM(e.seconds) AS workers "
        "FROM expansions e JOIN explorations x ON x.id = e.exploration_id JOIN runs r ON r.id = e.run_id "
        "WHERE e.seconds > 0 AND r.workers > 0 GROUP BY e.exploration_id, e.work, e.size, e.source_size"
    )
    return {(row.target, row.work, row.size, row.source_size): row.workers for row in database.query(found)}


@_or_damaged
def running(database: Database, target: int | None = None) -> list[RunningExpansion]:
    """The expansions that are claimed, by the run that is under way or by one that was killed."""
    found = text(
        "SELECT x.target, e.size, e.source, e.source_size, e.attempts, r.host, r.pid FROM expansions e "
        "JOIN explorations x ON x.id = e.exploration_id LEFT JOIN runs r ON r.id = e.run_id "
        "WHERE e.state = 'running' AND x.target = COALESCE(:target, x.target) "
        "ORDER BY e.size, e.source LIMIT :most"
    )
    rows = database.query(found.bindparams(target=target, most=MOST_PROBLEMS))
    return [RunningExpansion(**row._mapping) for row in rows]


@_or_damaged
def defects(database: Database, target: int | None = None) -> list[Defect]:
    """Batches with a known defect and expansions that failed."""
    found = text(
        "SELECT target, size, path, what FROM defects WHERE target = COALESCE(:target, target) LIMIT :most"
    )
    rows = database.query(found.bindparams(target=target, most=MOST_PROBLEMS))
    records = [Defect(**row._mapping) for row in rows]
    if not all(isinstance(each.path, str) and isinstance(each.what, str) for each in records):
        # SQLite does not notice that a table has the page of another one.
        raise damaged(database.folder.database, "a defect is not text")
    return records


@_or_damaged
def throughput(database: Database) -> list[Throughput]:
    """What each host has done; what is known from files alone has no host."""
    found = text(
        "SELECT target, size, work, host, expansions, COALESCE(lists, 0) AS lists, "
        "COALESCE(seconds, 0.0) AS seconds, lists_per_second, last_finished "
        "FROM throughput WHERE host IS NOT NULL"
    )
    return [Throughput(**row._mapping) for row in database.query(found)]


@_or_damaged
def finished_work(database: Database) -> list[FinishedWork]:
    """The expansions that were done, in the order of their sources; what is known from files alone has no times."""
    found = text(
        "SELECT x.target, e.size, e.work, e.source_size, e.source, e.host, e.pid, "
        "COALESCE(e.lists_out, 0) AS lists, e.seconds, e.started_at, e.finished_at FROM expansions e "
        "JOIN explorations x ON x.id = e.exploration_id "
        "WHERE e.state = 'done' AND e.seconds IS NOT NULL AND e.finished_at IS NOT NULL "
        "ORDER BY x.target, e.size, e.work, e.source_size, e.source"
    )
    return [FinishedWork(**{**row._mapping, **_when(row)}) for row in database.query(found)]


def _when(row: Row[Any]) -> dict[str, str]:
    """From when to when, by the clock of the worker; for work of old versions, by when it was recorded."""
    took = datetime.timedelta(seconds=row.seconds)
    if row.started_at is None:
        start = datetime.datetime.fromisoformat(row.finished_at) - took
    else:
        start = datetime.datetime.fromisoformat(row.started_at)
    times = {"started_at": start, "finished_at": start + took}
    return {name: time.isoformat(timespec="milliseconds") for name, time in times.items()}


@_or_damaged
def counts(database: Database) -> list[CountedSize]:
    """How many lists of each size are kept for each target."""
    found = text("SELECT target, size, lists, complete, origin, pruned FROM counts")
    return [
        CountedSize(row.target, row.size, row.lists, bool(row.complete), row.origin, bool(row.pruned))
        for row in database.query(found)
    ]


@_or_damaged
def class_sums(database: Database) -> dict[int, int]:
    """The lists of each size that is in the catalogue."""
    return {row.size: row.lists for row in database.query(text("SELECT size, lists FROM catalogue"))}
