"""A game for people: what is understood, what is said, and a real terminal."""

from __future__ import annotations

import contextlib
import os
import re
import select
import struct
import subprocess
import sys
import time

import pytest

from setset.errors import BadInput
from setset.show.session import Call, Session, clock_text, parse_call
from setset.table import call_set, deal_more


class Clock:
    """A clock that a test turns."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.mark.parametrize(
    ("line", "players", "call"),
    [
        ("afk", [], Call(0, "afk")),
        ("A f, K", [], Call(0, "afk")),
        ("none", [], Call(0, "")),
        ("n", ["Ada"], Call(0, "")),
        ("2 afk", ["Ada", "Emmy"], Call(1, "afk")),
        ("emmy a f k", ["Ada", "Emmy"], Call(1, "afk")),
        ("1 none", ["Ada", "Emmy"], Call(0, "")),
    ],
)
def test_what_players_type(line: str, players: list[str], call: Call) -> None:
    assert parse_call(line, players, 12) == call


@pytest.mark.parametrize(
    ("line", "players"),
    [("af", []), ("afkl", []), ("aaf", []), ("afm", []), ("hello", []), ("afk", ["Ada", "Emmy"]),
     ("3 afk", ["Ada", "Emmy"]), ("2", ["Ada", "Emmy"]), ("0 afk", ["Ada", "Emmy"]),
     (",", []), (",", ["Ada", "Emmy"])],
)  # fmt: skip
def test_what_is_no_call_is_refused(line: str, players: list[str]) -> None:
    with pytest.raises(BadInput):
        parse_call(line, players, 12)


def test_calls_score_and_say_so() -> None:
    clock = Clock()
    session = Session(7, ["Ada", "Emmy"], clock)
    clock.now = 65
    assert session.answer("1 ace")
    assert session.message.startswith("1:05  Ada: a set, a point. purple two open oval")
    assert session.game.scores == (1, 0)
    assert session.answer("emmy none")
    assert "Emmy: wrong, a point off. There is a set." in session.message
    assert session.answer("2 abc")
    assert "wrong, a point off. Shading: solid, open, open." in session.message
    assert session.game.scores == (1, -2)


def test_a_line_that_is_no_call_costs_nothing() -> None:
    session = Session(7)
    before = session.game
    for line in ("xyz", "ab", "help", "", "hint"):
        assert session.answer(line)
        assert session.game is before


def test_hints_say_more_each_time_and_begin_anew_with_the_table() -> None:
    session = Session(7)
    messages = []
    for _ in range(4):
        session.answer("hint")
        messages.append(session.message)
    assert messages[0] == "There are 3 sets on the table."
    assert messages[1] == "One of the sets has a."
    assert messages[2] == messages[3] == "One of the sets has a and c."
    session.answer("ace")
    session.answer("hint")
    assert session.message == "There are 5 sets on the table."
    assert session.hints == 5


def test_none_brings_three_more_cards_when_there_is_no_set() -> None:
    session = Session(7)
    while session.game.sets:
        session.game = call_set(session.game, 0, session.game.sets[0]).game
    session.answer("hint")
    assert session.message == "There are no sets on the table."
    expected = deal_more(session.game)
    session.answer("none")
    assert session.game == expected
    assert "right, there is no set" in session.message


def test_quitting_ends_the_session() -> None:
    assert not Session(7).answer("quit")


@pytest.mark.parametrize("names", [[""], ["a, b"], ["12"], ["3 wise men"], ["Ada", "ADA"]])
def test_names_that_could_not_be_called_by_are_refused(names: list[str]) -> None:
    with pytest.raises(BadInput):
        Session(1, names)


def test_clock() -> None:
    assert [clock_text(seconds) for seconds in (0, 59.9, 60, 3661)] == ["0:00", "0:59", "1:00", "61:01"]


def test_a_whole_game_through_a_pipe() -> None:
    """The calls of a game that plays itself, typed by a person who never sees a terminal."""
    game, lines = Session(3).game, []
    while not game.over:
        if game.sets:
            lines.append("".join("abcdefghijklmnopqrstu"[game.table.index(card)] for card in game.sets[0]))
            game = call_set(game, 0, game.sets[0]).game
        else:
            lines.append("none")
            game = deal_more(game)
    result = subprocess.run(
        [sys.executable, "-m", "setset", "play", "--seed", "3", "--no-record"],
        input="\n".join(lines),
        capture_output=True,
        text=True,
        check=True,
    )
    assert f"The game is over: {len(game.table)} cards left, no set among them." in result.stdout
    assert f"score {len(game.taken)}" in result.stdout
    assert "\x1b" not in result.stdout


@pytest.mark.posix("needs a terminal of POSIX")
def test_a_real_terminal_draws_in_colour_ticks_and_obeys() -> None:
    import fcntl
    import pty
    import termios

    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 100, 0, 0))
    environment = {**os.environ, "TERM": "xterm-256color", "LANG": "C.UTF-8", "PYTHONIOENCODING": "utf-8"}
    for name in ("NO_COLOR", "COLUMNS", "LINES"):
        environment.pop(name, None)
    command = [sys.executable, "-m", "setset", "play", "--seed", "7"]
    with subprocess.Popen(command, stdin=slave, stdout=slave, stderr=slave, env=environment) as game:
        os.close(slave)
        output = read_until(master, "> ")
        assert "⠀⡰⢆⠀" in output, "an open diamond"
        assert re.search(r"\x1b\[38;5;\d+m|\x1b\[3\dm|\x1b\[9\dm", output), "in colour"
        assert re.search(r"\x1b7\x1b\[1;1H\d+:\d\d\x1b8", read_until(master, "\x1b8")), "the clock ticks"
        os.write(master, b"ace\n")
        assert "a set, a point" in read_until(master, "point")
        os.write(master, b"quit\n")
        assert "score 1" in read_until(master, "seed 7")
        assert game.wait(120) == 0
    os.close(master)


def read_until(master: int, text: str, patience: float = 20) -> str:
    """Output of the terminal up to some text; fails if the text does not come."""
    output, end = b"", time.monotonic() + patience
    while text not in output.decode("utf-8", "replace"):
        ready, _, _ = select.select([master], [], [], max(0.0, end - time.monotonic()))
        assert ready, f"{text!r} did not come, only {output!r}"
        output += os.read(master, 65536)
    return output.decode("utf-8", "replace")


def test_names_of_several_words() -> None:
    players = ["Ada", "Ada Lovelace", "Emmy Noether"]
    calls = [
        parse_call(line, players, 12).player for line in ("ada abc", "Ada  Lovelace a b c", "emmy noether none", "3 n")
    ]
    assert calls == [0, 1, 2, 2]


@pytest.mark.posix("needs a terminal of POSIX")
def test_ctrl_c_shows_the_score() -> None:
    """At a terminal: a line is typed, then Ctrl-C."""
    import pty

    pid, terminal = pty.fork()
    if pid == 0:
        os.execv(sys.executable, [sys.executable, "-m", "setset", "play", "--seed", "7"])
    output = b""
    while b"> " not in output:
        output += os.read(terminal, 4096)
    with contextlib.suppress(OSError):  # the end of a terminal is an error on Linux
        while True:
            # Between the prompt and the reading it is not heard: whoever plays would press it again.
            os.write(terminal, b"\x03")
            deadline = time.monotonic() + 2
            while time.monotonic() < deadline:
                if select.select([terminal], [], [], 0.1)[0]:
                    output += os.read(terminal, 4096)
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    os.close(terminal)
    assert code == 130
    assert b"no sets, no hints\r\n" in output
    assert b"score 0   seed 7\r\n" in output
    assert b"Traceback" not in output
