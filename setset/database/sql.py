"""Read-only queries of the database by users. Each query runs in its own process, which is killed at the time limit."""

import json
import re
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from pathlib import Path
from types import MappingProxyType
from typing import Any

from setset.database import copies, query_process, schema
from setset.database.connection import BUSY_SECONDS, explain
from setset.database.models import METADATA
from setset.errors import BadInput, SetsetError

MOST_SECONDS = 60.0
"""Default time limit of a query."""
LONGEST = 1e6
"""Maximum time limit of a query process, in seconds."""
_ONLY_SELECT = "only SELECT is allowed: nothing is written, attached or loaded"


Tables = Mapping[str, tuple[Sequence[str], Sequence[Sequence[Any]]]]
"""Columns and rows of temporary tables, by table name."""


def run_query(
    path: Path, query: str, seconds: float = MOST_SECONDS, tables: Tables = MappingProxyType({})
) -> tuple[list[str], Iterator[tuple[Any, ...]]]:
    """Runs a query that only reads tables, views and the temporary `tables`. Returns its columns and its rows.

    The process of the query ends when the iterator of rows ends or is closed, or after `seconds`.

    Raises BadInput if the query does anything else, takes longer than `seconds`, or takes too much memory.
    """
    schema.require_current(path)
    answer = _ask(path, query, seconds, tables)
    columns = next(answer)
    if columns is None:
        raise BadInput(_ONLY_SELECT)
    return _name_columns(columns), (tuple(row) for rows in answer for row in rows)


def _ask(path: Path, query: str, seconds: float, tables: Tables) -> Iterator[Any]:
    """Yields the columns of a query, then blocks of its rows."""
    deadline = time.monotonic() + seconds
    request = {
        "address": copies.address(path.absolute(), "ro"),
        "query": query,
        "seconds": min(max(0.001, seconds), LONGEST),
        "busy_seconds": BUSY_SECONDS,
        "most_copied": copies.MOST_BYTES,
        "tables": dict(tables),
    }
    command, pipe = [sys.executable, "-I", "-S", query_process.__file__], subprocess.PIPE
    try:
        with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL) as process:
            assert process.stdin is not None
            assert process.stdout is not None
            try:
                process.stdin.write(json.dumps(request).encode() + b"\n")
                process.stdin.flush()
                for line in process.stdout:
                    if not line.endswith(b"\n"):
                        break  # the process ended in the middle of a line
                    match json.loads(line, object_hook=lambda blob: bytes.fromhex(blob["hex"])):
                        case ["error", *error]:
                            raise _explain(path, *error)
                        case ["end"]:
                            return
                        case [_, values]:
                            yield values
            finally:
                process.kill()
    except OSError as error:
        raise SetsetError(f"cannot start a process for the query: {error.strerror}") from error
    if not time.monotonic() < deadline:  # true for NaN too
        raise BadInput("SQL: the query took too long: give it more time with --timeout SECONDS")
    raise SetsetError(f"SQL: the process of the query ended with code {process.returncode}: perhaps it lacked memory")


def _explain(path: Path, kind: str, name: str, text: str) -> SetsetError:
    """Translates an error of the driver to an error of setset. `name` is SQLite's name of the error."""
    if kind == "MemoryError":
        return BadInput(f"SQL: the query takes more than {query_process.MOST_MEMORY:,} bytes of memory")
    if kind in ("Warning", "ProgrammingError", "ValueError") or kind.startswith("Unicode"):
        return BadInput(f"SQL: expected one query, as text: {text}")
    if "not authorized" in text or "prohibited" in text:
        return BadInput(_ONLY_SELECT)
    if name.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB", "SQLITE_BUSY", "SQLITE_IO", "SQLITE_CANTOPEN")):
        error = sqlite3.DatabaseError(text)
        error.sqlite_errorname = name
        return explain(path, error)
    return BadInput(f"SQL: {text}")


def _name_columns(names: list[str]) -> list[str]:
    """Returns unique column names: if a name occurs twice, the second becomes name_2."""
    originals = set(names)
    numbers = {name: count(2) for name in originals}
    unique: dict[str, None] = {}
    for name in names:
        copies = (f"{name}_{number}" for number in numbers[name])
        if name in unique:
            name = next(copy for copy in copies if copy not in originals and copy not in unique)
        unique[name] = None
    return list(unique)


def describe_tables(path: Path) -> list[tuple[str, str, str, str]]:
    """Kind, name, columns and description of each table and view."""
    schema.require_current(path)
    query = (
        "SELECT t.type, t.name, t.sql, group_concat(c.name, ', ') FROM sqlite_master t, pragma_table_info(t.name) c "
        "WHERE t.type IN ('table', 'view') GROUP BY 1, 2, 3 ORDER BY 1 DESC, 2"
    )
    with schema.reading(path) as connection:
        rows = connection.execute(query).fetchall()
    described = []
    for kind, name, sql, columns in rows:
        if kind == "view":
            comment = re.search(r"AS -- (.*)", sql)
            described.append((kind, name, columns, comment[1] if comment else ""))
        elif name in METADATA.tables:  # not a table of Alembic or SQLite
            described.append((kind, name, columns, METADATA.tables[name].comment or ""))
    return described
