"""Many hands, a line each, as `classify`, `find`, `rank` and `draw` take them."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

import setset
from tests.cli.conftest import SETSET, Refuse
from tests.conftest import Run

LINES = """\
# a comment, then a blank line

80 3 14 40 5
7,80,0,40
red one solid diamond, green two striped squiggle   # two cards by their names
r1fd g2hs p3eo 7
1 2 81
5 5
"""
BAD = (
    "setset: {}, line 7: not a card: '81' (give 0 to 80, a name such as 'red one solid diamond', or r1fd)\n"
    "setset: {}, line 8: card 5 (red one striped oval) is given twice\n"
)


@pytest.fixture
def hands(tmp_path: Path) -> str:
    path = tmp_path / "hands.txt"
    path.write_text(LINES)
    return str(path)


def test_classify_a_line_each(run: Run, hands: str) -> None:
    code, out, err = run("classify", "--file", hands)
    assert (code, err) == (1, BAD.format(hands, hands))
    lines = ["5/2     3 5 14 40 80", "-       0 7 40 80  set 0 40 80", "2/0     0 40", "-       0 7 40 80  set 0 40 80"]
    assert out.splitlines() == lines


def test_classify_as_json_says_the_same_of_each_as_of_one(run: Run, hands: str) -> None:
    records = [json.loads(line) for line in run("classify", "--file", hands, "--json")[1].splitlines()]
    assert [record.pop("line") for record in records] == [3, 4, 5, 6, 7, 8]
    bad = [records.pop(), records.pop()]  # a bad line has a row, too, with what is wrong
    assert [(record["cards"], record["class"]) for record in bad] == [(None, None)] * 2
    assert [record["error"].split(" (")[0] for record in bad] == ["card 5", "not a card: '81'"]
    hands_to_classify = ["80 3 14 40 5", "7 80 0 40", "0 40", "0 40 80 7"]
    assert records == [json.loads(run("classify", *hand.split(), "--json")[1]) for hand in hands_to_classify]


def test_standard_input() -> None:
    result = subprocess.run([*SETSET, "rank", "-"], input=LINES, capture_output=True, text=True, check=False)
    message = "setset: standard input, line {}: the cards hold a set: 0 40 80\n"
    assert result.returncode == 1
    ranks = setset.rank([3, 5, 14, 40, 80]), setset.rank([0, 40])
    assert result.stdout == "{}  3 5 14 40 80\n{}  0 40\n".format(*ranks)
    assert result.stderr == message.format(4) + message.format(6) + BAD.format("standard input", "standard input")


def test_find_a_line_each(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "tables"
    path.write_text("0 40 80 1 2\n5 7\n1 2 3 6\n")
    code, out, _ = run("find", "--file", str(path))
    assert (code, out) == (0, "0 40 80 1 2: 0 40 80, 0 1 2\n5 7: none\n1 2 3 6: none\n")
    _, out, _ = run("find", "--file", str(path), "--ultra", "--json")
    assert json.loads(out.splitlines()[2]) == {"line": 3, "cards": [1, 2, 3, 6], "ultra_sets": [[1, 2, 3, 6]]}


def test_draw_makes_a_picture_a_line(run: Run, hands: str, tmp_path: Path) -> None:
    code, out, _ = run("draw", "--file", hands, "-o", str(tmp_path / "table.svg"))
    assert code == 1
    pictures = [f"table-{line}.svg" for line in (3, 4, 5, 6)]
    assert sorted(path.name for path in tmp_path.glob("*.svg")) == pictures
    assert out.splitlines()[0] == f"{tmp_path / 'table-3.svg'}: 5 cards"


@pytest.mark.parametrize("command", ["classify", "find", "rank", "draw"])
def test_hands_come_from_one_place(refuse: Refuse, hands: str, command: str) -> None:
    refuse([command, "5", "--file", hands], "give CARDS or --file, not both")


def test_hands_of_a_file_are_not_dealt(refuse: Refuse, hands: str) -> None:
    refuse(["find", "--file", hands, "--deal", "3"], "give hands by --file or -, or --deal with --seed, not both")
