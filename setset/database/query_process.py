"""Runs one read-only query in a process of its own, which can be killed at any moment.

A single instruction of SQLite, such as `instr` on long texts, may take hours, and SQLite checks its limits only between
instructions. So `sql.run_query` runs this file as a separate program. The file imports no other module of setset, to
start within milliseconds.

Standard input holds a line of JSON with the query. When standard input ends, the parent is gone, and this process ends.
Standard output holds lines of JSON: `["columns", names]`, then `["rows", rows]` as often as needed, then `["end"]`. The
last line may be `["error", class, SQLite's name of the error, text]` instead. A blob is `{"hex": digits}`.
"""

import contextlib
import faulthandler
import json
import os
import signal
import sqlite3
import sys
import threading
from collections.abc import Iterator
from typing import Any

MOST_BYTES = 50_000_000
"""Maximum length of a text or blob that a query makes. Also the maximum for all values of a row together."""
MOST_MEMORY = 1_000_000_000
"""Maximum memory of SQLite for a query. The whole process may take twice as much."""
MOST_COLUMNS = 2_000
BLOCK = 100_000
"""Approximate number of bytes of rows per message."""
_ALLOWED = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE}
_FORBIDDEN_FUNCTIONS = {"load_extension", "readfile", "writefile", "edit", "fts3_tokenizer"}


def main() -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C ends this process at once, also within SQLite
    request = json.loads(sys.stdin.buffer.readline())
    faulthandler.dump_traceback_later(request["seconds"], exit=True)  # a C thread, which does not need the GIL
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _limit_memory()
    try:
        _answer(request)
    except (sqlite3.Error, sqlite3.Warning, MemoryError, ValueError) as error:  # ValueError: text that is not Unicode
        _send("error", type(error).__name__, getattr(error, "sqlite_errorname", None) or "", str(error))


def _answer(request: dict[str, Any]) -> None:
    connection = _open(request["address"], request["busy_seconds"], request["most_copied"])
    connection.execute(f"PRAGMA hard_heap_limit = {MOST_MEMORY}")
    connection.execute("PRAGMA temp_store = MEMORY")  # otherwise a sort could fill the disk
    for name, (columns, rows) in request["tables"].items():  # temporary: the database itself is only read
        connection.execute(f"CREATE TEMP TABLE {name} ({', '.join(columns)})")
        connection.executemany(f"INSERT INTO {name} VALUES ({', '.join('?' * len(columns))})", rows)  # noqa: S608
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MOST_BYTES)
    connection.setlimit(sqlite3.SQLITE_LIMIT_COLUMN, MOST_COLUMNS)
    connection.set_authorizer(_authorize)
    cursor = connection.execute(request["query"])
    _send("columns", None if cursor.description is None else [column[0] for column in cursor.description])
    for rows in _blocks(cursor):
        _send("rows", rows)
    _send("end")


def _open(address: str, busy_seconds: float, most_copied: int) -> sqlite3.Connection:
    """Opens a copy of the database in memory, so that no commit waits for the query. Opens a large database without a
    copy."""
    database = sqlite3.connect(address, uri=True, timeout=busy_seconds, isolation_level=None)
    database.execute("BEGIN")
    pages, bytes_per_page = (database.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "page_size"))
    if pages * bytes_per_page > most_copied:
        database.execute("ROLLBACK")
        return database
    copy = sqlite3.connect(":memory:", isolation_level=None)
    database.backup(copy)  # does not wait, since the transaction has its read lock already
    database.close()
    return copy


def _blocks(cursor: sqlite3.Cursor) -> Iterator[list[tuple[Any, ...]]]:
    block: list[tuple[Any, ...]] = []
    waiting = 0
    for row in cursor:
        size = sum(len(value) if isinstance(value, str | bytes) else 8 for value in row)
        if size > MOST_BYTES:
            raise sqlite3.DataError("string or blob too big")
        block.append(row)
        waiting += size
        if waiting > BLOCK:
            yield block
            block, waiting = [], 0
    yield block


def _authorize(action: int, _first: str | None, second: str | None, *_: str | None) -> int:
    if action == sqlite3.SQLITE_FUNCTION and (second or "").lower() in _FORBIDDEN_FUNCTIONS:
        return sqlite3.SQLITE_DENY
    return sqlite3.SQLITE_OK if action in _ALLOWED else sqlite3.SQLITE_DENY


def _limit_memory() -> None:
    if sys.platform != "win32":  # on Windows only SQLite's own limit applies
        import resource

        with contextlib.suppress(OSError, ValueError):  # macOS may refuse it
            resource.setrlimit(resource.RLIMIT_AS, (2 * MOST_MEMORY, 2 * MOST_MEMORY))


def _end_with_parent() -> None:
    os.read(0, 1)  # not `sys.stdin`, whose lock Python needs at exit
    os._exit(1)


def _send(*message: Any) -> None:
    line = json.dumps(message, default=lambda blob: {"hex": blob.hex()})
    sys.stdout.buffer.write(line.encode() + b"\n")
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
