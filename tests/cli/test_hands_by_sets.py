"""`setset hands` as a user meets it."""

from __future__ import annotations

import json

import pytest

from tests.cli.conftest import Refuse
from tests.conftest import Run


def test_hands_of_twelve(run: Run) -> None:
    code, out, err = run("hands", "12")
    assert (code, err) == (0, "")
    assert "0      2,284,535,476,080    3.230 %       30.96" in out
    assert "most   14 sets, in 3,032,640 hands" in out
    assert "mean   2.7848 sets (220/79)" in out


def test_all_sizes(run: Run) -> None:
    out = run("hands")[1]
    row = next(line for line in out.splitlines() if line.startswith("8 "))
    assert row.split() == ["8", "32,164,253,550", "14,587,567,020", "0.709", "0", "8", "10,530", "6", "7"]
    sizes = json.loads(run("hands", "--json")[1])
    assert sizes[9]["never"] == [7, 9, 10, 11]


def test_as_json(run: Run) -> None:
    data = json.loads(run("hands", "78", "--json")[1])
    assert (data["least"], data["most"]) == (962, 963)
    chance = {"numerator": 1, "denominator": 79, "decimal": 1 / 79}
    assert data["counts"][0] == {"sets": 962, "hands": 1080, "chance": chance}


@pytest.mark.parametrize("size", ["82", "30", "-1"])
def test_sizes_without_a_table_are_refused(refuse: Refuse, size: str) -> None:
    refuse(["hands", "--", size], f"not {size}")


def test_recompute_compares(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    import setset
    import setset.distribution.levels as levels

    monkeypatch.setattr(levels, "compute_hands", lambda **_options: [setset.hands(3)])
    code, out, err = run("hands", "--recompute")
    assert (code, out) == (1, "")
    assert "differ from the tables computed now" in err
