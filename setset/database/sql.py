"""Queries that people write: read-only, of nothing but this database."""

from __future__ import annotations

import inspect
import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from setset.database import schema
from setset.database.connection import connect, explain
from setset.database.models import Base
from setset.errors import BadInput, SetsetError

_ALLOWED = {
    sqlite3.SQLITE_SELECT,
    sqlite3.SQLITE_READ,
    sqlite3.SQLITE_FUNCTION,
    sqlite3.SQLITE_RECURSIVE,
}
MOST_BYTES = 50_000_000
"""The longest text or blob that a query may make."""
_FORBIDDEN_FUNCTIONS = {"load_extension", "readfile", "writefile", "edit", "fts3_tokenizer"}


def run_query(path: Path, query: str) -> tuple[list[str], Iterator[tuple[Any, ...]]]:
    """The columns and rows of a query. Anything but reading the tables and views is refused."""
    schema.require_current(path)
    connection = connect(path, "ro")
    connection.set_authorizer(_authorize)
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MOST_BYTES)
    # SQLite pauses now and then, so that Ctrl-C ends a query that would not end.
    connection.set_progress_handler(lambda: 0, 100_000)
    try:
        cursor = connection.execute(query)
    except (sqlite3.Warning, sqlite3.ProgrammingError, UnicodeError) as error:
        raise BadInput(f"one query at a time, of text: {error}") from error
    except sqlite3.DatabaseError as error:
        if "not authorized" in str(error) or "prohibited" in str(error):
            raise BadInput("only SELECT is allowed: nothing is written, attached or loaded") from error
        raise _explain_refusal(path, error) from error
    if cursor.description is None:
        raise BadInput("only SELECT is allowed: nothing is written, attached or loaded")
    return [column[0] for column in cursor.description], _rows(path, cursor)


def _rows(path: Path, cursor: sqlite3.Cursor) -> Iterator[tuple[Any, ...]]:
    try:
        yield from cursor
    except sqlite3.DatabaseError as error:
        raise _explain_refusal(path, error) from error


def _explain_refusal(path: Path, error: sqlite3.DatabaseError) -> SetsetError:
    name = getattr(error, "sqlite_errorname", None) or ""
    if name == "SQLITE_INTERRUPT":
        # Ctrl-C was raised in the progress handler, of which SQLite says no more than that it was interrupted.
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
    descriptions = {
        mapper.class_.__tablename__: inspect.getdoc(mapper.class_) for mapper in Base.registry.mappers
    }
    _, rows = run_query(
        path, "SELECT type, name, sql FROM sqlite_master WHERE type IN ('table', 'view') ORDER BY 1 DESC, 2"
    )
    found = []
    for kind, name, sql in rows:
        if name == "alembic_version" or name.startswith("sqlite_"):
            continue
        columns, _ = run_query(path, f'SELECT * FROM "{name}" LIMIT 0')  # noqa: S608 (our own names)
        said = re.search(r"AS -- (.*)", sql) if kind == "view" else None
        line = said[1] if said else (descriptions.get(name) or "").split("\n")[0]
        found.append((kind, name, ", ".join(columns), line))
    return found
