"""`setset repair` as a user meets it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import setset
from setset.show.report import collect
from tests.cli.conftest import Refuse
from tests.commands import run_here


def test_a_damaged_file_is_rebuilt(own_workspace: Path) -> None:
    path = next((own_workspace / "batches/t12/s05").glob("*.setset"))
    original = path.read_bytes()
    path.write_bytes(original[:-1])
    assert "would rebuild" in run_here("repair", "--dry-run", "-q", workspace=own_workspace).stdout
    assert path.read_bytes() == original[:-1]
    assert "rebuilt" in run_here("repair", "-q", workspace=own_workspace).stdout
    assert path.read_bytes() == original
    assert run_here("repair", "-q", workspace=own_workspace).stdout == "nothing to repair\n"
    with setset.open(own_workspace) as opened:
        last, before = opened.runs(2)
        repairs = collect(opened, "today")["repairs"]
    name = path.relative_to(own_workspace / "batches").as_posix()
    assert (last.outcome, last.repaired) == ("done", None)
    assert before.outcome == "done"
    assert re.fullmatch(rf"{name} \(.*{len(original)}.*\)", before.repaired or "")
    assert [(record["id"], record["repaired"]) for record in repairs] == [(last.id, None), (before.id, before.repaired)]


def test_a_batch_that_is_named_is_derived_again_whatever_its_state(own_workspace: Path) -> None:
    path = next((own_workspace / "batches/t12/s05").glob("*.setset"))
    original = path.read_bytes()
    for data in (original, original[:-1], b""):
        path.write_bytes(data)
        result = run_here("repair", "-q", "--size", "5", "--batch", "0", workspace=own_workspace)
        assert result.returncode == 0
        assert path.read_bytes() == original


def test_json(own_workspace: Path) -> None:
    path = next((own_workspace / "batches/t12/s05").glob("*.setset"))
    original = path.read_bytes()
    path.write_bytes(original[:-1])
    foreign = path.with_name("notes.txt")
    foreign.write_text("mine")
    for arguments in (["--dry-run"], []):
        process = run_here("repair", *arguments, "--json", workspace=own_workspace)
        assert (process.returncode, process.stderr) == (0, "")
        result = json.loads(process.stdout)
        assert set(result) == {"repaired", "left"}
        assert [(finding["kind"], finding["where"]) for finding in result["repaired"]] == [("file", str(path))]
        assert [(finding["kind"], finding["where"]) for finding in result["left"]] == [("foreign", str(foreign))]
    assert path.read_bytes() == original
    assert foreign.read_text() == "mine"


def test_a_batch_needs_a_size(refuse_in_workspace: Refuse) -> None:
    refuse_in_workspace(["repair", "--batch", "7"], "--batch needs --size")


def test_deep_is_what_check_deep_names(own_workspace: Path) -> None:
    """`check --deep` says: run 'setset repair --deep'."""
    result = run_here("repair", "--deep", workspace=own_workspace)
    assert (result.returncode, result.stdout) == (0, "nothing to repair\n")
    assert "compare 5" in result.stderr
