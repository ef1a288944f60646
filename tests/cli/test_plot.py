"""`setset plot` as a user meets it."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from setset.show.plots import PLOTS
from tests.cli.conftest import Refuse, run_process
from tests.conftest import Run
from tests.show.charts.bench import BENCH


def test_alone_it_lists_the_charts(run: Run) -> None:
    code, out, _ = run("plot")
    assert code == 0
    names = [line.split()[0] for line in out.splitlines()[1:]]
    assert names == list(PLOTS)


def test_the_file_is_named_after_the_chart(run: Run, nowhere: Path) -> None:
    assert run("plot", "odds") == (0, "odds.svg: The chance that a random hand holds no set\n", "")
    assert (nowhere / "odds.svg").read_text().startswith("<svg")


def test_the_ending_or_the_option_says_which_kind(run: Run, nowhere: Path) -> None:
    assert run("plot", "cap", "0", "1", "-o", "hand.png")[0] == 0
    assert (nowhere / "hand.png").read_bytes().startswith(b"\x89PNG")
    assert run("plot", "cap", "r1fd", "--format", "json")[0] == 0
    assert json.loads((nowhere / "cap.json").read_text())["title"]["text"] == ["1 card without a set"]


def test_a_dash_is_stdout() -> None:
    result = run_process("plot", "cap", "0", "1", "-o", "-", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(result.stdout)))
    assert [row["state"] for row in rows[:3]] == ["in the hand", "in the hand", "would make a set"]


def test_charts_of_a_workspace(run: Run, workspace: Path, nowhere: Path) -> None:
    for name in ("counts", "throughput", "rates", "gantt", "bytes"):
        assert run("plot", name, "-w", str(workspace), "--format", "csv")[0] == 0
    assert "kept for target 12,5,13394538" in (nowhere / "counts.csv").read_text()
    assert run("plot", "counts", "--format", "csv", "--force")[0] == 0
    assert "kept" not in (nowhere / "counts.csv").read_text()


def test_a_benchmark_is_read_from_a_file(run: Run, nowhere: Path) -> None:
    (nowhere / "bench.json").write_text(json.dumps(BENCH))
    assert run("plot", "speed", "bench.json", "--format", "csv")[0] == 0
    assert "misses it" in (nowhere / "speed.csv").read_text()


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["nonsense"], "there is no chart 'nonsense': expected counts,"),
        (["odds", "3"], "takes no arguments"),
        (["cap"], "needs CARDS...: setset plot cap CARDS..."),
        (["cap", "81"], "not a card"),
        (["neighbours", "12"], "not a class: '12'"),
        (["neighbours", "12/9999"], "no class 12/9999"),
        (["lattice", "15"], "not two sizes"),
        (["speed", "missing.json"], "cannot read missing.json"),
        (["odds", "-o", "odds.gif"], "must end in .svg"),
        (["odds", "--format", "gif"], "--format gif: expected svg"),
    ],
)
def test_bad_input_is_one_clear_line(refuse: Refuse, arguments: list[str], complaint: str) -> None:
    refuse(["plot", *arguments], complaint)


def test_without_a_workspace_it_says_so(run: Run) -> None:
    for arguments in (["gantt"], ["counts", "-w", "missing"]):
        code, _, err = run("plot", *arguments)
        assert code == 10
        assert err.startswith("setset: no workspace at ")
