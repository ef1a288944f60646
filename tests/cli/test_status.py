"""`setset status` as a user meets it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import setset
from tests.cli.conftest import SETSET
from tests.commands import run_here
from tests.conftest import Run
from tests.small import change


def test_the_table(workspace: Path) -> None:
    result = run_here("status", workspace=workspace)
    assert result.returncode == 0
    assert "13,394,538" in result.stdout
    assert result.stdout.count("complete") == 3


def test_json(workspace: Path) -> None:
    status = json.loads(run_here("status", "--json", workspace=workspace).stdout)
    assert [(size["size"], size["lists"], size["state"]) for size in status["sizes"]] == [
        (3, 58_896, "complete"),
        (4, 1_004_589, "complete"),
        (5, 13_394_538, "complete"),
    ]
    assert status["items"] == []
    assert {host["size"] for host in status["hosts"]} == {3, 4, 5}


def test_one_target_of_two(run: Run, own_workspace: Path) -> None:
    option = ("-w", str(own_workspace))
    single = run("status", *option)
    assert single[1].splitlines()[0] == "target 12"
    with setset.open(own_workspace, mode="a") as opened:
        opened.exploration(4).run(4, workers=1, executor=ThreadPoolExecutor)
    both = run("status", *option)[1].splitlines()
    assert [line.split()[:2] for line in both[1:]] == [[*pair] for pair in ("43", "44", *[("12", n) for n in "345"])]
    assert run("status", "--target", "12", *option) == single
    status = json.loads(run("status", "--target", "4", "--json", *option)[1])
    assert {record["target"] for part in ("sizes", "hosts") for record in status[part]} == {4}
    assert run("status", "--target", "7", *option)[1] == (
        f"no lists yet for target 7: start with 'setset run 6 --target 7 -w {own_workspace}'\n"
    )


def test_what_needs_attention_has_a_heading_that_is_true(run: Run, own_workspace: Path) -> None:
    option = ("-w", str(own_workspace))
    change(own_workspace, "UPDATE batches SET defect = 'altered' WHERE size = 5")
    lines = run("status", *option)[1].splitlines()
    assert lines[lines.index("") + 1] == "defective"
    change(
        own_workspace, "UPDATE expansions SET state = 'failed', batches_out = NULL, error = 'no memory' WHERE size = 5"
    )
    lines = run("status", *option)[1].splitlines()
    assert sorted(lines[lines.index("") + 1].split(", ")) == ["defective", "failed"]
    assert json.loads(run("status", "--target", "4", "--json", *option)[1])["items"] == []


@pytest.mark.posix("sends signals")
def test_watching_as_json_is_an_object_a_line(workspace: Path) -> None:
    environment = {**os.environ, "SETSET_WORKSPACE": str(workspace)}
    command = [*SETSET, "status", "--watch", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as watching:
        assert watching.stdout is not None
        first, second = (json.loads(watching.stdout.readline()) for _ in range(2))
        watching.send_signal(signal.SIGINT)
    for status in (first, second):
        del status["roots"][0]["free_bytes"]  # which others change meanwhile
    assert first == second
    assert [size["size"] for size in first["sizes"]] == [3, 4, 5]
    assert watching.returncode == 130
