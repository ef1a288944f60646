"""`setset find` as a user meets it."""

from __future__ import annotations

import json

import pytest

from tests.cli.conftest import Refuse
from tests.conftest import Run


def test_find_prints_every_set(run: Run) -> None:
    code, out, _ = run("find", "0", "40", "80", "7")
    assert code == 0
    assert "1 set among 4 cards" in out
    assert "r1fd g2hs p3eo" in out


def test_find_says_that_there_is_none(run: Run) -> None:
    code, out, _ = run("find", "0", "1", "3")
    assert (code, out) == (1, "no sets among 3 cards\n")


def test_find_in_a_deal_shows_the_cards_and_the_seed(run: Run) -> None:
    code, out, _ = run("find", "--deal", "12", "--seed", "7")
    assert code == 0
    assert "3 sets among 12 cards" in out
    assert "71  p2eo  purple two open oval" in out
    assert "seed 7" in out


def test_find_ultra_sets(run: Run) -> None:
    code, out, _ = run("find", "--ultra", "1", "2", "3", "6")
    assert code == 0
    assert "r1fs r1fo + r1hd r1ed  both need r1fd (not on the table)" in out
    assert run("find", "--ultra", "0", "1")[0] == 1


def test_find_as_json_has_plain_numbers(run: Run) -> None:
    code, out, _ = run("find", "--json", *map(str, range(81)))
    assert code == 0
    assert len(json.loads(out)["sets"]) == 1080
    ultra = json.loads(run("find", "--json", "--ultra", "1", "2", "3", "6")[1])["ultra_sets"]
    assert ultra == [{"first": [1, 2], "second": [3, 6], "third": 0}]


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["find"], "no cards: give numbers"),
        (["find", "0", "81"], "not a card: '81'"),
        (["find", "red", "one", "solid"], "not a card: 'red'"),
        (["find", "0", "1", "0"], "card 0 (red one solid diamond) is given twice"),
        (["find", "0", "--deal", "12"], "not both"),
        (["find", "0", "--seed", "12"], "not both"),
    ],
)
def test_bad_input_is_one_clear_line(refuse: Refuse, arguments: list[str], complaint: str) -> None:
    refuse(arguments, complaint)
