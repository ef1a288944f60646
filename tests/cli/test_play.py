"""`setset play` as a user meets it; tests/show/test_session.py plays with people."""

from __future__ import annotations

import json

import pytest

from tests.cli.conftest import Refuse
from tests.conftest import Run


def test_play_by_itself_goes_to_the_end(run: Run) -> None:
    code, out, _ = run("play", "--auto", "--seed", "7")
    assert code == 0
    assert out.splitlines()[1] == "round  1  12 cards, deck 69,  3 sets: takes p2eo g1fd r3hs"
    assert "no sets: three more cards" in out
    assert "no sets: the game is over" in out
    assert "24 sets taken, 9 cards left" in out


def test_play_by_itself_as_json(run: Run) -> None:
    steps = json.loads(run("play", "--auto", "--seed", "7", "--policy", "first", "--json")[1])["steps"]
    assert steps[0]["took"] == steps[0]["sets"][0]
    assert steps[-1]["took"] is None
    assert steps[-1]["deck"] == 0


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["play", "--json"], "--json needs --auto"),
        (["play", "--auto", "--player", "Ada"], "leave out --player"),
        (["play", "--player", "Ada", "--player", "ada"], "the same name"),
        (["play", "--player", "7"], "not a player's name"),
    ],
)
def test_bad_input_is_one_clear_line(refuse: Refuse, arguments: list[str], complaint: str) -> None:
    refuse(arguments, complaint)
