"""`setset classify` as a user meets it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from setset.cards import name
from setset.symmetry import Catalogue
from tests.cli.conftest import Refuse
from tests.conftest import Run
from tests.symmetry import naive

HAND = ["80", "3", "14", "40", "5"]


def test_classify(run: Run, nowhere: Path) -> None:
    code, out, err = run("classify", *HAND)
    assert (code, err) == (0, "")
    assert "class         5/2: 16,376,256 of the 22,441,536 lists of 5 cards\n" in out
    assert "canonical     0 1 3 9 27\n" in out
    assert "map           colour' = shading + 2, " in out
    assert "stabilizer    120 of the 1,965,150,720 symmetries" in out
    assert "can be added  66: 1 2 6 7 " in out
    assert "remaining     0 of the 66 are above the highest card\n" in out
    assert list(nowhere.iterdir()) == []


def test_classify_as_json(run: Run) -> None:
    names = [name(int(card)) for card in HAND]
    data = json.loads(run("classify", *names, "--json")[1])
    assert data == json.loads(run("classify", "3,5,14,40,80", "--json")[1])
    assert (data["class"], data["canonical"]) == ("5/2", [0, 1, 3, 9, 27])
    assert (data["lists_in_class"], data["stabilizer"], data["complete"]) == (16_376_256, 120, False)
    matrix, translation = data["map"]["matrix"], data["map"]["translation"]
    image = []
    for card in data["cards"]:
        digits = [card // 27, card // 9 % 3, card // 3 % 3, card % 3]
        digits_moved = [
            (sum(a * x for a, x in zip(row, digits, strict=True)) + b) % 3
            for row, b in zip(matrix, translation, strict=True)
        ]
        image.append(int("".join(map(str, digits_moved)), 3))
    assert sorted(image) == [0, 1, 3, 9, 27]
    addable = [c for c in range(81) if c not in data["cards"] and naive.is_list(sorted([*data["cards"], c]))]
    assert data["extensions"] == addable
    assert data["remaining"] == [card for card in addable if card > 80]


def test_a_complete_hand(run: Run, catalogue: Catalogue) -> None:
    cards = [str(card) for card in catalogue.get(20, 0).cards]
    out = run("classify", *cards)[1]
    assert "complete      yes, no card can be added\n" in out
    assert "remaining" not in out


def test_a_hand_with_a_set_names_the_set(run: Run) -> None:
    code, out, _ = run("classify", "7", "80", "0", "40")
    assert code == 1
    assert out.splitlines()[0] == "the cards hold a set: 0 40 80"
    assert "red one solid diamond, green two striped squiggle, purple three open oval" in out
    code, out, _ = run("classify", "7", "80", "0", "40", "--json")
    assert (code, json.loads(out)["set"], json.loads(out)["class"]) == (1, [0, 40, 80], None)


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["classify", "81"], "not a card: '81' (give 0 to 80, "),
        (["classify", "-1"], "not a card: '-1'"),
        (["classify", "5", "7", "5"], "card 5 (red one striped oval) is given twice"),
        (["classify", "red one solid"], "not a card: 'red one solid'"),
        (["classify"], "no cards: give numbers"),
    ],
)
def test_bad_input_is_one_clear_line(refuse: Refuse, arguments: list[str], complaint: str) -> None:
    refuse(arguments, complaint)
