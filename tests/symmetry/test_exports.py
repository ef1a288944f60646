from __future__ import annotations

import subprocess
import sys

import pytest

import setset.symmetry


@pytest.mark.parametrize("name", setset.symmetry.__all__)
def test_what_is_promised_can_be_imported_and_says_what_it_is(name: str) -> None:
    assert getattr(setset.symmetry, name).__doc__


def test_what_is_not_there_is_missed_as_usual() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = setset.symmetry.nonsense


def test_the_records_come_without_numba() -> None:
    check = "import sys; from setset.symmetry import AffineMap, Level; assert 'numba' not in sys.modules"
    subprocess.run([sys.executable, "-c", check], check=True)
