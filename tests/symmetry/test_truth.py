"""The numbers of docs/truth.md, and the numbering of the classes, which is for good."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from setset import __version__
from setset.symmetry import GROUP_ORDER, Catalogue
from setset.workspace.known import KEPT_FOR_12
from tests.conftest import Run

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "truth.md").read_text(encoding="utf-8")


def rows(heading: str) -> list[list[int]]:
    """The table below a heading, as numbers."""
    lines = PAGE.split(f"## {heading}\n")[1].split("\n## ")[0].splitlines()
    return [
        [int(cell.replace(",", "")) for cell in line.strip("| ").split(" | ")]
        for line in lines
        if line.startswith("| ") and line[2].isdecimal()
    ]


def test_all_lists(catalogue: Catalogue) -> None:
    levels = [catalogue.level(size) for size in range(21)]
    assert rows("All lists") == [
        [size, level.lists, len(level.classes), level.complete_lists, level.complete_classes]
        for size, level in enumerate(levels)
    ]
    assert f"{sum(len(level.classes) for level in levels):,} classes" in PAGE
    assert f"{sum(len(level.links) for level in levels):,} links" in PAGE
    assert GROUP_ORDER // catalogue.level(20).classes[0].stabilizer == 682_344
    assert f"stabilizer of {catalogue.level(20).classes[0].stabilizer:,}" in PAGE


def test_kept_lists(catalogue: Catalogue) -> None:
    table = dict(rows("Lists kept for target 12"))
    assert table == {**KEPT_FOR_12, 12: catalogue.lists(12)}
    assert table[4] + table[5] + table[6] == 155_769_345
    assert table[10] - 193_375_848_191 == 470_000_110


def test_the_table_of_classes_is_what_the_command_makes(run: Run, tmp_path: Path) -> None:
    """The file to cite, to the byte; its checksum stands beside it, and on the page about citing."""
    path = tmp_path / "classes.csv"
    run("export", "classes", "-o", str(path), "-w", str(tmp_path / "none"))
    assert path.read_bytes() == (DOCS / "data" / "classes.csv").read_bytes()
    checksum = hashlib.sha256(path.read_bytes()).hexdigest()
    assert (DOCS / "data" / "classes.csv.sha256").read_text() == f"{checksum}  classes.csv\n"
    assert checksum in (DOCS / "citing.md").read_text(encoding="utf-8")


def test_the_numbering_is_frozen(catalogue: Catalogue) -> None:
    digest = hashlib.sha256()
    for size in range(21):
        for list_class in catalogue.level(size).classes:
            digest.update(f"{list_class} {' '.join(map(str, list_class.cards))}\n".encode())
    assert digest.hexdigest() == "2dcf9b311cee7b9a1023ce9b3abd1c10a714348a8d523388acf2da9c05c5eda5"


def test_the_reference_names_this_version() -> None:
    assert f"\nversion: {__version__}\n" in (DOCS.parent / "CITATION.cff").read_text(encoding="utf-8")
    assert json.loads((DOCS.parent / ".zenodo.json").read_text(encoding="utf-8"))["version"] == __version__


def test_brute_force_and_symmetry(catalogue: Catalogue) -> None:
    """A row for every size; what was counted by brute force is what the classes say, or it is not said."""
    lines = PAGE.split("## Brute force and symmetry side by side\n")[1].split("\n## ")[0].splitlines()
    table = [line.strip("| ").split(" | ") for line in lines if line.startswith("| ") and line[2].isdecimal()]
    assert [int(row[0]) for row in table] == list(range(3, 21))
    for size, by_symmetry, by_force, command in table:
        assert by_symmetry == f"{catalogue.lists(int(size)):,}"
        assert by_force in (by_symmetry, "not run yet")
        assert command.startswith("`setset run") or command in ("the same", "the lines of Python below")
