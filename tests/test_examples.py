"""The examples in docstrings are true. Examples of pages: tests/test_documents.py."""

from __future__ import annotations

import doctest
import importlib
from pathlib import Path

import pytest

import setset

ROOT = Path(__file__).parent.parent
MODULES = [
    ".".join(path.relative_to(ROOT).with_suffix("").parts)
    for path in sorted((ROOT / "setset").rglob("*.py"))
    if ">>>" in path.read_text(encoding="utf-8")
]


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small workspace: target 18, sizes 3 and 4."""
    folder = tmp_path_factory.mktemp("example") / "workspace"
    with setset.open(folder, mode="a") as workspace:
        workspace.exploration(18).run(size=4, workers=1)
    return folder


@pytest.mark.parametrize("name", MODULES)
def test_docstrings(name: str, example: Path) -> None:
    result = doctest.testmod(importlib.import_module(name), extraglobs={"setset": setset, "example": example})
    assert result.attempted > 0
    assert result.failed == 0
