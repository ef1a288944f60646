"""`tools/hops.py`: how much a reader jumps between modules to follow a command."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

HOPS = Path(__file__).parent.parent / "tools" / "hops.py"
MOST = {"run": (100, 55), "repair": (86, 52), "check": (48, 21), "classify": (27, 12)}
"""Hops and returns of each command."""
MEASURED_WITH = (3, 11)
"""Other versions of Python report generators at other moments."""
THREADS = 2
"""A worker searches and writes at the same time, so the order of its functions differs a little."""


def test_four_commands_can_be_followed() -> None:
    words = [sys.executable, str(HOPS), "--json"]
    result = subprocess.run(words, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    assert result.stderr == ""
    records = {entry["command"]: entry for entry in json.loads(result.stdout)["commands"]}
    assert records.keys() == MOST.keys()
    for record in records.values():
        assert record["hops"] == record["modules"] - 1 + record["returns"] > 10
    if sys.version_info[:2] != MEASURED_WITH:
        return
    for command, (hops, returns) in MOST.items():
        record = records[command]
        assert record["hops"] <= hops + THREADS, command
        assert record["returns"] <= returns + THREADS, command
    sums = [sum(entry[kind] for entry in records.values()) for kind in ("hops", "returns")]
    assert sums[0] <= sum(hops for hops, _ in MOST.values()) + THREADS
    assert sums[1] <= sum(returns for _, returns in MOST.values()) + THREADS


def test_a_command_that_fails_says_so() -> None:
    words = [sys.executable, str(HOPS), "status", "-w", "nowhere"]
    result = subprocess.run(words, capture_output=True, text=True, check=False)
    assert "status -w nowhere ended with 10:" in result.stderr
