from __future__ import annotations

import shutil
from collections.abc import Iterator
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


@pytest.fixture(scope="session")
def built_with_output(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Original of `with_output`, beside the folder where it was built. Tests must not change it."""
    folder = tmp_path_factory.mktemp("with_output") / "place"
    build(folder / "w", 3, target=18, batch_lists=10_000)
    build(folder / "w", 4, target=18, batch_lists=200_000, output=folder / "out")
    return folder.rename(folder.parent / "kept")


@pytest.fixture
def with_output(built_with_output: Path) -> Iterator[Path]:
    """A workspace w for target 18, its lists of 4 in the storage root `out`: 5 files of 3, 5 of 4.

    Always in the same folder, since the token of a root names the folder of its workspace.
    """
    folder = built_with_output.parent / "place"
    shutil.copytree(built_with_output, folder)
    yield folder
    shutil.rmtree(folder)
