"""The figures of docs/symmetry.md agree with the catalogue. Its examples: tests/test_documents.py."""

from __future__ import annotations

from pathlib import Path

from setset.symmetry import Catalogue, canonical_form, chance

PAGE = (Path(__file__).parents[2] / "docs" / "symmetry.md").read_text(encoding="utf-8")


def test_the_table_of_all_sizes(catalogue: Catalogue) -> None:
    lines = [line for line in PAGE.splitlines() if line.startswith("| ") and line[2].isdecimal()]
    rows = [line.strip("| ").split(" | ") for line in lines]
    assert len(rows) == 21
    for size, row in enumerate(rows):
        level = catalogue.level(size)
        assert row == [
            str(size),
            f"{len(level.classes):,}",
            f"{level.lists:,}",
            f"{level.complete_classes:,}",
            f"{level.complete_lists:,}",
            f"{float(chance(size, catalogue)):.6g}",
            f"{sum(map(catalogue.game_classes, level.classes)):,}",
        ]


def test_the_other_figures(catalogue: Catalogue) -> None:
    levels = [catalogue.level(size) for size in range(21)]
    assert f"{sum(len(level.links) for level in levels):,} links" in PAGE
    longer = sum(list_class.extensions for level in levels for list_class in level.classes)
    assert f"{longer:,} lists that are one card longer" in PAGE
    fraction = chance(12, catalogue)
    assert f"{fraction.numerator:,} / {fraction.denominator:,}" in PAGE
    assert canonical_form([80, 3, 14, 40, 5]) == (0, 1, 3, 9, 27)
