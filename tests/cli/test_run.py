"""`setset run` as a user meets it. The fixture `workspace` is made by it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Refuse, run_process


def test_quiet_means_quiet(own_workspace: Path) -> None:
    done = run_process("run", "--size", "5", "--quiet", workspace=own_workspace)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--size", "2"], "2 is not in the range 3<=x<=20"),
        (["--size", "21"], "21 is not in the range"),
        (["--size", "5", "--target", "3"], "3 is not in the range 4<=x<=20"),
        (["--size", "5", "--batch-lists", "99999999999"], "expected 1 to 32,000,000"),
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
    done = run_process("run", "--size", "5", "--batch-lists", "1000", workspace=own_workspace)
    assert done.returncode == 0
    assert done.stderr.count("--batch-lists ignored") == 1
    assert (
        "setset: --batch-lists ignored for sizes that were begun before (size 3: 16,000,000)\n" in done.stderr
    )


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    done = run_process("run", "--size", "3", workspace=tmp_path / "file" / "w")
    assert done.returncode == 1
    assert "cannot make a workspace at" in done.stderr
