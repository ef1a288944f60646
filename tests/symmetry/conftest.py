from __future__ import annotations

import pytest
from hypothesis import settings

from setset.symmetry import Catalogue, in_memory

settings.register_profile("symmetry", deadline=None, derandomize=True)
settings.load_profile("symmetry")


@pytest.fixture(scope="session")
def catalogue() -> Catalogue:
    """All sizes, built once."""
    whole = in_memory()
    whole.level(20)
    return whole
