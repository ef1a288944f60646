"""Exact chances and means for random hands."""

from __future__ import annotations

from fractions import Fraction

import pytest

from setset.errors import BadInput
from setset.table import chance_without_set, mean_sets


def test_exact_chances_come_out_of_the_classified_lists() -> None:
    assert chance_without_set(12) == Fraction(325432404, 10074689485)
    for size, odds in ((12, 29.96), (15, 2741), (18, 70_454_349)):
        chance = chance_without_set(size)
        assert float((1 - chance) / chance) == pytest.approx(odds, rel=2e-4)
    assert chance_without_set(2) == 1
    assert chance_without_set(21) == 0
    assert mean_sets(81) == 1080
    for size in (-1, 82):
        with pytest.raises(BadInput):
            chance_without_set(size)
