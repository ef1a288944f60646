from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.small import build, build_classes


@pytest.fixture(scope="session")
def counted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An exploration with all lists of 4 cards in files and all lists of 5 counted; no catalogue."""
    folder, _ = build(tmp_path_factory.mktemp("counted") / "w", 4, target=4, batch_lists=500_000)
    build(folder.path, 5, target=4, batch_lists=None, count_only=True)
    return folder.path


@pytest.fixture
def counted_and_classified(counted: Path, tmp_path: Path) -> Path:
    """The same with the catalogue up to size 5."""
    folder = Path(shutil.copytree(counted, tmp_path / "both"))
    build_classes(folder, 5)
    return folder
