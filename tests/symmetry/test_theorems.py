"""The numbers of docs/theorems.md."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

from setset.cards import all_sets
from setset.symmetry import Catalogue
from setset.workspace.known import KEPT_FOR_12

PAGE = (Path(__file__).parents[2] / "docs" / "theorems.md").read_text(encoding="utf-8")


def test_the_table_is_the_catalogue(catalogue: Catalogue) -> None:
    lines = PAGE.split("## Row by row")[1].split("\n## ")[0].splitlines()
    rows = [line.strip("| ").replace(",", "").split(" | ") for line in lines if line[2:3].isdecimal()]
    levels = [catalogue.level(size) for size in range(1, 21)]
    assert [list(map(int, row)) for row in rows] == [
        [level.size, len(level.classes), level.lists, level.complete_classes] for level in levels
    ]


def test_arithmetic_on_card_numbers_is_no_set() -> None:
    sets = set(all_sets())
    progressions = {(a, b, c) for a, b, c in combinations(range(81), 3) if (a + c - 2 * b) % 81 == 0}
    assert f"misses {len(sets - progressions)} of the 1,080 sets and takes {len(progressions - sets):,} other" in PAGE


def test_sizes_four_and_five() -> None:
    assert f"size 5 is {KEPT_FOR_12[5]:,}. The sum of sizes 4 and 5 is {KEPT_FOR_12[4] + KEPT_FOR_12[5]:,}" in PAGE
