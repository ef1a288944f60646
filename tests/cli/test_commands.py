"""The command line as a user meets it: real processes, exit codes, one line for what goes wrong."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from setset.cli import COMMANDS

SETSET = [sys.executable, "-m", "setset"]


def setset(
    *arguments: str, workspace: Path | None = None, **environment: str
) -> subprocess.CompletedProcess[str]:
    variables = {**os.environ, **environment}
    if workspace is not None:
        variables["SETSET_WORKSPACE"] = str(workspace)
    return subprocess.run([*SETSET, *arguments], capture_output=True, text=True, check=False, env=variables)


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cli") / "w"
    done = setset("run", "--size", "5", "--workers", "2", workspace=folder)
    assert done.returncode == 0, done.stderr
    assert "lists of 5: 13,394,538 lists" in done.stderr
    assert done.stdout == ""
    return folder


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_with_an_example(command: str) -> None:
    shown = setset(command, "--help")
    assert shown.returncode == 0
    assert "Example" in shown.stdout
    assert f"setset {command}" in shown.stdout


def test_help_and_version() -> None:
    assert all(command in setset("--help").stdout for command in COMMANDS)
    assert setset("--version").stdout.startswith("setset, version ")


def test_status(workspace: Path) -> None:
    shown = setset("status", workspace=workspace)
    assert shown.returncode == 0
    assert "13,394,538" in shown.stdout
    assert shown.stdout.count("complete") == 3
    sizes = json.loads(setset("status", "--json", workspace=workspace).stdout)["sizes"]
    assert [(size["size"], size["lists"]) for size in sizes] == [(3, 58_896), (4, 1_004_589), (5, 13_394_538)]


def test_counts_say_what_they_count(workspace: Path) -> None:
    shown = setset("count", "--recount", workspace=workspace)
    assert shown.returncode == 0
    assert "lists of 5 with 7 or more cards remaining" in shown.stdout
    assert shown.stdout.count("OK") == 3
    (five,) = json.loads(setset("count", "--size", "5", "--recount", "--json", workspace=workspace).stdout)
    assert five["lists"] == five["decoded"] == five["reference"] == 13_394_538
    assert setset("count", "--size", "15", workspace=workspace).stdout.startswith(
        "size 15 is not counted yet"
    )


def test_check_and_repair(workspace: Path) -> None:
    shown = setset("check", "--deep", "--quiet", workspace=workspace)
    assert (shown.returncode, shown.stdout) == (0, "everything is as it should be\n")
    path = next((workspace / "batches/t12/s05").glob("*.setset"))
    whole = path.read_bytes()
    path.write_bytes(whole[:-1])
    found = setset("check", "--quiet", workspace=workspace)
    assert found.returncode == 1
    assert "batch 0 of size 5" in found.stdout
    assert "setset repair" in found.stderr
    assert json.loads(setset("check", "--json", workspace=workspace).stdout)[0]["kind"] == "file"
    assert "would redo" in setset("repair", "--dry-run", "-q", workspace=workspace).stdout
    assert path.read_bytes() == whole[:-1]
    assert "redone" in setset("repair", "-q", workspace=workspace).stdout
    assert path.read_bytes() == whole
    assert setset("repair", "-q", workspace=workspace).stdout == "nothing to repair\n"
    assert setset("repair", "-q", "--size", "5", "--batch", "0", workspace=workspace).returncode == 0
    assert path.read_bytes() == whole


def test_lists(workspace: Path) -> None:
    assert (
        setset("lists", "--size", "5", "--limit", "2", workspace=workspace).stdout
        == "0 1 3 4 9\n0 1 3 4 10\n"
    )
    last = setset("lists", "--size", "5", "--start", "13394537", workspace=workspace).stdout
    assert last == "67 68 70 71 73\n"
    assert setset(
        "lists", "--size", "3", "--batch", "0", "--limit", "1", "--names", workspace=workspace
    ).stdout == ("red one solid diamond, red one solid squiggle, red one striped diamond\n")
    assert json.loads(
        setset("lists", "--size", "4", "--limit", "1", "--json", workspace=workspace).stdout
    ) == [0, 1, 3, 4]
    assert setset("lists", "--size", "3", "--all", workspace=workspace).stdout.count("\n") == 58_896


def test_sql(workspace: Path) -> None:
    query = "SELECT size, lists FROM counts ORDER BY size"
    assert (
        setset("sql", query, "--csv", workspace=workspace).stdout
        == "size,lists\n3,58896\n4,1004589\n5,13394538\n"
    )
    assert json.loads(setset("sql", query, "--json", workspace=workspace).stdout)[0] == {
        "size": 3,
        "lists": 58_896,
    }
    assert "throughput" in setset("sql", workspace=workspace).stdout


def test_history(workspace: Path) -> None:
    (first, *_) = reversed(json.loads(setset("history", "--json", workspace=workspace).stdout))
    assert first["outcome"] == "done"
    assert first["command"] == "setset run --size 5 --workers 2"
    assert first["lists_added"] == 58_896 + 1_004_589 + 13_394_538
    assert "setset run --size 5" in setset("history", workspace=workspace).stdout


def test_all_that_writes_is_in_the_history(workspace: Path, tmp_path: Path) -> None:
    def history() -> list[tuple[str, str]]:
        shown = json.loads(setset("history", "--json", workspace=copy).stdout)
        return [(run["command"], run["outcome"]) for run in shown]

    copy = tmp_path / "copy"
    shutil.copytree(workspace, copy)
    assert setset("compact", "--size", "5", "--quiet", workspace=copy).returncode == 0
    assert history()[0] == ("setset compact --size 5 --target 12", "done")
    assert setset("db", "rebuild", "--quiet", workspace=copy).returncode == 0
    assert history() == [("setset db rebuild", "done")]


def test_database_commands(workspace: Path, tmp_path: Path) -> None:
    assert setset("db", "current", workspace=workspace).returncode == 0
    current = json.loads(setset("db", "current", "--json", workspace=workspace).stdout)
    assert current["database"] == current["setset"]
    assert setset("db", "upgrade", workspace=workspace).stdout == "up to date\n"
    assert setset("db", "backup", str(tmp_path / "copy.db"), workspace=workspace).returncode == 0
    assert (tmp_path / "copy.db").stat().st_size > 0


def test_quiet_means_quiet(workspace: Path) -> None:
    done = setset("run", "--size", "5", "--quiet", workspace=workspace)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


BAD = {
    "size too small": (["run", "--size", "2"], 2, "2 is not in the range 3<=x<=20"),
    "size too large": (["run", "--size", "21"], 2, "21 is not in the range"),
    "target": (["run", "--size", "5", "--target", "3"], 2, "3 is not in the range 4<=x<=20"),
    "batch lists": (["run", "--size", "5", "--batch-lists", "99999999999"], 2, "a file holds 1 to"),
    "no such batch": (
        ["lists", "--size", "5", "--batch", "77"],
        2,
        "there is no batch 77 of size 5: 1 are known",
    ),
    "no such list": (
        ["lists", "--size", "5", "--start", "99999999999"],
        2,
        "there is no list 99,999,999,999",
    ),
    "no such size": (["lists", "--size", "9"], 2, "0 are known"),
    "no such target": (["lists", "--size", "5", "--target", "7"], 2, "nothing is known for target 7"),
    "repair nothing": (["repair", "--batch", "7"], 2, "--batch needs --size"),
    "compact": (["compact", "--size", "4"], 2, "larger sizes are derived"),
    "from nowhere": (["run", "--size", "5", "--from", "5"], 2, "there is no batch 5 of size 4"),
    "sql that writes": (["sql", "DELETE FROM batches"], 2, "only SELECT is allowed"),
    "no sql": (["sql", "SELEKT"], 2, 'near "SELEKT"'),
    "backup over a file": (["db", "backup", "{file}"], 1, "exists already"),
}


@pytest.mark.parametrize(("arguments", "code", "line"), BAD.values(), ids=BAD.keys())
def test_bad_input_is_one_line(
    workspace: Path, tmp_path: Path, arguments: list[str], code: int, line: str
) -> None:
    (tmp_path / "file").write_text("x")
    before = (workspace / "setset.db").stat().st_mtime_ns if arguments[0] != "run" else None
    done = setset(*(word.format(file=tmp_path / "file") for word in arguments), workspace=workspace)
    assert done.returncode == code
    assert line in done.stderr
    assert "Traceback" not in done.stderr
    assert len(done.stderr.strip().splitlines()[-1]) < 300
    if before is not None:
        assert (workspace / "setset.db").stat().st_mtime_ns == before


@pytest.mark.parametrize(
    "command",
    [["status"], ["count"], ["check"], ["repair"], ["lists", "--size", "5"], ["sql"], ["db", "upgrade"]],
)
def test_what_is_no_workspace(tmp_path: Path, command: list[str]) -> None:
    done = setset(*command, workspace=tmp_path / "nothing")
    assert done.returncode == 10
    assert done.stderr.startswith("setset: no workspace at ")
    assert not (tmp_path / "nothing").exists()


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    done = setset("run", "--size", "3", workspace=tmp_path / "file" / "w")
    assert done.returncode == 1
    assert "cannot make a workspace at" in done.stderr


def test_a_pipe_that_closes_early_is_no_error(workspace: Path) -> None:
    shell = f"{sys.executable} -m setset lists --size 5 --all | head -1"
    done = subprocess.run(
        ["sh", "-c", shell],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "SETSET_WORKSPACE": str(workspace)},
    )
    assert done.stdout == "0 1 3 4 9\n"
    assert done.stderr == ""
