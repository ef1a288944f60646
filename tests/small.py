"""Small explorations, run in this process, and what tests do with them: look, damage, check, repair."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from setset.database import Database, explorations, open_to_read, open_to_write, runs
from setset.database.connection import open_engine
from setset.database.rows import accept, altered_rows
from setset.folder import WorkspaceFolder
from setset.jobs.options import RunOptions
from setset.jobs.run import make_again, run
from setset.maintenance import repair
from setset.maintenance.check import check
from setset.maintenance.compact import CompactResult, compact
from setset.maintenance.findings import Finding
from setset.maintenance.rebuild import rebuild_database
from setset.progress import NoProgress
from setset.workspace.stored_classes import build_catalogue

TARGET, SIZE, BATCH_LISTS = 16, 5, 200_000
"""Some 10 million lists in about 50 files: a second of work."""

BATCHES = "SELECT size, number, lists, first_list, last_list, path, bytes, digest, defect FROM files"
COUNTS = "SELECT target, size, lists, complete FROM counts"

Copy = Callable[[], WorkspaceFolder]
"""Makes a copy of a workspace to do damage to."""


class Notices(NoProgress):
    """Remembers what it is told."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def notice(self, text: str) -> None:
        self.texts.append(text)


def build(path: Path, size: int = SIZE, **options: Any) -> tuple[WorkspaceFolder, Notices]:
    """Runs an exploration in threads of this process."""
    folder, notices = WorkspaceFolder(path), Notices()
    settings = {"target": TARGET, "batch_lists": BATCH_LISTS, "workers": 2, "executor": ThreadPoolExecutor, **options}
    run(folder, RunOptions(size, **settings), notices)
    return folder, notices


def build_classes(path: Path, size: int = 20, force: bool = False) -> list[int]:
    """Builds the catalogue of classes; the sizes that were built."""
    return [level.size for level in build_catalogue(WorkspaceFolder(path), size, NoProgress(), force)]


@contextmanager
def reading(path: Path) -> Iterator[Database]:
    """The database of a workspace, to read."""
    database = open_to_read(WorkspaceFolder(path))
    try:
        yield database
    finally:
        database.close()


@contextmanager
def writing(path: Path) -> Iterator[Database]:
    """The database of a workspace, locked and to write."""
    folder = WorkspaceFolder(path)
    with folder.locked():
        database = open_to_write(folder)
        try:
            yield database
        finally:
            database.close()


def findings(folder: WorkspaceFolder, deep: bool = False, size: int | None = None) -> list[Finding]:
    """Findings of `setset check`."""
    with reading(folder.path) as database, ThreadPoolExecutor(2) as executor:
        return list(check(database, size, NoProgress(), executor if deep else None))


def repair_all(folder: WorkspaceFolder, deep: bool = False) -> list[Finding]:
    """Does `setset repair` in this process."""
    with repairing(folder) as (database, executor, job):
        return repair.repair_all(database, None, executor if deep else None, NoProgress(), job).repaired


def repair_batch(folder: WorkspaceFolder, size: int, number: int, target: int = TARGET) -> None:
    """Does the same as `setset repair --batch`, in this process."""
    with repairing(folder) as (database, _, job):
        repair.repair_batches(database, target, size, number, None, job)


@contextmanager
def repairing(folder: WorkspaceFolder) -> Iterator[tuple[Database, Executor, repair.MakeAgain]]:
    with (
        writing(folder.path) as database,
        runs.record_run(database, "test", 2) as run_id,
        ThreadPoolExecutor(2) as executor,
    ):
        yield database, executor, partial(make_again, database, run_id, executor, NoProgress())


def merge_files(folder: WorkspaceFolder, up_to: int | None = None, size: int = SIZE) -> CompactResult:
    """Does the same as `setset compact`, in this process."""
    with writing(folder.path) as database, ThreadPoolExecutor(2) as executor:
        return compact(explorations.find(database, TARGET).size(size), up_to, executor, NoProgress())


def rebuild(folder: WorkspaceFolder, *outputs: Path) -> Path | None:
    """Does `setset db rebuild` in this process."""
    with folder.locked():
        return rebuild_database(folder, outputs, NoProgress())


def digests(folder: Path) -> dict[str, str]:
    """Every batch file below a folder, by its relative path."""
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*.setset"))
    }


def batch_file(folder: WorkspaceFolder, number: int = 3, size: int = SIZE) -> Path:
    """One of the batch files of a size."""
    return sorted((folder.own_root / f"t{TARGET}/s{size:02d}").glob("*.setset"))[number]


def flip(path: Path) -> None:
    """Alters one bit in the middle of a file."""
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 0x10
    path.write_bytes(bytes(data))


def rows(workspace: Path, query: str) -> list[tuple[Any, ...]]:
    """Rows of a query, read without any code of setset."""
    with closing(sqlite3.connect(workspace / "setset.db")) as connection:
        return connection.execute(query).fetchall()


def change(workspace: Path, *statements: str) -> None:
    """Changes rows of the database, and makes their checksums right. Each statement must find some rows."""
    change_by_hand(workspace, *statements)
    accept_rows(workspace)


def accept_rows(workspace: Path) -> None:
    """Makes the checksums of all rows right."""
    database = Database(WorkspaceFolder(workspace), open_engine(workspace / "setset.db", read_only=False))
    accept(database, altered_rows(database))
    database.close()


def change_by_hand(workspace: Path, *statements: str) -> None:
    """Changes rows of the database, as its owner does with a tool of their own. Each statement must find some rows."""
    with closing(sqlite3.connect(workspace / "setset.db")) as connection, connection:
        for statement in statements:
            assert connection.execute(statement).rowcount > 0, statement
