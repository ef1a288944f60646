"""`setset rank` as a user meets it."""

from __future__ import annotations

import json

import pytest

from tests.cli.conftest import Refuse
from tests.conftest import Run


def test_rank_and_unrank(run: Run) -> None:
    code, out, _ = run("unrank", "--size", "12", "1234567890123")
    assert code == 0
    assert run("unrank", "--size", "12", "1,234,567,890,123")[1] == out
    assert run("rank", *out.split())[1] == (
        "rank 1,234,567,890,123 of the 2,284,535,476,080 lists of 12 cards, from 0\n"
        "rank 1,681,457,163 of the 1,965,150,720 lists of class 12/786\n"
    )
    data = json.loads(run("rank", *out.split(), "--json")[1])
    assert data["rank"] == 1_234_567_890_123
    member = run("members", "--class", data["class"], "--start", str(data["rank_in_class"]), "--limit", "1")
    assert member[1] == out
    assert json.loads(run("unrank", "--size", "12", "1234567890123", "--json")[1]) == data["cards"]


def test_a_hand_with_a_set_has_no_rank(run: Run) -> None:
    assert run("rank", "0", "1", "2") == (1, "", "setset: the cards hold a set: 0 1 2\n")


@pytest.mark.parametrize(
    ("arguments", "complaint"), [(["rank", "yellow"], "not a card: 'yellow'"), (["rank"], "no cards: give numbers")]
)
def test_bad_input_is_one_clear_line(refuse: Refuse, arguments: list[str], complaint: str) -> None:
    refuse(arguments, complaint)
