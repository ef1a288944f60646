"""`setset estimate`, `setset run --dry-run`, and the line that a run begins with."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Refuse
from tests.commands import run_here
from tests.conftest import Run


def test_known_counts_are_exact_and_nothing_is_written(run: Run, nowhere: Path) -> None:
    code, out, err = run("estimate", *["--size", "7", "--workers", "200", "--price", "0.04", "--seed", "1", "--json"])
    assert (code, err) == (0, "")
    estimate = json.loads(out)
    assert [size["lists"] for size in estimate["sizes"]] == [58_896, 1_004_589, 13_394_538, 141_370_218, 1_180_345_041]
    assert {size["origin"] for size in estimate["sizes"]} == {"known"}
    assert estimate["lists"] == sum(size["lists"] for size in estimate["sizes"])
    assert estimate["price"] == pytest.approx(estimate["core_seconds"] / 3600 * 0.04)
    assert estimate["workers"] == 200
    # A run makes 90 files of 5 MB; the bytes are measured on lists that the seed draws.
    assert 80 <= estimate["files"] <= 100
    assert 4e6 < estimate["bytes"] < 20e6
    assert list(nowhere.iterdir()) == []


def test_unknown_counts_are_probed_and_have_an_error(run: Run) -> None:
    code, out, _ = run("estimate", "--size", "6", "--target", "13", "--seconds", "0", "--seed", "1")
    assert code == 0
    size, lists, error, _, origin, *_ = out.splitlines()[5].split()
    assert (size, origin) == ("6", "probed")
    assert float(error) < 2
    assert abs(int(lists.replace(",", "")) / 125_783_118 - 1) < 4 * float(error) / 100
    assert out.splitlines()[6].startswith("to do: sizes 3 to 6, about ")


def test_what_is_there_is_not_to_do(workspace: Path) -> None:
    result = run_here("run", "--size", "6", "--dry-run", workspace=workspace)
    assert result.returncode == 0
    assert "5      13,394,538      -  this workspace            -" in result.stdout
    assert "to do: size 6, 141,370,218 lists, about " in result.stdout
    assert run_here("estimate", "--size", "5", workspace=workspace).stdout.splitlines()[-2] == "to do: nothing"


def test_a_run_says_first_what_it_will_take(tmp_path: Path) -> None:
    result = run_here("run", "--size", "4", "--workers", "1", workspace=tmp_path / "w")
    assert result.returncode == 0
    assert result.stderr.startswith("to do: sizes 3 to 4, 1,063,485 lists, about 2 files, ")
    rerun = run_here("run", "--size", "4", workspace=tmp_path / "w")
    assert rerun.stderr.startswith("nothing to do: ")


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--size", "21"], "21, expected a whole number from 3 to 20"),
        (["--size", "9", "--target", "3"], "3, expected a whole number from 4 to 20"),
        (["--size", "9", "--workers", "0"], "0, expected a whole number from 1 on"),
    ],
)
def test_bad_input_is_one_line(refuse_in_workspace: Refuse, arguments: list[str], complaint: str) -> None:
    refuse_in_workspace(["estimate", *arguments], complaint)
