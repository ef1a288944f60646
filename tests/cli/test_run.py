"""`setset run` as a user meets it. The fixture `workspace` is made by it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from setset.database import schema
from setset.errors import Locked
from tests.cli.conftest import Refuse, run_process
from tests.commands import run_here
from tests.conftest import Run


def test_quiet_means_quiet(own_workspace: Path) -> None:
    result = run_here("run", "--size", "5", "--quiet", workspace=own_workspace)
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")


@pytest.mark.parametrize("options", [["--quiet"], ["--json"], []])
def test_whoever_waits_says_so(options: list[str], own_workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also without progress: the other program may hold the database for ever."""
    upgrade, calls = schema.upgrade, list[Path]()

    def wait_once(path: Path) -> Path | None:
        calls.append(path)
        if len(calls) == 1:
            raise Locked(f"{path} is held by another program")
        return upgrade(path)

    monkeypatch.setattr(schema, "upgrade", wait_once)
    result = run_here("run", "--size", "5", *options, workspace=own_workspace)
    assert result.returncode == 0
    assert result.stderr.splitlines()[0] == "setset: the database is held by another program; waiting for it"
    assert len(result.stderr.splitlines()) == (3 if not options else 1)


def test_it_says_what_was_made_and_what_could_be_next(tmp_path: Path) -> None:
    workspace = tmp_path / "w"
    result = run_process("run", "--size", "4", "--target", "18", workspace=workspace)
    assert result.returncode == 0
    summary, following = result.stderr.splitlines()[-2:]
    assert summary.startswith("made 726,390 lists in 2 files (")
    assert summary.endswith(f": {workspace / 'batches'}")
    assert following == "next: python -m setset lists 4 --target 18, or python -m setset run 5 --target 18"
    rerun = run_here("run", "--size", "4", "--target", "18", workspace=workspace)
    assert (
        rerun.stderr
        == f"nothing to do: all lists up to size 4 for target 18 exist already\n{following.replace('python -m ', '')}\n"
    )


def test_counting_in_a_new_place_simply_works(tmp_path: Path) -> None:
    result = run_here("run", "--size", "5", "--target", "18", "--count-only", workspace=tmp_path / "w")
    assert result.returncode == 0, result.stderr
    assert "setset: nothing to count from yet: first storing lists of up to 4 cards\n" in result.stderr
    assert "counted 7,964,460 lists of 5 cards in" in result.stderr
    counts = json.loads(run_here("count", "--json", workspace=tmp_path / "w").stdout)
    assert [(count["size"], count["lists"], count["origin"]) for count in counts] == [
        (3, 45_189, "stored"),
        (4, 681_201, "stored"),
        (5, 7_964_460, "counted from size 4"),
    ]


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--size", "2"], "2, expected a whole number from 3 to 20"),
        (["--size", "21"], "21, expected a whole number from 3 to 20"),
        (["--size", "5", "--target", "3"], "3, expected a whole number from 4 to 20"),
        (["--size", "5", "--batch-lists", "99999999999"], "expected 1 to 1,073,741,824"),
        (["--size", "5", "--from", "5"], "there is no batch 5 of size 4"),
        (
            ["--size", "5", "--workers", "2", "--executor", "dask=tcp://127.0.0.1:1"],
            "--workers cannot be combined with --executor dask=ADDRESS",
        ),
    ],
)
def test_bad_input_is_one_line(refuse_in_workspace: Refuse, arguments: list[str], complaint: str) -> None:
    refuse_in_workspace(["run", *arguments], complaint)


def test_files_of_another_length_than_those_begun_are_not_made(own_workspace: Path) -> None:
    result = run_here("run", "--size", "5", "--batch-lists", "1000", workspace=own_workspace)
    assert result.returncode == 0
    assert result.stderr.count("--batch-lists ignored") == 1
    assert "setset: --batch-lists ignored for sizes that were begun before (size 3: 16,000,000)\n" in result.stderr


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    result = run_here("run", "--size", "3", workspace=tmp_path / "file" / "w")
    assert result.returncode == 2
    assert result.stderr.endswith(f"{tmp_path / 'file'} is a file: name a folder with --workspace\n")


def test_a_pruned_run_says_so_everywhere(run: Run, tmp_path: Path) -> None:
    option = ("-w", str(tmp_path / "w"))
    pruned = ("run", "--target", "20", "--size", "4")
    code, _, errors = run(*pruned, "--prune", *option)
    assert code == 0
    assert "setset run 5 --target 20 --prune" in errors
    assert run("status", *option)[1].startswith("target 20, pruned\n")
    counts = json.loads(run("count", "--json", *option)[1])
    assert [(count["lists"], count["pruned"]) for count in counts] == [(41_148, True), (76_176, True)]
    assert "pruned: lists of 4 that may reach 20" in run("count", *option)[1]
    code, _, errors = run(*pruned, *option)
    assert code == 2
    assert errors.splitlines()[-1].endswith(
        f"name another workspace, or remove the target with 'setset rm --target 20 -w {tmp_path / 'w'}'"
    )
    assert "target 20, pruned" in run(*pruned, "--prune", "--dry-run", *option)[1]
    assert run("estimate", "--target", "20", "--size", "8", "--prune", "--seconds", "0", *option)[0] == 0
