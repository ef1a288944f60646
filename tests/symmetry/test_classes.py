"""The records of the catalogue."""

from __future__ import annotations

from fractions import Fraction
from math import comb

from setset.symmetry import Catalogue, Totals


def test_totals_are_the_sums_over_a_level(catalogue: Catalogue) -> None:
    level = catalogue.level(16)
    totals = Totals.of(level, game_classes=36_808_384)
    assert totals == Totals(16, 748, len(level.links), 1_141_342_138_404, 74, 76_932_580_140, 36_808_384)
    assert totals.hands == comb(81, 16)
    assert totals.chance == Fraction(1_141_342_138_404, comb(81, 16))


def test_a_class_is_named_by_size_and_number(catalogue: Catalogue) -> None:
    one = catalogue.get(12, 700)
    assert str(one) == "12/700"
    assert not one.complete
    assert catalogue.get(20, 0).complete
