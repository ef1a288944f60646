"""`setset play` as a user meets it; tests/show/test_session.py plays with people."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from setset.show.session import LABELS, Session
from tests.cli.conftest import SETSET, Refuse
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
        (["play", "--player", "Ada", "--player", "ada"], "the same name"),
        (["play", "--player", "7"], "not a player's name"),
    ],
)
def test_bad_input_is_one_clear_line(refuse: Refuse, arguments: list[str], complaint: str) -> None:
    refuse(arguments, complaint)


def winning_calls(seed: int) -> str:
    """Input of a player who sees every set."""
    session, lines = Session(seed), []
    while not session.game.over:
        sets, table = session.game.sets, session.game.table
        lines.append("".join(LABELS[table.index(card)] for card in sets[0]) if sets else "none")
        session.answer(lines[-1])
    return "\n".join(lines) + "\n"


def play(folder: Path, *options: str, lines: str | None = None) -> str:
    """The last lines of a game with seed 7, in a process whose user's files are in a folder."""
    homes = dict.fromkeys(("HOME", "XDG_DATA_HOME", "LOCALAPPDATA", "USERPROFILE"), str(folder))
    result = subprocess.run(
        [*SETSET, "play", "--seed", "7", *options],
        input=lines or winning_calls(7),
        env={**os.environ, **homes},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (result.returncode, result.stderr) == (0, "")
    return result.stdout.partition("The game is over")[2] or result.stdout[-300:]


def test_the_best_time_is_kept(tmp_path: Path) -> None:
    assert "best time" not in play(tmp_path, "--no-record")
    assert list(tmp_path.iterdir()) == []
    assert "best time" not in play(tmp_path, lines="hint\n" + winning_calls(7))
    assert "best time" not in play(tmp_path, lines="quit\n")
    assert list(tmp_path.iterdir()) == []

    assert play(tmp_path, "--player", "Ada Lovelace").endswith("a new best time\n")
    (path,) = tmp_path.rglob("best-times.json")
    times = json.loads(path.read_text())
    assert times["1"]["players"] == ["Ada Lovelace"]
    times["1"]["seconds"] = 10_000.0
    path.write_text(json.dumps(times))
    assert f"a new best time, before it was 166:40 by Ada Lovelace on {times['1']['day']}" in play(tmp_path)
    times["1"]["seconds"] = 0.0
    path.write_text(json.dumps(times))
    assert f"best time 0:00 by Ada Lovelace on {times['1']['day']}\n" in play(tmp_path)


def test_a_game_ends_well_where_no_best_time_can_be_kept(tmp_path: Path) -> None:
    """No folder can be made below a file, and a file may hold anything."""
    (tmp_path / "file").write_text("")
    assert "\nthe best time was not recorded: " in play(tmp_path / "file")
    play(tmp_path)
    (path,) = tmp_path.rglob("best-times.json")
    for text in ("", "[]", '{"1": 5}', "\x00"):
        path.write_text(text)
        play(tmp_path)
