"""Writes migrations/head.sql, which makes a new database without going through all migrations. Run after adding one.

python tools/head.py
"""

from __future__ import annotations

import contextlib
import sqlite3
import tempfile
from pathlib import Path

from alembic import command

from setset.database import schema


def head() -> str:
    """What the migrations make of an empty database, as SQL."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "new.db"
        sqlite3.connect(path).close()
        path.touch()
        command.upgrade(schema.alembic_config(path), "head")
        with contextlib.closing(sqlite3.connect(path)) as connection:
            return "\n".join([*connection.iterdump(), ""])


if __name__ == "__main__":
    schema.head_script().write_text(head(), encoding="utf-8", newline="\n")
