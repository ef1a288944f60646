"""`setset count` as a user meets it."""

from __future__ import annotations

import dataclasses
import json
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import setset
from tests.commands import run_here
from tests.conftest import Run


def test_counts_say_what_they_count(workspace: Path) -> None:
    result = run_here("count", "--recount", workspace=workspace)
    assert result.returncode == 0
    assert "5 cards, 7 or more remain" in result.stdout
    assert result.stdout.count("OK") == 3
    assert run_here("count", "--size", "15", workspace=workspace).stdout.startswith("size 15 is not counted yet")


def test_json(workspace: Path) -> None:
    (count,) = json.loads(run_here("count", "--size", "5", "--recount", "--json", workspace=workspace).stdout)
    assert count["lists"] == count["decoded"] == count["reference"] == 13_394_538
    assert set(count) == {field.name for field in dataclasses.fields(setset.Count)}
    (unread,) = json.loads(run_here("count", "--size", "5", "--json", workspace=workspace).stdout)
    assert unread == {**count, "decoded": None}


def test_the_class_sum_stands_beside_the_enumerated_count(run: Run, nowhere: Path) -> None:
    workspace = nowhere / "setset-workspace"
    with setset.open(workspace, mode="a") as opened:
        opened.exploration(4).run(4, workers=1, executor=ThreadPoolExecutor)
    assert run("count")[1].splitlines()[2].split()[-3:] == ["1,579,500", "yes", "OK"]  # the package knows it
    run("classes", "build", "--size", "4")
    code, out, _ = run("count")
    assert code == 0
    assert out.splitlines()[0].split()[-4:] == ["class", "sum", "agree", "verdict"]
    assert out.splitlines()[2].split()[-5:] == ["stored", "-", "1,579,500", "yes", "OK"]
    assert json.loads(run("count", "--size", "4", "--json")[1])[0]["agree"] is True
    with closing(sqlite3.connect(workspace / "setset.db")) as connection:
        connection.execute("DELETE FROM classes WHERE (size, number) = (4, 1)")
        connection.commit()
    code, out, _ = run("count")
    assert code == 1
    assert out.splitlines()[2].split()[-3:] == ["63,180", "NO", "WRONG"]


def test_one_target_of_two(run: Run, own_workspace: Path) -> None:
    option = ("-w", str(own_workspace))
    single = run("count", *option)
    assert single[1].split()[0] == "size"
    with setset.open(own_workspace, mode="a") as opened:
        opened.exploration(4).run(4, workers=1, executor=ThreadPoolExecutor)
    both = run("count", *option)[1].splitlines()
    assert both[0].split()[:2] == ["target", "size"]
    assert [line.split()[:2] for line in both[1:3]] == [["4", "3"], ["4", "4"]]
    assert run("count", "--target", "12", *option) == single
    (three,) = json.loads(run("count", "--target", "4", "--size", "3", "--recount", "--json", *option)[1])
    assert (three["target"], three["lists"], three["decoded"]) == (4, 81_120, 81_120)
    assert run("count", "--target", "7", *option)[1] == (
        f"nothing is counted yet for target 7: start with 'setset run 6 --target 7 -w {own_workspace}'\n"
    )
    assert run("count", "--target", "7", "--size", "5", *option)[1] == (
        f"size 5 is not counted yet for target 7: start with 'setset run 5 --target 7 -w {own_workspace}', faster "
        "with --count-only\n"
    )
