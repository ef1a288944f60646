"""The history of a workspace: its table `runs` has a row for every command that writes, with the outcome."""

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
"""Maximum number of repaired files and expansions that a run records by name. Of all others, it records only the
number."""


@dataclass(frozen=True)
class Run:
    """A command that wrote to the workspace, or was refused: a row of the history."""

    id: int
    command: str
    version: str
    host: str
    pid: int
    workers: int
    started_at: str
    finished_at: str | None
    outcome: str | None
    """done, interrupted, killed, failed, the error, or `refused: ` and the reason. None while the run is under way."""
    repaired: str | None
    """Files and expansions that the run made again, with reasons. None if there was nothing to repair."""
    batches_added: int
    lists_added: int
    lists_counted: int
    bytes_added: int


@contextlib.contextmanager
def record_run(database: Database, command: str, workers: int) -> Iterator[int]:
    """Records the block as a run, with its outcome. Yields the id of the run."""
    run_id = _begin(database, command, workers)
    outcome = "failed"
    try:
        yield run_id
        outcome = "done"
    except KeyboardInterrupt:
        outcome = "interrupted"
        raise
    except SetsetError as error:
        outcome = f"refused: {error}" if isinstance(error, BadInput) else str(error)
        raise
    finally:
        # A full disk or a corrupted database must not hide the error of the run.
        with contextlib.suppress(*([] if outcome == "done" else [SetsetError])):
            _end(database, run_id, outcome)


def record_refusal(database: Database, command: str, error: BadInput) -> None:
    """Records a run that was refused before it began."""
    _end(database, _begin(database, command, 0), f"refused: {error}")


def set_workers(database: Database, run_id: int, workers: int) -> None:
    """Records the current number of workers of a run."""
    with database.transaction():
        database.change(RUNS, [RUNS.c.id == run_id], {"workers": workers})


def latest(database: Database, limit: int) -> list[Run]:
    """The latest `limit` runs, newest first."""
    columns = [RUNS.c[field.name] for field in fields(Run)]
    query = select(*columns).order_by(RUNS.c.id.desc()).limit(limit)
    return database.read(query, lambda row: Run(**row._mapping))


def get(database: Database, run_id: int) -> Run:
    """Record of the run that has just ended. Raises BadDatabase if it is not the latest recorded run."""
    for run in latest(database, 1):
        if run.id == run_id:
            return run
    raise replaced(database.folder.database, f"run {run_id} is not recorded")


def last_id(database: Database) -> int:
    """Id of the latest run, which may be under way. 0 if there was none."""
    return int(database.query(select(func.max(RUNS.c.id)))[0][0] or 0)


def last_workers(database: Database) -> int:
    """Number of workers of the latest run that had any. 1 if there was none."""
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
    names = database.repaired
    more = f" and {len(names) - NAMED:,} more" if len(names) > NAMED else ""
    repaired = ", ".join(names[:NAMED]) + more or None
    with database.transaction():
        outcome = outcome.encode(errors="backslashreplace").decode()  # may contain a file name that is not UTF-8
        values = {"outcome": outcome, "repaired": repaired, "finished_at": now()}
        database.change(RUNS, [RUNS.c.id == run_id], values)
