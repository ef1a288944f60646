"""`setset rm` as a user meets it: it says what, asks, and does it."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from tests.cli.conftest import SETSET
from tests.commands import run_here
from tests.small import digests

RM = ("rm", "--target", "12", "--size", "5")


def test_it_says_what_and_how_much(own_workspace: Path) -> None:
    before = digests(own_workspace)
    result = run_here(*RM, "--dry-run", workspace=own_workspace)
    assert result.returncode == 0
    lines = [line.split() for line in result.stdout.splitlines()]
    assert lines[0] == ["target", "12"]
    assert [line[:4] for line in lines[2:]] == [["5", "1", "0", "13,394,538"], ["all", "1", "0", "13,394,538"]]
    assert digests(own_workspace) == before


def test_where_nobody_can_be_asked_it_needs_yes(own_workspace: Path) -> None:
    refusal = run_here(*RM, workspace=own_workspace)
    assert (refusal.returncode, refusal.stderr) == (2, "setset: not a terminal, cannot ask: add --yes\n")
    result = run_here(*RM, "--yes", "--json", workspace=own_workspace)
    assert result.returncode == 0
    (size,) = json.loads(result.stdout)["sizes"]
    assert (size["size"], size["files"], size["lists"]) == (5, 1, 13_394_538)
    rerun = run_here(*RM, "--yes", workspace=own_workspace)
    assert (rerun.returncode, rerun.stdout) == (0, "nothing to remove for target 12\n")
    assert run_here("check", "-q", workspace=own_workspace).stdout == "no problems found\n"


@pytest.mark.posix("needs a terminal of POSIX")
@pytest.mark.parametrize(("answer", "code"), [("n", 1), ("y", 0)])
def test_on_a_terminal_it_asks(own_workspace: Path, answer: str, code: int) -> None:
    import pty  # not on Windows

    before = digests(own_workspace)
    person, terminal = pty.openpty()
    words = [*SETSET, *RM, "--workspace", str(own_workspace)]
    with subprocess.Popen(words, stdin=terminal, stdout=subprocess.PIPE, text=True) as process:
        os.write(person, f"{answer}\n".encode())
        output, _ = process.communicate(timeout=60)
    os.close(person)
    os.close(terminal)
    assert process.returncode == code, output
    assert "Remove 1 file of target 12? [y/N]" in output
    assert ("nothing was changed" in output) == (code == 1)
    assert len(digests(own_workspace)) == len(before) - (answer == "y")
