"""The history: a row for every command that writes, with what became of it."""

from __future__ import annotations

import contextlib
import os
import socket
from collections.abc import Iterator

from sqlalchemy import insert, update

from setset import __version__
from setset.database.models import Expansion, Run, State
from setset.database.store import Store, now
from setset.errors import SetsetError


@contextlib.contextmanager
def logged(store: Store, command: str, workers: int) -> Iterator[int]:
    """The id of a run that lasts as long as the context. What it left unfinished is planned again."""
    run_id = _begin(store, command, workers)
    outcome = "failed"
    try:
        yield run_id
        outcome = "done"
    except SetsetError as error:
        outcome = str(error)
        raise
    finally:
        # A full disk or a damaged database must not hide what went wrong before.
        with contextlib.suppress(*([] if outcome == "done" else [SetsetError])):
            _end(store, run_id, outcome)


def set_workers(store: Store, run_id: int, workers: int) -> None:
    """Records how many workers a run has now."""
    with store.transaction() as do:
        do.execute(update(Run).where(Run.id == run_id).values(workers=workers))


def _begin(store: Store, command: str, workers: int) -> int:
    with store.transaction() as do:
        do.execute(update(Run).where(Run.outcome.is_(None)).values(outcome="killed"))
        made = do.execute(
            insert(Run).values(
                command=command.encode(errors="backslashreplace").decode(),
                version=__version__,
                host=socket.gethostname(),
                pid=os.getpid(),
                workers=workers,
                started_at=now(),
            )
        )
        return int(made.inserted_primary_key[0])  # type: ignore[index]


def _end(store: Store, run_id: int, outcome: str) -> None:
    with store.transaction() as do:
        do.execute(
            update(Expansion)
            .where(Expansion.run_id == run_id, Expansion.state == State.RUNNING)
            .values(state=State.PLANNED)
        )
        do.execute(update(Run).where(Run.id == run_id).values(outcome=outcome, finished_at=now()))
