"""The history: a row of the table `runs` for every command that writes, with its outcome."""

from __future__ import annotations

import contextlib
import os
import socket
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from sqlalchemy import insert, select, update

from setset import __version__
from setset.database.connection import Database, now
from setset.database.models import RUNS
from setset.errors import BadInput, SetsetError

REPAIRED: Final = "; repaired "
NAMED: Final = 10
"""How many things that a run repaired are named; the others are counted."""


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
    """None while it is under way; done, killed, what went wrong, or `refused: ` and why; then what it repaired."""
    batches_added: int
    lists_added: int
    lists_counted: int
    bytes_added: int

    @property
    def repaired(self) -> str | None:
        """The files and expansions that it made again, and why; None if there was nothing to repair."""
        return (self.outcome or "").partition(REPAIRED)[2] or None


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
    with database.transaction() as connection:
        connection.execute(update(RUNS).where(RUNS.c.id == run_id).values(workers=workers))


def latest(database: Database, limit: int) -> list[Run]:
    """The last runs, newest first."""
    columns = [RUNS.c[name] for name in Run.__dataclass_fields__]
    rows = database.query(select(*columns).order_by(RUNS.c.id.desc()).limit(limit))
    return [Run(**row._mapping) for row in rows]


def last_workers(database: Database) -> int:
    """The workers of the run that is under way, or of the last one."""
    with_workers = select(RUNS.c.workers).where(RUNS.c.workers > 0).order_by(RUNS.c.id.desc()).limit(1)
    for row in database.query(with_workers):
        return int(row.workers)
    return 1


def _begin(database: Database, command: str, workers: int) -> int:
    with database.transaction() as connection:
        connection.execute(update(RUNS).where(RUNS.c.outcome.is_(None)).values(outcome="killed"))
        made = connection.execute(
            insert(RUNS).values(
                command=command.encode(errors="backslashreplace").decode(),
                version=__version__,
                host=socket.gethostname(),
                pid=os.getpid(),
                workers=workers,
                started_at=now(),
            )
        )
        return int(made.inserted_primary_key[0])  # type: ignore[index]


def _end(database: Database, run_id: int, outcome: str) -> None:
    found = database.repaired
    if found:
        more = f" and {len(found) - NAMED:,} more" if len(found) > NAMED else ""
        outcome += REPAIRED + ", ".join(found[:NAMED]) + more
    with database.transaction() as connection:
        mine = update(RUNS).where(RUNS.c.id == run_id)
        connection.execute(mine.values(outcome=outcome, finished_at=now()))
