"""Small explorations, run in this process unless a test is about processes."""

from __future__ import annotations

import hashlib
import shutil
import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from setset.folder import Workspace
from setset.jobs.progress import Unwatched
from setset.jobs.run import Request, explore

TARGET, SIZE, BATCH_LISTS = 16, 5, 200_000
"""Some 10 million lists in about 50 files: a second of work."""


class Notices(Unwatched):
    """Remembers what it is told."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def notice(self, text: str) -> None:
        self.texts.append(text)


def build(folder: Path, size: int = SIZE, **options: object) -> tuple[Workspace, Notices]:
    workspace, notices = Workspace(folder), Notices()
    wanted = {"target": TARGET, "batch_lists": BATCH_LISTS, "workers": 2, **options}
    explore(workspace, Request(size, **wanted), notices, ThreadPoolExecutor)  # type: ignore[arg-type]
    return workspace, notices


def digests(folder: Path) -> dict[str, str]:
    """Every batch file below a folder, by its relative path."""
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*.setset"))
    }


def rows(workspace: Path, query: str) -> list[tuple[Any, ...]]:
    """What a query of the database gives, without any code of setset."""
    connection = sqlite3.connect(workspace / "setset.db")
    try:
        return connection.execute(query).fetchall()
    finally:
        connection.close()


BATCHES = "SELECT size, number, lists, first_list, last_list, path, bytes, digest, defect FROM files"


@pytest.fixture(scope="session")
def reference(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace built without any disturbance. Not to be changed."""
    return build(tmp_path_factory.mktemp("reference") / "w")[0].path


@pytest.fixture
def copy(reference: Path, tmp_path: Path) -> Callable[[], Workspace]:
    """Makes a copy of the reference workspace to do damage to."""

    def make() -> Workspace:
        return Workspace(Path(shutil.copytree(reference, tmp_path / "copy")))

    return make
