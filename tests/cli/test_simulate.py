"""`setset simulate` as a user meets it."""

from __future__ import annotations

import json

import pytest

from tests.conftest import Run


def test_simulate_as_json(run: Run) -> None:
    code, out, err = run("simulate", "--games", "2000", "--seed", "7", "--json")
    assert (code, err) == (0, "")
    result = json.loads(out)
    hands = result["random_hands"][0]
    assert hands["exact_chance"]["numerator"] * 10074689485 == 325432404 * hands["exact_chance"]["denominator"]
    assert hands["exact_odds"] == pytest.approx(29.96, abs=0.005)
    assert result["random_hands"][1]["exact_odds"] == pytest.approx(2741, abs=0.5)
    assert result["random_hands"][2]["exact_odds"] == pytest.approx(70_454_349, abs=0.5)
    assert sum(end["games"] for end in result["ends"]) == 2000
    assert "odds" not in result["random_hands"][2], "none was seen, so there are no odds"


def test_simulate_says_what_it_counts(run: Run) -> None:
    out = run("simulate", "--games", "2000", "--seed", "7", "--policy", "first")[1]
    assert "2,000 games, seed 7." in out
    assert "the first set in the order of the table" in out
    assert "Tables in play, up to the last deal" in out
    assert "Tables in play, to the end of the game" in out
    assert "Tables of 12 by round" in out
    assert "Cards left at the end" in out
    assert "70,454,349" in out


@pytest.mark.parametrize("arguments", [["--games", "0"], ["--policy", "best"], ["--workers", "0"]])
def test_options_out_of_range_are_refused(run: Run, arguments: list[str]) -> None:
    code, out, err = run("simulate", *arguments)
    assert (code, out) == (2, "")
    assert "Traceback" not in err
