"""`setset compact` as a user meets it."""

from __future__ import annotations

from pathlib import Path

from tests.cli.conftest import Refuse
from tests.commands import run_here


def test_how_many_files_there_were_and_are(own_workspace: Path) -> None:
    result = run_here("compact", "--size", "5", "--quiet", workspace=own_workspace)
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout == "size 5: 1 file before, 1 now\n"


def test_what_others_are_derived_from_cannot_be_merged(refuse_in_workspace: Refuse) -> None:
    refuse_in_workspace(["compact", "--size", "4"], "larger sizes were made or counted")
