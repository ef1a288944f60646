"""The commands as a user meets them: what they print, and with which exit code."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import Run

COMMANDS = ("find", "deal", "play", "simulate", "draw")


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
    assert "r1fs r1fo + r1hd r1ed  both need r1fd (not there)" in out
    assert run("find", "--ultra", "0", "1")[0] == 1


def test_find_as_json_has_plain_numbers(run: Run) -> None:
    code, out, _ = run("find", "--json", *map(str, range(81)))
    assert code == 0
    assert len(json.loads(out)["sets"]) == 1080
    ultra = json.loads(run("find", "--json", "--ultra", "1", "2", "3", "6")[1])["ultra_sets"]
    assert ultra == [{"first": [1, 2], "second": [3, 6], "third": 0}]


def test_a_deal_can_be_had_again(run: Run) -> None:
    code, out, _ = run("deal", "--seed", "7", "--json")
    assert code == 0
    dealt = json.loads(out)
    assert [each["card"] for each in dealt["cards"]] == [71, 24, 27, 76, 22, 46, 77, 60, 14, 39, 23, 13]
    unseeded = json.loads(run("deal", "--cards", "5", "--json")[1])
    again = json.loads(run("deal", "--cards", "5", "--json", "--seed", str(unseeded["seed"]))[1])
    assert unseeded == again
    assert len(run("deal", "--cards", "15", "--seed", "1")[1].splitlines()) == 15


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


def test_simulate_as_json(run: Run) -> None:
    code, out, err = run("simulate", "--games", "2000", "--seed", "7", "--json")
    assert (code, err) == (0, "")
    result = json.loads(out)
    twelve = result["random_hands"][0]
    assert (
        twelve["exact_chance"]["numerator"] * 10074689485 == 325432404 * twelve["exact_chance"]["denominator"]
    )
    assert twelve["exact_odds"] == pytest.approx(29.96, abs=0.005)
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


def test_draw_writes_the_picture_and_says_so(run: Run, tmp_path: Path) -> None:
    for kind in ("svg", "png"):
        path = tmp_path / f"table.{kind}"
        code, out, _ = run("draw", "--deal", "12", "--seed", "7", "--sets", "-o", str(path))
        assert code == 0
        assert out == f"{path}: 12 cards, 3 sets outlined\n"
        assert path.stat().st_size > 1000
    assert sorted(each.name for each in tmp_path.iterdir()) == ["table.png", "table.svg"]


def test_draw_without_a_file_prints_the_cards(run: Run) -> None:
    assert run("draw", "0", "80")[1] == " 0  r1fd  red one solid diamond\n80  p3eo  purple three open oval\n"


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["find"], "which cards?"),
        (["find", "0", "81"], "not a card: '81'"),
        (["find", "red", "one", "solid"], "not a card: 'red'"),
        (["find", "0", "1", "0"], "card 0 (red one solid diamond) is given twice"),
        (["find", "0", "--deal", "12"], "not both"),
        (["find", "0", "--seed", "12"], "not both"),
        (["draw"], "which cards?"),
        (["draw", "0", "-o", "x.jpg"], "must end in .svg or .png"),
        (["draw", "0", "--columns", "2"], "--columns needs a picture"),
        (["play", "--json"], "--json needs --auto"),
        (["play", "--auto", "--player", "Ada"], "leave out --player"),
        (["play", "--player", "Ada", "--player", "ada"], "the same name"),
        (["play", "--player", "7"], "not a player's name"),
    ],
)
def test_bad_input_is_one_clear_line(run: Run, arguments: list[str], complaint: str) -> None:
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert complaint in err
    assert err.startswith("setset: ")
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    "arguments",
    [["deal", "--cards", "82"], ["deal", "--cards", "0"], ["deal", "--seed", "-1"],
     ["simulate", "--games", "0"], ["simulate", "--policy", "best"],
     ["simulate", "--workers", "0"], ["draw", "0", "--scale", "0"]],
)  # fmt: skip
def test_options_out_of_range_are_refused(run: Run, arguments: list[str]) -> None:
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert "Traceback" not in err


def test_a_picture_that_cannot_be_written_is_one_line(run: Run, tmp_path: Path) -> None:
    code, _, err = run("draw", "0", "-o", str(tmp_path / "missing" / "x.svg"))
    assert code == 1
    assert err.count("\n") == 1
    assert "cannot write" in err


@pytest.mark.parametrize("name", COMMANDS)
def test_help_is_quick_and_has_an_example(name: str) -> None:
    """`--help` loads neither numba nor SQLAlchemy, and shows how the command is used."""
    program = (
        "import sys; sys.argv = ['setset', sys.argv[1], '--help']\n"
        "from setset.cli import main\n"
        "try:\n    main()\nfinally:\n"
        "    assert not {'numba', 'sqlalchemy', 'numpy', 'pysat'} & set(sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", program, name], capture_output=True, text=True, check=True)
    assert "Example" in done.stdout
    assert f"setset {name}" in done.stdout.split("Example")[1]
