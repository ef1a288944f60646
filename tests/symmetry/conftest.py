from __future__ import annotations

import pytest

from setset.symmetry import Catalogue, in_memory


@pytest.fixture(scope="session")
def catalogue() -> Catalogue:
    """All sizes, built once."""
    whole = in_memory()
    whole.level(20)
    return whole
