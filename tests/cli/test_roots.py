"""`setset roots` with a moved storage root and with a lost storage root."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.commands import run_here
from tests.small import build, digests


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A workspace w whose lists of 4 are in the storage root `old`."""
    build(tmp_path / "w", 3, target=18, batch_lists=10_000)
    build(tmp_path / "w", 4, target=18, batch_lists=200_000, output=tmp_path / "old")
    return tmp_path


def test_every_command_names_the_way_on(folder: Path) -> None:
    old, new, workspace = folder / "old", folder / "new", folder / "w"
    roots = json.loads(run_here("roots", "--json", workspace=workspace).stdout)
    assert [(root["number"], root["path"], root["state"], root["files"]) for root in roots] == [
        (1, str(workspace / "batches"), "present", 5),
        (2, str(old), "present", 5),
    ]
    assert roots[1]["free_bytes"] > 0
    old.rename(new)
    advice = f"setset roots move {old} NEW"
    for arguments, code in {
        "check -q": 1,
        "lists --size 4 --target 18": 1,
        "count --recount": 1,
        "repair -q --dry-run": 1,
        "repair -q": 1,
        "run --size 4 --target 18": 1,
        "run --size 3 --target 18": 0,
        f"run -q --size 4 --target 18 --output {old}": 1,
        "compact -q --size 4 --target 18": 1,
        "status": 0,
    }.items():
        result = run_here(*arguments.split(), workspace=workspace)
        assert result.returncode == code, (arguments, result)
        assert advice in result.stdout + result.stderr, (arguments, result)
    refusal = run_here("run", "--size", "4", "--target", "18", "--output", str(new), workspace=workspace)
    assert (refusal.returncode, f"'setset roots move {old} {new}'" in refusal.stderr) == (2, True)
    status = json.loads(run_here("status", "--json", workspace=workspace).stdout)
    assert [root["state"] for root in status["roots"]] == ["present", "absent"]
    move = run_here("roots", "move", str(old), str(new), "-q", workspace=workspace)
    assert (move.returncode, move.stdout.count(str(new))) == (0, 1)
    repeated = run_here("roots", "move", str(old), str(new), "-q", workspace=workspace)
    assert (repeated.returncode, "nothing to do" in repeated.stdout) == (0, True)
    assert run_here("check", "-q", workspace=workspace).stdout == "no problems found\n"
    history = json.loads(run_here("history", "--json", workspace=workspace).stdout)
    assert history[0]["command"] == f"setset roots move {old} {new}"


def test_a_run_whose_files_are_away_fails_and_makes_no_second_root(tmp_path: Path) -> None:
    workspace, nas = tmp_path / "w", tmp_path / "nas"
    build(workspace, 4, target=18, output=nas)
    nas.rename(tmp_path / "away")
    for output in ((), ("--output", str(tmp_path / "new"))):
        result = run_here("run", "--size", "4", "--target", "18", *output, workspace=workspace)
        assert (result.returncode, f"the storage root {nas} is gone" in result.stderr) == (1, True)
    (root,) = json.loads(run_here("roots", "--json", workspace=workspace).stdout)
    assert (root["path"], root["state"]) == (str(nas), "absent")
    assert not (tmp_path / "new").exists()


def test_rm_says_which_files_stay_and_leaves_them(folder: Path) -> None:
    before = digests(folder / "old")
    (folder / "w").rename(folder / "moved")
    command = ("rm", "--target", "18", "--size", "4")
    stay = "5 files of them stay, because setset may only read their storage root: see 'setset roots'\n"
    for option in ("--dry-run", "--yes"):
        result = run_here(*command, option, workspace=folder / "moved")
        assert (result.returncode, stay in result.stdout) == (0, True), result
    assert before
    assert digests(folder / "old") == before


def test_another_workspaces_root_is_found_by_check(folder: Path) -> None:
    """Even if it has files of the same names."""
    shutil.rmtree(folder / "old")
    build(folder / "other", 3, target=18, batch_lists=10_000)
    build(folder / "other", 4, target=18, batch_lists=200_000, output=folder / "old")
    result = run_here("check", "-q", workspace=folder / "w")
    assert (result.returncode, "another workspace uses the folder" in result.stdout) == (1, True)
    before = digests(folder / "old")
    assert run_here("roots", "forget", str(folder / "old"), "--yes", workspace=folder / "w").returncode == 0
    assert run_here("repair", "-q", workspace=folder / "w").returncode == 0
    assert run_here("check", "-q", workspace=folder / "w").stdout == "no problems found\n"
    assert digests(folder / "old") == before


def test_a_root_that_is_lost_is_forgotten_after_a_question(folder: Path) -> None:
    before = digests(folder / "old")
    shutil.rmtree(folder / "old")
    refusal = run_here("roots", "forget", "2", workspace=folder / "w")
    assert (refusal.returncode, refusal.stderr) == (2, "setset: not a terminal, cannot ask: add --yes\n")
    result = run_here("roots", "forget", "2", "--yes", workspace=folder / "w")
    assert (result.returncode, "run 'setset repair'" in result.stdout) == (0, True)
    assert run_here("repair", "-q", workspace=folder / "w").returncode == 0
    assert run_here("check", "-q", workspace=folder / "w").stdout == "no problems found\n"
    assert before.items() <= digests(folder / "w/batches").items()


def test_a_root_without_files_and_with_a_damaged_token_is_lost(folder: Path) -> None:
    """Nothing shows whose it is: it can be forgotten, and used again."""
    old, workspace = folder / "old", folder / "w"
    shutil.rmtree(old / "t18")
    (old / "setset-root.json").write_text("{")
    command = ("run", "-q", "--size", "4", "--target", "18", "--output", str(old))
    result = run_here(*command, workspace=workspace)
    assert (result.returncode, f"'setset roots forget {old}'" in result.stderr) == (1, True)
    assert run_here("roots", "forget", str(old), "--yes", workspace=workspace).returncode == 0
    assert run_here(*command, workspace=workspace).returncode == 0
    assert run_here("repair", "-q", workspace=workspace).returncode == 0
    assert run_here("check", "-q", "--deep", workspace=workspace).stdout == "no problems found\n"


def test_a_damaged_token_in_a_folder_that_the_database_does_not_know(folder: Path) -> None:
    """As after an older database was restored: the message names what takes the folder over."""
    workspace = folder / "w"
    (folder / "old").rename(folder / "unknown")
    assert run_here("roots", "forget", str(folder / "old"), "--yes", workspace=workspace).returncode == 0
    (folder / "unknown" / "setset-root.json").write_text("{")
    output = ("--output", str(folder / "unknown"))
    result = run_here("run", "-q", "--size", "5", "--target", "18", *output, workspace=workspace)
    assert (result.returncode, "'setset db rebuild' with --output" in result.stderr) == (2, True)
    assert run_here("db", "rebuild", "-q", *output, workspace=workspace).returncode == 0
    assert run_here("check", "-q", workspace=workspace).stdout == "no problems found\n"


def test_options_before_the_subcommand_are_not_ignored(folder: Path) -> None:
    result = run_here("roots", "-w", str(folder / "w"), "move", "2", str(folder / "new"))
    assert (result.returncode, "give --workspace after move" in result.stderr) == (2, True)
