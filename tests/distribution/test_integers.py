"""Integer sequences against slow counts, and their files."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import setset
from setset.cards import sets_in
from tests.conftest import Run


def test_caps_of_two_and_three_dimensions() -> None:
    terms = {name: list(setset.find_sequence(name).terms()) for name in ("caps-2", "caps-3")}
    plane = [sum(not any(sets_in(cards)) for cards in combinations(range(9), size)) for size in range(5)]
    assert terms["caps-2"] == plane == [1, 9, 36, 72, 54]
    space = [sum(not any(sets_in(cards)) for cards in combinations(range(27), size)) for size in range(5)]
    assert terms["caps-3"][:5] == space
    assert len(terms["caps-3"]) == 10
    assert terms["caps-3"][9] == 2106


def test_sequences_agree_with_the_catalogue_and_the_tables() -> None:
    sequences = setset.sequences()
    catalogue = setset.catalogue_in_memory()
    assert list(sequences["caps"].terms()) == [catalogue.lists(size) for size in range(21)]
    assert sum(sequences["classes"].terms()) == 9908
    assert list(sequences["complete-classes"].terms())[15:] == [1, 74, 67, 18, 0, 1]
    assert list(sequences["hands-0"].terms()) == list(sequences["caps"].terms())[:18]
    assert list(sequences["most-sets"].terms()) == [1, 1, 2, 3, 5, 8, 12, 12, 13, 14, 16, 19, 23, 26, 30]
    assert list(sequences["game-classes"].terms())[:5] == [1, 1, 4, 16, 128]
    columns = [list(sequences[f"hands-{sets}"].terms()) for sets in range(31)]
    assert sum(column[12] for column in columns) == setset.hands(12).hands


def test_the_command(run: Run, tmp_path: Path) -> None:
    code, out, _ = run("export", "bfile", "caps-2")
    assert (code, out) == (0, "# Number of caps in AG(2,3), by points\n0 1\n1 9\n2 36\n3 72\n4 54\n")
    assert run("export", "bfile")[1].count("\n") == len(setset.sequences()) + 1
    assert run("export", "bfile", "caps", "-o", str(tmp_path / "b.txt"))[0] == 0
    lines = (tmp_path / "b.txt").read_text().splitlines()
    assert lines[-1] == "20 682344"
    assert run("export", "bfile", "caps", "-o", str(tmp_path / "b.txt"))[0] == 2
    code, out, err = run("export", "bfile", "nothing")
    assert (code, out) == (2, "")
    assert "'setset export bfile' lists all" in err
