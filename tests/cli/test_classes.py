"""`setset classes` and `setset classes build` as a user meets them."""

from __future__ import annotations

import json
import os
import shutil
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
        "nothing to do: the database has all these sizes\n",
        "",
    )


def test_what_is_there_is_built_again_only_by_force(run: Run) -> None:
    result = run("classes", "build", "--size", "3")
    assert result[1].count("\n") == 4
    assert run("classes", "build", "--size", "3")[1].startswith("nothing to do")
    assert run("classes", "build", "--size", "3", "--force") == result


@pytest.mark.posix("sends signals")
@pytest.mark.parametrize("name", ["SIGKILL", "SIGTERM"])
def test_a_build_that_was_stopped_goes_on(nowhere: Path, catalogue: Catalogue, name: str) -> None:
    signal_number = signal.Signals[name]
    with subprocess.Popen(
        [*SETSET, "classes", "build"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    ) as process:
        assert process.stdout is not None
        lines = []
        for line in process.stdout:
            lines.append(line)
            if line.startswith("size 5:"):
                process.send_signal(signal_number)
        assert process.stderr is not None
        message = process.stderr.read()
    if name == "SIGKILL":
        assert process.returncode == -signal_number
    else:
        assert process.returncode == 128 + signal_number
        command = "python -m setset classes build"
        assert message == f"setset: interrupted; finished sizes are recorded, '{command}' resumes\n"
    rerun = subprocess.run([*SETSET, "classes", "build", "--size", "12"], capture_output=True, text=True, check=True)
    sizes = [int(line.split()[1].strip(":")) for line in [*lines, *rerun.stdout.splitlines()]]
    if name == "SIGKILL":  # a size may be stored and not be said any more
        assert sorted(set(sizes)) == sizes
    else:
        assert sizes == list(range(13))
    queries = (
        "SELECT COUNT(*), SUM(classes), SUM(links), SUM(lists) FROM levels",
        "SELECT (SELECT COUNT(*) FROM classes), (SELECT COUNT(*) FROM links), SUM(lists) FROM classes",
    )
    with closing(sqlite3.connect(nowhere / "setset-workspace" / "setset.db")) as connection:
        totals = [connection.execute(query).fetchone() for query in queries]
    levels = [catalogue.level(size) for size in range(13)]
    expected = (
        sum(len(level.classes) for level in levels),
        sum(len(level.links) for level in levels),
        sum(level.lists for level in levels),
    )
    assert totals == [(13, *expected), expected]


def test_options_may_stand_before_the_word_build(run: Run, nowhere: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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
    assert " ".join(lines[12]) == ("12 1,437 2,284,535,476,080 0 0 73,638,164 0.032302 325,432,404 / 10,074,689,485")
    assert " ".join(lines[18]) == ("18 20 6,482,268,000 18 6,352,622,640 215,256 1.41936e-08 3,645 / 256,806,107,459")
    (row,) = json.loads(run("classes", "--size", "15", "--json", "-w", str(classified))[1])
    assert row["chance"] == {
        "numerator": 13_750_015_032,
        "denominator": 37_703_805_776_935,
        "decimal": pytest.approx(0.000364685, rel=1e-5),
    }
    assert (row["complete_classes"], row["complete_lists"]) == (1, 27_293_760)


@pytest.mark.parametrize("command", ["classes", "classes show 12/786", "count", "status"])
def test_the_stored_table_and_the_counts_need_no_numba(classified: Path, command: str) -> None:
    program = (
        "import sys; sys.argv = ['setset', *sys.argv[1:]]; from setset.cli import main\n"
        "try: main()\n"
        "finally: assert not {'numba', 'alembic'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", program, *command.split(), "-w", classified], capture_output=True, check=True)


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["classes", "--size", "21"], "there are lists of 0 to 20 cards, not of 21"),
        (["classes", "build", "--size", "-1"], "there are lists of 0 to 20 cards, not of -1"),
    ],
)
def test_bad_input_is_one_clear_line(refuse: Refuse, arguments: list[str], complaint: str) -> None:
    refuse(arguments, complaint)


def test_all_about_a_class(run: Run, nowhere: Path) -> None:
    code, out, err = run("classes", "show", "12/786")
    assert (code, err) == (0, "")
    assert "class           12/786: 1,965,150,720 of the 2,284,535,476,080 lists of 12 cards\n" in out
    assert "representative  0 1 3 4 9 10 12 27 28 35 39 52\n" in out
    assert "stabilizer      1 of the 1,965,150,720 symmetries keeps the list\n" in out
    assert "smaller         12 classes by one card less: 11/130, " in out
    assert "larger          20 classes by one card more: 13/114, " in out
    assert out.splitlines()[-3].endswith(" 7+5+0 in 1, 7+4+1 in 2, 7+3+2 in 1, 6+5+1 in 3, 6+4+2 in 9, "
        "6+3+3 in 4, 5+5+2 in 6, 5+4+3 in 13, 4+4+4 in 1")  # fmt: skip
    assert list(nowhere.iterdir()) == []
    out = run("classes", "show", "20/0")[1]
    assert "smaller         1 class by one card less: 19/0 (20 ways)\nlarger          none\n" in out
    assert "complete        yes, no card can be added\nsmaller" in out


def test_a_class_as_json(run: Run, catalogue: Catalogue) -> None:
    data = json.loads(run("classes", "show", "5/2", "--json")[1])
    list_class = catalogue.get(5, 2)
    assert data["representative"] == list(list_class.cards)
    assert data["larger"] == [
        {"class": str(neighbour), "cards": cards} for neighbour, cards in catalogue.larger(list_class)
    ]
    assert data["smaller"] == [{"class": "4/1", "cards": 5}]
    assert sum(entry["directions"] for entry in data["hyperplanes"]) == len(data["directions"]) == 40
    assert {sum(entry["cards"]) for entry in data["directions"]} == {5}
    assert json.loads(run("classes", "--json", "show", "5/2")[1]) == data


def test_the_classes_of_a_size(run: Run, catalogue: Catalogue) -> None:
    code, out, err = run("classes", "list", "--size", "16", "--complete")
    lines = out.splitlines()
    assert (code, len(lines), err) == (0, 21, "54 more classes: --start 20, or --all\n")
    titles = "class representative dimension stabilizer structure orbits lists extensions complete smaller larger"
    assert lines[0].split() == titles.split()
    assert run("classes", "--size", "16", "list", "--complete") == (code, out, err)
    rest = run("classes", "list", "--size", "16", "--complete", "--start", "20", "--all")
    complete = run("classes", "list", "--size", "16", "--complete", "--all")
    # Columns are as wide as their values, so only the words are the same.
    assert [line.split() for line in rest[1].splitlines()[1:]] == [
        line.split() for line in complete[1].splitlines()[21:]
    ]
    assert rest[2] == ""
    sort = ("--sort", "stabilizer", "--reverse", "--limit", "1", "--json")
    largest = json.loads(run("classes", "list", "--size", "12", *sort)[1])
    assert largest["stabilizer"] == max(list_class.stabilizer for list_class in catalogue.level(12).classes)
    objects = [json.loads(line) for line in run("classes", "list", "--size", "9", "--all", "--json")[1].splitlines()]
    assert [record["class"] for record in objects] == [f"9/{number}" for number in range(91)]
    assert objects[7] == json.loads(run("classes", "show", "9/7", "--json")[1])
    selected = run("classes", "list", "--size", "9", "--stabilizer", "2", "--all", "--json")[1].splitlines()
    assert [json.loads(line) for line in selected] == [record for record in objects if record["stabilizer"] == 2]


@pytest.mark.parametrize("words", [("list", "--size", "13", "--json"), ("show", "20/0"), ("show", "0/0")])
def test_stored_classes_are_the_same(run: Run, classified: Path, tmp_path: Path, words: tuple[str, ...]) -> None:
    """And are read: an altered one is noticed."""
    assert run("classes", *words, "-w", str(classified)) == run("classes", *words)
    shutil.copy(classified / "setset.db", tmp_path)
    with closing(sqlite3.connect(tmp_path / "setset.db")) as connection, connection:
        connection.execute("UPDATE classes SET extensions = extensions + 1 WHERE extensions > 0")
    code, out, err = run("classes", *words, "-w", str(tmp_path))
    assert (code, out) == (1, "")
    assert "damaged" in err or "altered" in err


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["classes", "show", "12/1437"], "no class 12/1437: the classes of size 12 are 0 to 1436"),
        (["classes", "show", "12"], "not a class: '12' (give its size and number, such as 12/700)"),
    ],
)
def test_classes_that_there_are_not(refuse: Refuse, arguments: list[str], complaint: str) -> None:
    refuse(arguments, complaint)


@pytest.mark.parametrize("arguments", [["21"], ["--size", "21"]])
def test_classes_of_sizes_that_there_are_not(run: Run, arguments: list[str]) -> None:
    code, out, err = run("classes", "list", *arguments)
    assert (code, out) == (2, "")
    assert "21, expected a whole number from 0 to 20" in err


def test_a_list_needs_a_size(run: Run) -> None:
    code, _, err = run("classes", "list")
    assert code == 2
    assert err.endswith("Error: Missing argument 'N': give the number of cards, as N or --size N\n")
