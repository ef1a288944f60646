from __future__ import annotations

import pytest

from setset.symmetry import Catalogue, catalogue_in_memory


@pytest.fixture(scope="session")
def catalogue() -> Catalogue:
    """All sizes, built once."""
    whole = catalogue_in_memory()
    whole.level(20)
    return whole
