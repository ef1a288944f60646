"""A workspace to draw."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import setset


@pytest.fixture(scope="session")
def opened(reference: Path) -> Iterator[setset.Workspace]:
    """The reference workspace, to read."""
    with setset.open(reference) as workspace:
        yield workspace
