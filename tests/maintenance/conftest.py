from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from setset.folder import WorkspaceFolder
from tests.small import SIZE, Copy, build


@pytest.fixture(scope="session")
def scattered(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace whose largest size has many files that are far from full, each of another source."""
    folder, _ = build(tmp_path_factory.mktemp("scattered") / "w", SIZE - 1, batch_lists=50_000)
    build(folder.path, batch_lists=2_000_000)
    return folder.path


@pytest.fixture(scope="session")
def tailed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace where the last part of source 1 fits into one file with source 2, and 14 with 15."""
    folder, _ = build(tmp_path_factory.mktemp("tailed") / "w", SIZE - 1, batch_lists=50_000)
    build(folder.path, batch_lists=760_000)
    return folder.path


@pytest.fixture
def tailed_copy(tailed: Path, tmp_path: Path) -> Copy:
    """Makes a copy of it to do damage to."""
    return lambda: WorkspaceFolder(Path(shutil.copytree(tailed, tmp_path / "copy")))


@pytest.fixture
def scattered_copy(scattered: Path, tmp_path: Path) -> Copy:
    """Makes a copy of it to do damage to."""
    return lambda: WorkspaceFolder(Path(shutil.copytree(scattered, tmp_path / "copy")))
