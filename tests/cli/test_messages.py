"""Messages for mistakes name the option or file at fault, and the next step."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from tests.cli.conftest import Refuse, run_process
from tests.commands import run_here
from tests.conftest import Run


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ("lists --size six", "Invalid value for '--size': 'six', expected a whole number from 3 to 20."),
        ("lists --size 21", "Invalid value for '--size': 21, expected a whole number from 3 to 20."),
        ("lists --size 6 --limit -1", "Invalid value for '--limit': -1, expected a whole number from 0 on."),
        ("sample --size x", "Invalid value for '--size': 'x', expected a whole number from 1 to 20."),
        ("simulate --games 0", "'--games': 0, expected a whole number from 1 to 1,000,000,000,000."),
        ("sat solve --cards 20 --timeout x", "Invalid value for '--timeout': 'x', expected a number above 0."),
        ("draw 5 --scale 99", "Invalid value for '--scale': 99.0, expected a number from 0.1 to 20."),
    ],
)
def test_a_number_out_of_place(run: Run, arguments: str, complaint: str) -> None:
    code, out, err = run(*arguments.split())
    assert (code, out) == (2, "")
    assert complaint in err


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("red one solid diamnd", "red one solid diamond"),
        ("gren 2 strippd squigle", "green two striped squiggle"),
        ("pruple,three,open,ovl".replace(",", " "), "purple three open oval"),
    ],
)
def test_a_card_that_is_nearly_one(refuse: Refuse, text: str, meant: str) -> None:
    refuse(["find", text], f"not a card: {text!r} (did you mean {meant!r}?)")


@pytest.mark.parametrize("text", ["red one solid xyz", "red red red red", "r1fx", "one card"])
def test_a_card_that_is_none(refuse: Refuse, text: str) -> None:
    refuse(["find", text], f"not a card: {text!r} (give 0 to 80, a name such as ")


def test_options_that_need_another(refuse: Refuse) -> None:
    refuse(["play", "--policy", "first"], "--policy needs --auto")
    refuse(["play", "--json"], "--json needs --auto")


def test_a_file_where_a_workspace_should_be(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.touch()
    for folder in (path, path / "below"):
        code, _, err = run("run", "--size", "3", "-w", str(folder))
        assert (code, err) == (2, f"setset: {path} is a file: name a folder with --workspace\n")
    code, _, err = run("status", "-w", str(path))
    assert (code, err) == (10, f"setset: no workspace at {path}: this is a file, name a folder with --workspace\n")


@pytest.mark.posix("needs users and modes of files")
def test_a_database_without_permission(own_workspace: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("root may read everything")
    (own_workspace / "setset.db").chmod(0)
    result = run_process("status", workspace=own_workspace)
    message = f"setset: no permission to read {own_workspace / 'setset.db'}: ask its owner, or copy the workspace\n"
    assert (result.returncode, result.stderr) == (1, message)


ESCAPE = "\x1b]0;owned\x07\x1b[31m"
"""Sets the title and the colour of a terminal."""


@pytest.mark.parametrize(
    "arguments",
    [
        ["status", f"extra{ESCAPE}"],
        ["status", f"--no{ESCAPE}"],
        [f"status{ESCAPE}"],
        ["sat", "read", f"missing{ESCAPE}"],
        ["export", "lists", "--size", "5", "-o", "x", "--format", f"csv{ESCAPE}"],
        ["export", "classes", "--size", "3", "-o", f"made{ESCAPE}.csv"],
        ["draw", "1", "2", "-o", f"made{ESCAPE}.svg"],
        ["sat", "encode", "--cards", "3", "-o", f"made{ESCAPE}.cnf"],
    ],
    ids=lambda words: "-".join(words[:2]),
)
def test_no_escape_sequence_reaches_the_terminal(run: Run, arguments: list[str]) -> None:
    """From the name of a file that a shell or another program gives, as another user may have named it."""
    _, out, err = run(*arguments)
    assert "owned" in out + err
    assert not {"\x1b", "\x07"} & set(out + err)


def test_a_message_of_many_lines_stays_one(run: Run) -> None:
    code, _, err = run("status", "extra")
    assert code == 2
    assert err.splitlines()[0].startswith("Usage: ")
    assert err.splitlines()[-1] == "Error: Got unexpected extra argument (extra)"


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EDQUOT])
def test_no_room_for_a_folder(code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """First the folder of the workspace, then the folder of its files."""

    def fill(path: Path, *_: object, **__: object) -> None:
        raise OSError(code, os.strerror(code), str(path))

    workspace = tmp_path / "w"
    for _ in range(2):
        with monkeypatch.context() as context:
            context.setattr(Path, "mkdir", fill)
            result = run_here("run", "--size", "3", "-q", workspace=workspace)
        folder = workspace if not workspace.exists() else workspace / "batches"
        assert (result.returncode, result.stderr) == (12, f"setset: no room for {folder}: {os.strerror(code)}\n")
        workspace.mkdir(exist_ok=True)
