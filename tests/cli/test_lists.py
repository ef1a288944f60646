"""`setset lists` as a user meets it."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import setset
from setset.cards import name
from tests.cli.conftest import Refuse
from tests.commands import run_here
from tests.conftest import Run


def test_lists_are_printed_in_order(workspace: Path) -> None:
    first = run_here("lists", "--size", "5", "--limit", "2", workspace=workspace)
    assert first.stdout == "0 1 3 4 9\n0 1 3 4 10\n"
    last = run_here("lists", "--size", "5", "--start", "13394537", workspace=workspace)
    assert last.stdout == "67 68 70 71 73\n"
    complete = run_here("lists", "--size", "3", "--all", workspace=workspace)
    assert complete.stdout.count("\n") == 58_896


def test_names(workspace: Path) -> None:
    result = run_here("lists", "--size", "3", "--batch", "0", "--limit", "1", "--names", workspace=workspace)
    assert result.stdout == "red one solid diamond, red one solid squiggle, red one striped diamond\n"


def test_json_is_a_line_a_list(workspace: Path) -> None:
    result = run_here("lists", "--size", "4", "--limit", "2", "--json", workspace=workspace)
    assert [json.loads(line) for line in result.stdout.splitlines()] == [[0, 1, 3, 4], [0, 1, 3, 5]]


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--size", "5", "--batch", "77"], "there is no batch 77 of size 5: the batches are 0 to 0"),
        (["--size", "5", "--start", "99999999999"], "there is no list 99,999,999,999"),
        (["--size", "9"], "size 9 is not stored for target 12: run 'setset run 9 --target 12' first"),
        (["--size", "5", "--target", "7"], "nothing is known for target 7"),
    ],
)
def test_bad_input_is_one_line(refuse_in_workspace: Refuse, arguments: list[str], complaint: str) -> None:
    refuse_in_workspace(["lists", *arguments], complaint)


@pytest.mark.parametrize("size", [9, 12, 13])
def test_a_size_that_is_missing_names_commands_that_work_at_once(workspace: Path, run: Run, size: int) -> None:
    code, out, err = run("lists", str(size), "-w", str(workspace))
    assert (code, out) == (2, "")
    first, *lines = err.splitlines()
    run_first = f"setset run {size} --target 12{'' if size == 9 else f' --store {size}'} -w {workspace}"
    assert first == f"setset: size {size} is not stored for target 12: run '{run_first}' first"
    commands = [line.split("  ")[1] for line in lines if line.startswith("  setset ")]
    assert len(commands) == (5 if size == 9 else 6)
    for command in commands[:4]:
        assert run(*shlex.split(command)[1:])[0] == 0
    for command in commands[4:]:
        assert command.startswith(f"setset run {size} ")
        assert command.endswith(f" -w {workspace}")
    assert ("about 0.19 core-hours, no files" in err, "--dry-run" in err) == (size == 12, size == 13)
    assert (f"setset estimate {size} -w " in err) == (size == 9)


@pytest.mark.posix("needs a shell")
@pytest.mark.parametrize(("arguments", "lines"), [("lists --size 5 --all", 1), ("status --json", 0)])
def test_a_pipe_that_closes_early_is_no_error(workspace: Path, arguments: str, lines: int) -> None:
    reader = f"head -{lines}" if lines else "true"
    shell = f"({sys.executable} -m setset {arguments}; echo $? >&2) | {reader}"
    result = subprocess.run(
        ["sh", "-c", shell],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "SETSET_WORKSPACE": str(workspace)},
    )
    assert result.stdout == "0 1 3 4 9\n" * lines
    assert result.stderr == "0\n"


@pytest.mark.parametrize("options", [[], ["--names"], ["--json"], ["--names", "--json"]], ids=" ".join)
def test_the_lines_of_many_lists_are_those_of_each(workspace: Path, options: list[str]) -> None:
    """Across the blocks that are written at once."""
    result = run_here("lists", "--size", "4", "--limit", "70000", *options, workspace=workspace)
    with setset.open(workspace) as opened:
        lists = opened.exploration(12)[4][:70_000].tolist()
    for line, cards in zip(result.stdout.splitlines(), lists, strict=True):
        words = [name(card) for card in cards] if "--names" in options else cards
        separator = ", " if "--names" in options else " "
        assert line == (json.dumps(words) if "--json" in options else separator.join(map(str, words)))


@pytest.mark.posix("needs /dev/full")
@pytest.mark.parametrize(
    "arguments", ["lists --size 5 --all", "lists --size 5", "status --json", "sql --csv", "lists --help", "--help"]
)
def test_a_full_disk_behind_standard_output_is_one_line(workspace: Path, arguments: str) -> None:
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        result = subprocess.run(
            [sys.executable, "-m", "setset", *arguments.split()],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
            env={**os.environ, "SETSET_WORKSPACE": str(workspace)},
        )
    message = "setset: cannot write to standard output: No space left on device\n"
    assert (result.returncode, result.stderr) == (12, message)
