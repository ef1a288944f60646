"""`setset sample` as a user meets it."""

from __future__ import annotations

import json

from setset.symmetry import sample
from tests.cli.conftest import Refuse
from tests.conftest import Run


def test_sample(run: Run) -> None:
    code, out, err = run("sample", "--size", "12", "--count", "5000", "--seed", "7")
    assert (code, err) == (0, "")
    assert [list(map(int, line.split())) for line in out.splitlines()] == sample(12, 5000, 7).tolist()
    lines = run("sample", "--size", "3", "--count", "2", "--seed", "7", "--json")[1].splitlines()
    assert [json.loads(line) for line in lines] == sample(3, 2, 7).tolist()
    code, out, err = run("sample", "--size", "3", "--names")
    assert code == 0
    assert len(out.split(", ")) == 3
    seed = err.removeprefix("seed ").strip()
    assert run("sample", "--size", "3", "--names", "--seed", seed) == (0, out, "")
    assert run("sample", "--size", "3", "--count", "0", "--seed", "7")[:2] == (0, "")


def test_there_are_no_lists_of_no_cards_to_draw(refuse: Refuse) -> None:
    refuse(["sample", "--size", "0"], "there are lists of 1 to 20 cards, not of 0")
