"""`setset status` on a run of several hosts: a table of what each of them did."""

from __future__ import annotations

import json
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from click.testing import CliRunner

from setset.cli import cli
from setset.folder import WorkspaceFolder
from setset.jobs.options import RunOptions
from setset.jobs.run import run


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    run(WorkspaceFolder(tmp_path / "w"), RunOptions(5, 16, 2, 200_000, executor=ThreadPoolExecutor))
    return tmp_path / "w"


def status(workspace: Path, *options: str) -> str:
    result = CliRunner().invoke(cli, ["status", "-w", str(workspace), *options], catch_exceptions=False)
    assert result.exit_code == 0
    return result.output


def test_one_host_needs_no_table(workspace: Path) -> None:
    assert "M lists/s a worker" not in status(workspace)
    assert len(json.loads(status(workspace, "--json"))["hosts"]) == 3


def test_several_hosts_are_told_apart(workspace: Path) -> None:
    with sqlite3.connect(workspace / "setset.db") as do:
        do.execute("UPDATE expansions SET host = 'node' || (source % 2), seconds = 2 WHERE size = 5")
    do.close()
    lines = [line.split() for line in status(workspace).splitlines() if line.startswith("node")]
    assert [line[:3] for line in lines] == [["node0", "16", "5"], ["node1", "16", "5"]]
    hosts = {host["host"]: host for host in json.loads(status(workspace, "--json"))["hosts"] if host["size"] == 5}
    assert hosts.keys() == {"node0", "node1"}
    for host in hosts.values():
        assert host["lists_per_second"] == pytest.approx(host["lists"] / (2 * host["expansions"]), abs=1)
