"""`setset history` as a user meets it."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

from setset.database.runs import Run as RecordedRun
from setset.folder import WorkspaceFolder
from tests.cli.conftest import run_process
from tests.commands import run_here


def test_a_run(workspace: Path) -> None:
    (first,) = json.loads(run_here("history", "--json", workspace=workspace).stdout)
    assert set(first) == {field.name for field in dataclasses.fields(RecordedRun)}
    assert first["outcome"] == "done"
    assert first["command"] == "setset run --size 5 --workers 2"
    assert first["lists_added"] == 58_896 + 1_004_589 + 13_394_538
    assert "setset run --size 5" in run_here("history", workspace=workspace).stdout


def test_a_refused_run_is_in_the_history_unless_another_one_writes(own_workspace: Path) -> None:
    def refused() -> list[str]:
        runs = json.loads(run_here("history", "--json", workspace=own_workspace).stdout)
        return [run["outcome"] for run in runs if run["outcome"].startswith("refused: ")]

    refusals = [
        (["--executor", "nowhere"], "--executor nowhere: expected local"),
        (["--from", "99"], "--from 99: there is no batch 99 of size 4"),
        (["--batch-lists", "9999999999"], "--batch-lists 9999999999: expected 1 to"),
    ]
    for options, reason in refusals:
        assert run_here("run", "--size", "5", *options, workspace=own_workspace).returncode == 2
        assert refused()[0].startswith(f"refused: {reason}")
    database = (own_workspace / "setset.db").read_bytes()
    with WorkspaceFolder(own_workspace).locked():
        assert run_process("run", "--size", "5", *refusals[0][0], workspace=own_workspace).returncode == 2
        assert run_process("run", "--size", "5", workspace=own_workspace).returncode == 11
    assert (own_workspace / "setset.db").read_bytes() == database
    assert len(refused()) == len(refusals)


def test_all_that_writes_is_in_the_history(own_workspace: Path) -> None:
    def history() -> list[tuple[str, str]]:
        runs = json.loads(run_here("history", "--json", workspace=own_workspace).stdout)
        return [(run["command"], run["outcome"]) for run in runs]

    assert run_here("compact", "--size", "5", "--quiet", workspace=own_workspace).returncode == 0
    assert history()[0] == ("setset compact --size 5 --target 12", "done")
    assert run_here("repair", "--quiet", workspace=own_workspace).returncode == 0
    assert history()[0] == ("setset repair", "done")
    assert run_here("db", "rebuild", "--quiet", workspace=own_workspace).returncode == 0
    assert history() == [("setset db rebuild", "done")]
