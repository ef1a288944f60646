"""`setset status` as a user meets it."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.conftest import run_process


def test_the_table(workspace: Path) -> None:
    shown = run_process("status", workspace=workspace)
    assert shown.returncode == 0
    assert "13,394,538" in shown.stdout
    assert shown.stdout.count("complete") == 3


def test_json(workspace: Path) -> None:
    status = json.loads(run_process("status", "--json", workspace=workspace).stdout)
    assert [(size["size"], size["lists"], size["state"]) for size in status["sizes"]] == [
        (3, 58_896, "complete"),
        (4, 1_004_589, "complete"),
        (5, 13_394_538, "complete"),
    ]
    assert status["items"] == []
    assert {host["size"] for host in status["hosts"]} == {3, 4, 5}
