"""What docs/symmetry.md says is what the program says."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from setset.cli import main
from setset.symmetry import Catalogue, canonical_form, chance, game_classes

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
            f"{game_classes(level.classes):,}",
        ]


def test_the_other_figures(catalogue: Catalogue) -> None:
    levels = [catalogue.level(size) for size in range(21)]
    assert f"{sum(len(level.links) for level in levels):,} links" in PAGE
    longer = sum(each.extensions for level in levels for each in level.classes)
    assert f"{longer:,} lists that are one card longer" in PAGE
    fraction = chance(12, catalogue)
    assert f"{fraction.numerator:,} / {fraction.denominator:,}" in PAGE
    assert canonical_form([80, 3, 14, 40, 5]) == (0, 1, 3, 9, 27)


def commands() -> Iterator[tuple[list[str], str]]:
    """Each command line that the page shows, and the output below it."""
    for block in re.findall(r"```console\n(.*?)```", PAGE, flags=re.DOTALL):
        for shown in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            quote = shown.find('"')
            end = shown.index("\n", shown.index('"', quote + 1) if 0 <= quote < shown.index("\n") else 0)
            yield shlex.split(shown[:end]), shown[end + 1 :]


def test_the_commands_print_what_is_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SETSET_WORKSPACE", raising=False)
    shown = list(commands())
    assert {words[1] for words, _ in shown} >= {"classes", "classify", "sample", "members", "rank", "unrank"}
    for words, output in shown:
        monkeypatch.setattr(sys, "argv", words)
        with pytest.raises(SystemExit):
            main()
        assert capsys.readouterr() == (output, ""), words
