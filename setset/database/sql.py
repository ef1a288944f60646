"""Read-only queries of this database by users."""

import re
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

from setset.database import schema
from setset.database.connection import TimeLimit, connect, explain
from setset.database.models import METADATA
from setset.errors import BadInput

_ALLOWED = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE}
_FORBIDDEN_FUNCTIONS = {"load_extension", "readfile", "writefile", "edit", "fts3_tokenizer"}
MOST_BYTES = 50_000_000
"""Maximum length of a text or blob that a query makes."""
MOST_MEMORY = 1_000_000_000
"""Maximum memory of SQLite for a query."""
MOST_SECONDS = 60.0
"""Default time limit of a query."""
_ONLY_SELECT = "only SELECT is allowed: nothing is written, attached or loaded"


def run_query(path: Path, query: str, seconds: float = MOST_SECONDS) -> tuple[list[str], Iterator[tuple[Any, ...]]]:
    """Columns and rows of a query that only reads tables and views.

    Raises BadInput for any other query, and if the query takes longer than `seconds` or too much memory.
    """
    schema.require_current(path)
    connection = connect(path, "ro")
    connection.execute(f"PRAGMA hard_heap_limit = {MOST_MEMORY}")
    connection.set_authorizer(_authorize)
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MOST_BYTES)
    limit = TimeLimit(seconds)
    limit.set_on(connection)
    with _explaining(path, limit):
        cursor = connection.execute(query)
    if cursor.description is None:
        raise BadInput(_ONLY_SELECT)

    def rows() -> Iterator[tuple[Any, ...]]:
        with _explaining(path, limit):
            yield from cursor

    return _name_columns([column[0] for column in cursor.description]), rows()


@contextmanager
def _explaining(path: Path, limit: TimeLimit) -> Iterator[None]:
    """Raises the driver's errors as errors of setset."""
    try:
        yield
    except (sqlite3.Warning, sqlite3.ProgrammingError, UnicodeError) as error:
        raise BadInput(f"one query at a time, of text: {error}") from error
    except MemoryError as error:
        raise BadInput(f"SQL: the query takes more than {MOST_MEMORY:,} bytes of memory") from error
    except sqlite3.DatabaseError as error:
        name = getattr(error, "sqlite_errorname", None) or ""
        if "not authorized" in str(error) or "prohibited" in str(error):
            raise BadInput(_ONLY_SELECT) from error
        if name.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB", "SQLITE_BUSY", "SQLITE_IO")):
            raise explain(path, error) from error
        if name != "SQLITE_INTERRUPT":
            raise BadInput(f"SQL: {error}") from error
        # The time limit interrupts a query, and so does Ctrl-C, of which SQLite tells no more.
        if limit.is_over():
            raise BadInput("SQL: the query took too long: give it more with --timeout SECONDS") from error
        raise KeyboardInterrupt from error


def _name_columns(names: list[str]) -> list[str]:
    """Makes names unique: if a query has a name twice, the second becomes name_2."""
    found: list[str] = []
    for name in names:
        copies = (f"{name}_{number}" for number in count(2))
        fresh = name if name not in found else next(each for each in copies if each not in {*names, *found})
        found.append(fresh)
    return found


def _authorize(action: int, _first: str | None, second: str | None, *_: str | None) -> int:
    if action == sqlite3.SQLITE_FUNCTION and (second or "").lower() in _FORBIDDEN_FUNCTIONS:
        return sqlite3.SQLITE_DENY
    return sqlite3.SQLITE_OK if action in _ALLOWED else sqlite3.SQLITE_DENY


def describe_tables(path: Path) -> list[tuple[str, str, str, str]]:
    """Kind, name, columns and description of each table and view."""
    _, rows = run_query(
        path, "SELECT type, name, sql FROM sqlite_master WHERE type IN ('table', 'view') ORDER BY 1 DESC, 2"
    )
    found = []
    for kind, name, sql in rows:
        if name == "alembic_version" or name.startswith("sqlite_"):
            continue
        columns, _ = run_query(path, f'SELECT * FROM "{name}" LIMIT 0')  # noqa: S608 (our own names)
        said = re.search(r"AS -- (.*)", sql) if kind == "view" else None
        line = said[1] if said else METADATA.tables[name].comment or ""
        found.append((kind, name, ", ".join(columns), line))
    return found
