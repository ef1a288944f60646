"""`--workspace`, which most commands share."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import run_process
from tests.conftest import Run

HAND = ["80", "3", "14", "40", "5"]


@pytest.mark.parametrize(
    "command",
    [["status"], ["count"], ["check"], ["repair"], ["lists", "--size", "5"], ["sql"], ["db", "upgrade"]],
)
def test_what_is_no_workspace(tmp_path: Path, command: list[str]) -> None:
    done = run_process(*command, workspace=tmp_path / "nothing")
    assert done.returncode == 10
    assert done.stderr.startswith("setset: no workspace at ")
    assert not (tmp_path / "nothing").exists()


@pytest.mark.parametrize(
    "arguments",
    [
        ["classify", *HAND],
        ["rank", *HAND],
        ["unrank", "--size", "17", "100000000000"],
        ["members", "--class", "13/2000"],
        ["sample", "--size", "16", "--count", "3", "--seed", "1"],
    ],
    ids=lambda arguments: arguments[0],
)
def test_a_stored_catalogue_gives_the_same_answers(run: Run, classified: Path, arguments: list[str]) -> None:
    assert run(*arguments, "-w", str(classified)) == run(*arguments)
