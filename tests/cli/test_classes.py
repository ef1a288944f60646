"""`setset classes` and `setset classes build` as a user meets them."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from setset.symmetry import Catalogue
from tests.cli.conftest import SETSET, Refuse
from tests.conftest import Run


def test_a_second_build_says_that_there_is_nothing_to_do(run: Run, classified: Path) -> None:
    assert run("classes", "build", "-w", str(classified)) == (
        0,
        "nothing to do: these sizes are in the database\n",
        "",
    )


def test_what_is_there_is_built_again_only_by_force(run: Run) -> None:
    built = run("classes", "build", "--size", "3")
    assert built[1].count("\n") == 4
    assert run("classes", "build", "--size", "3")[1].startswith("nothing to do")
    assert run("classes", "build", "--size", "3", "--force") == built


@pytest.mark.posix
@pytest.mark.parametrize("name", ["SIGKILL", "SIGTERM"])
def test_a_build_that_was_stopped_goes_on(nowhere: Path, catalogue: Catalogue, name: str) -> None:
    how = signal.Signals[name]
    with subprocess.Popen(
        [*SETSET, "classes", "build"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    ) as first:
        assert first.stdout is not None
        seen = []
        for line in first.stdout:
            seen.append(line)
            if line.startswith("size 5:"):
                first.send_signal(how)
        assert first.stderr is not None
        said = first.stderr.read()
    if name == "SIGKILL":
        assert first.returncode == -how
    else:
        assert first.returncode == 128 + how
        assert said == (
            "setset: interrupted; finished sizes are recorded, 'setset classes build' goes on from there\n"
        )
    again = subprocess.run(
        [*SETSET, "classes", "build", "--size", "12"], capture_output=True, text=True, check=True
    )
    built = [int(line.split()[1].strip(":")) for line in [*seen, *again.stdout.splitlines()]]
    if name == "SIGKILL":  # a size may be stored and not be said any more
        assert sorted(set(built)) == built
    else:
        assert built == list(range(13))
    queries = (
        "SELECT COUNT(*), SUM(classes), SUM(links), SUM(lists) FROM levels",
        "SELECT (SELECT COUNT(*) FROM classes), (SELECT COUNT(*) FROM links), SUM(lists) FROM classes",
    )
    with closing(sqlite3.connect(nowhere / "setset-workspace" / "setset.db")) as connection:
        found = [connection.execute(query).fetchone() for query in queries]
    levels = [catalogue.level(size) for size in range(13)]
    whole = (
        sum(len(level.classes) for level in levels),
        sum(len(level.links) for level in levels),
        sum(level.lists for level in levels),
    )
    assert found == [(13, *whole), whole]


def test_options_may_stand_before_the_word_build(
    run: Run, nowhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run("classes", "-w", "here", "--size", "2", "build")[1].count("\n") == 3
    monkeypatch.setenv("SETSET_WORKSPACE", "elsewhere")
    assert run("classes", "-w", "here", "build", "--size", "3")[1] == "size 3: 1 class, 84,240 lists\n"
    assert run("classes", "build", "--size", "0")[1] == "size 0: 1 class, 1 list\n"
    assert sorted(path.name for path in nowhere.iterdir()) == ["elsewhere", "here"]


def test_the_table(run: Run, classified: Path) -> None:
    code, out, _ = run("classes", "-w", str(classified))
    lines = [line.split() for line in out.splitlines()[1:]]
    assert code == 0
    assert [line[0] for line in lines] == [str(size) for size in range(21)]
    assert " ".join(lines[12]) == (
        "12 1,437 2,284,535,476,080 0 0 73,638,164 0.032302 325,432,404 / 10,074,689,485"
    )
    assert " ".join(lines[18]) == (
        "18 20 6,482,268,000 18 6,352,622,640 215,256 1.41936e-08 3,645 / 256,806,107,459"
    )
    (row,) = json.loads(run("classes", "--size", "15", "--json", "-w", str(classified))[1])
    assert row["chance"] == {
        "numerator": 13_750_015_032,
        "denominator": 37_703_805_776_935,
        "decimal": pytest.approx(0.000364685, rel=1e-5),
    }
    assert (row["complete_classes"], row["complete_lists"]) == (1, 27_293_760)


@pytest.mark.parametrize("command", ["classes", "count", "status"])
def test_the_stored_table_and_the_counts_need_no_numba(classified: Path, command: str) -> None:
    program = (
        "import sys; sys.argv = ['setset', *sys.argv[1:]]; from setset.cli import main\n"
        "try: main()\n"
        "finally: assert not {'numba', 'alembic'} & set(sys.modules)"
    )
    subprocess.run(
        [sys.executable, "-c", program, command, "-w", classified], capture_output=True, check=True
    )


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["classes", "--size", "21"], "there are lists of 0 to 20 cards, not of 21"),
        (["classes", "build", "--size", "-1"], "there are lists of 0 to 20 cards, not of -1"),
    ],
)
def test_bad_input_is_one_clear_line(refuse: Refuse, arguments: list[str], complaint: str) -> None:
    refuse(arguments, complaint)
