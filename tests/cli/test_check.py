"""`setset check` as a user meets it."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from setset.cli import main
from tests.commands import run_here


def test_no_problems(workspace: Path) -> None:
    result = run_here("check", "--deep", "--quiet", workspace=workspace)
    assert (result.returncode, result.stdout) == (0, "no problems found\n")
    assert json.loads(run_here("check", "--json", workspace=workspace).stdout) == []


def test_a_foreign_file_is_a_warning(own_workspace: Path) -> None:
    foreign = own_workspace / "batches" / "notes.txt"
    foreign.write_text("mine")
    result = run_here("check", "--quiet", workspace=own_workspace)
    line = f"warning: foreign: {foreign}: not a file of setset; it is left alone\n"
    assert (result.returncode, result.stdout) == (0, f"{line}no problems found\n")
    strict = run_here("check", "--quiet", "--strict", "--json", workspace=own_workspace)
    assert strict.returncode == 1
    assert [finding["kind"] for finding in json.loads(strict.stdout)] == ["foreign"]
    foreign.unlink()
    assert run_here("check", "--quiet", "--strict", workspace=own_workspace).returncode == 0


def test_a_path_that_the_output_cannot_encode_is_no_crash(own_workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On Windows, a pipe takes the characters of one code page only."""
    (own_workspace / "batches" / "карты.txt").touch()
    output = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(output, encoding="cp1252", write_through=True))
    monkeypatch.setattr(sys, "argv", ["setset", "check", "--quiet", "--workspace", str(own_workspace)])
    with pytest.raises(SystemExit, match="0"):
        main()
    assert b"\\u043a\\u0430\\u0440\\u0442\\u044b.txt: not a file of setset" in output.getvalue()


def test_a_damaged_file_is_named_and_left_as_it_is(own_workspace: Path) -> None:
    path = next((own_workspace / "batches/t12/s05").glob("*.setset"))
    data = path.read_bytes()[:-1]
    path.write_bytes(data)
    result = run_here("check", "--quiet", workspace=own_workspace)
    assert result.returncode == 1
    assert "batch 0 of size 5" in result.stdout
    assert "setset repair" in result.stderr
    as_json = run_here("check", "--json", workspace=own_workspace)
    assert as_json.returncode == 1
    (finding,) = json.loads(as_json.stdout)
    assert (finding["kind"], finding["where"], finding["size"]) == ("file", str(path), 5)
    assert path.read_bytes() == data
