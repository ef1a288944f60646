"""The history: a row of the table `runs` for every command that writes, with its outcome."""

import contextlib
import os
import socket
from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any, Final

from sqlalchemy import func, select

from setset import __version__
from setset.database.connection import Database, now, replaced
from setset.database.models import RUNS
from setset.errors import BadInput, SetsetError

NAMED: Final = 10
"""Maximum number of repaired things that the history names; it counts the others."""


@dataclass(frozen=True)
class Run:
    """One invocation that wrote to the workspace."""

    id: int
    command: str
    version: str
    host: str
    pid: int
    workers: int
    started_at: str
    finished_at: str | None
    outcome: str | None
    """None while it is under way; done, killed, the error, or `refused: ` and why."""
    repaired: str | None
    """Files and expansions that it made again, and why; None if there was nothing to repair."""
    batches_added: int
    lists_added: int
    lists_counted: int
    bytes_added: int


@contextlib.contextmanager
def record_run(database: Database, command: str, workers: int) -> Iterator[int]:
    """Records a run that lasts as long as the context; gives its id."""
    run_id = _begin(database, command, workers)
    outcome = "failed"
    try:
        yield run_id
        outcome = "done"
    except KeyboardInterrupt:
        outcome = "interrupted"
        raise
    except SetsetError as error:
        outcome = _refused(error) if isinstance(error, BadInput) else str(error)
        raise
    finally:
        # A full disk or a damaged database must not hide what went wrong before.
        with contextlib.suppress(*([] if outcome == "done" else [SetsetError])):
            _end(database, run_id, outcome)


def record_refusal(database: Database, command: str, error: BadInput) -> None:
    """Records a run that was refused before it began."""
    _end(database, _begin(database, command, 0), _refused(error))


def _refused(error: BadInput) -> str:
    return f"refused: {error}"


def set_workers(database: Database, run_id: int, workers: int) -> None:
    """Records how many workers a run has now."""
    with database.transaction():
        database.change(RUNS, [RUNS.c.id == run_id], {"workers": workers})


def latest(database: Database, limit: int) -> list[Run]:
    """The last runs, newest first."""
    columns = [RUNS.c[field.name] for field in fields(Run)]
    query = select(*columns).order_by(RUNS.c.id.desc()).limit(limit)
    return database.read(query, lambda row: Run(**row._mapping))


def get(database: Database, run_id: int) -> Run:
    """The record of the run that has just ended."""
    for run in latest(database, 1):
        if run.id == run_id:
            return run
    raise replaced(database.folder.database, f"run {run_id} is not recorded")


def last_id(database: Database) -> int:
    """The id of the run that is under way, or of the last one; 0 if there was none."""
    return int(database.query(select(func.max(RUNS.c.id)))[0][0] or 0)


def require_recorded(database: Database, run_id: int) -> None:
    """Refuses a database that does not know the run that is under way: an older copy was put in its place."""
    if not database.query(select(RUNS.c.id).where(RUNS.c.id == run_id)):
        raise replaced(database.folder.database, f"run {run_id} is not recorded")


def last_workers(database: Database) -> int:
    """The workers of the run that is under way, or of the last one."""
    with_workers = select(RUNS.c.workers).where(RUNS.c.workers > 0).order_by(RUNS.c.id.desc()).limit(1)
    return next((int(row.workers) for row in database.query(with_workers)), 1)


def _begin(database: Database, command: str, workers: int) -> int:
    fresh: dict[str, Any] = {
        "command": command.encode(errors="backslashreplace").decode(),
        "version": __version__,
        "host": socket.gethostname(),
        "pid": os.getpid(),
        "workers": workers,
        "started_at": now(),
        **dict.fromkeys(("batches_added", "lists_added", "lists_counted", "bytes_added"), 0),
    }
    with database.transaction():
        database.change(RUNS, [RUNS.c.outcome.is_(None)], {"outcome": "killed"})
        database.insert(RUNS, [fresh])
        return int(database.query(select(func.max(RUNS.c.id)))[0][0])


def _end(database: Database, run_id: int, outcome: str) -> None:
    found = database.repaired
    more = f" and {len(found) - NAMED:,} more" if len(found) > NAMED else ""
    repaired = ", ".join(found[:NAMED]) + more or None
    with database.transaction():
        outcome = outcome.encode(errors="backslashreplace").decode()  # a file may have any bytes for its name
        values = {"outcome": outcome, "repaired": repaired, "finished_at": now()}
        database.change(RUNS, [RUNS.c.id == run_id], values)
