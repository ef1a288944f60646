"""Queries that people write: read-only, of nothing but this database."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

from setset.database import schema
from setset.database.connection import TimeLimit, connect, explain
from setset.database.models import METADATA
from setset.errors import BadInput, SetsetError

_ALLOWED = {
    sqlite3.SQLITE_SELECT,
    sqlite3.SQLITE_READ,
    sqlite3.SQLITE_FUNCTION,
    sqlite3.SQLITE_RECURSIVE,
}
MOST_BYTES = 50_000_000
"""The longest text or blob that a query may make."""
MOST_MEMORY = 1_000_000_000
"""The most memory that SQLite may take for it."""
_TOO_MUCH_MEMORY = BadInput(f"SQL: the query takes more than {MOST_MEMORY:,} bytes of memory")
MOST_SECONDS = 60.0
"""How long a query may take, unless told otherwise."""
_FORBIDDEN_FUNCTIONS = {"load_extension", "readfile", "writefile", "edit", "fts3_tokenizer"}


def run_query(
    path: Path, query: str, seconds: float = MOST_SECONDS
) -> tuple[list[str], Iterator[tuple[Any, ...]]]:
    """The columns and rows of a query. Anything but reading the tables and views is refused.

    A query that takes longer than `seconds`, or too much memory, ends with BadInput.
    """
    schema.require_current(path)
    connection = connect(path, "ro")
    connection.execute(f"PRAGMA hard_heap_limit = {MOST_MEMORY}")
    connection.set_authorizer(_authorize)
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MOST_BYTES)
    limit = TimeLimit(seconds)
    limit.set_on(connection)
    try:
        cursor = connection.execute(query)
    except (sqlite3.Warning, sqlite3.ProgrammingError, UnicodeError) as error:
        raise BadInput(f"one query at a time, of text: {error}") from error
    except sqlite3.DatabaseError as error:
        if "not authorized" in str(error) or "prohibited" in str(error):
            raise BadInput("only SELECT is allowed: nothing is written, attached or loaded") from error
        raise _explain_refusal(path, error, limit) from error
    except MemoryError as error:
        raise _TOO_MUCH_MEMORY from error
    if cursor.description is None:
        raise BadInput("only SELECT is allowed: nothing is written, attached or loaded")
    return _name_columns([column[0] for column in cursor.description]), _rows(path, cursor, limit)


def _name_columns(names: list[str]) -> list[str]:
    """Names that are all different: where a query has one name twice, the second is called name_2."""
    found: list[str] = []
    for name in names:
        copies = (f"{name}_{number}" for number in count(2))
        found.append(
            name if name not in found else next(each for each in copies if each not in {*names, *found})
        )
    return found


def _rows(path: Path, cursor: sqlite3.Cursor, limit: TimeLimit) -> Iterator[tuple[Any, ...]]:
    try:
        yield from cursor
    except sqlite3.DatabaseError as error:
        raise _explain_refusal(path, error, limit) from error
    except MemoryError as error:
        raise _TOO_MUCH_MEMORY from error


def _explain_refusal(path: Path, error: sqlite3.DatabaseError, limit: TimeLimit) -> SetsetError:
    name = getattr(error, "sqlite_errorname", None) or ""
    if name == "SQLITE_INTERRUPT":
        # By the limit of time, or by Ctrl-C, which was raised while SQLite asked and of which it says no more.
        if limit.is_over():
            return BadInput("SQL: the query took too long: give it more with --timeout SECONDS")
        raise KeyboardInterrupt from error
    if name.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB", "SQLITE_BUSY", "SQLITE_IO")):
        return explain(path, error)
    return BadInput(f"SQL: {error}")


def _authorize(
    action: int, _first: str | None, second: str | None, _database: str | None, _by: str | None
) -> int:
    if action == sqlite3.SQLITE_FUNCTION and (second or "").lower() in _FORBIDDEN_FUNCTIONS:
        return sqlite3.SQLITE_DENY
    return sqlite3.SQLITE_OK if action in _ALLOWED else sqlite3.SQLITE_DENY


def describe_tables(path: Path) -> list[tuple[str, str, str, str]]:
    """Each table and view: kind, name, columns, and a line on it."""
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
