"""`setset sample` as a user meets it."""

from __future__ import annotations

import json

from setset.symmetry import sample
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


def test_there_are_no_lists_of_no_cards_to_draw(run: Run) -> None:
    code, _, err = run("sample", "0")
    assert code == 2
    assert "0, expected a whole number from 1 to 20." in err


def test_more_lists_begin_with_fewer(run: Run) -> None:
    output = run("sample", "12", "--seed", "1", "--count", "5")[1]
    assert output.startswith(run("sample", "12", "--seed", "1", "--count", "2")[1])
