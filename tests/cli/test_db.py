"""`setset db` as a user meets it."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.conftest import Refuse
from tests.commands import run_here


def test_current(workspace: Path) -> None:
    assert run_here("db", "current", workspace=workspace).returncode == 0
    current = json.loads(run_here("db", "current", "--json", workspace=workspace).stdout)
    assert current["database"] == current["setset"]


def test_upgrade(own_workspace: Path) -> None:
    assert run_here("db", "upgrade", workspace=own_workspace).stdout == "up to date\n"


def test_backup(workspace: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.db"
    assert run_here("db", "backup", str(copy), workspace=workspace).returncode == 0
    assert copy.stat().st_size > 0


def test_a_backup_is_not_made_over_a_file(refuse_in_workspace: Refuse, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    refuse_in_workspace(["db", "backup", str(tmp_path / "file")], "exists already: add --force")
    assert (tmp_path / "file").read_text() == "x"


def test_rebuild(own_workspace: Path) -> None:
    counts = run_here("count", "--json", workspace=own_workspace).stdout
    (own_workspace / "setset.db").unlink()
    rebuilt = run_here("db", "rebuild", "--quiet", workspace=own_workspace)
    assert (rebuilt.returncode, rebuilt.stderr) == (0, "")
    assert rebuilt.stdout.startswith("rebuilt: 'setset count' shows all lists")
    assert run_here("count", "--json", workspace=own_workspace).stdout == counts
