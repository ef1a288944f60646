"""`classes`, `classify`, `sample`, `members`, `rank` and `unrank` as a user meets them."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from setset.cards import name
from setset.folder import Workspace
from setset.jobs.progress import Unwatched
from setset.jobs.run import Request, explore
from setset.symmetry import Catalogue, canonical_form, catalogue_in_memory, sample
from tests.conftest import Run
from tests.symmetry import naive

SETSET = [sys.executable, "-m", "setset"]
HAND = ["80", "3", "14", "40", "5"]


@pytest.fixture(autouse=True)
def nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder without a workspace, which all commands here are run in."""
    monkeypatch.delenv("SETSET_WORKSPACE", raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return catalogue_in_memory()


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with all sizes, built by a process of its own. Not to be changed."""
    folder = tmp_path_factory.mktemp("commands") / "w"
    done = subprocess.run(
        [*SETSET, "classes", "build", "-w", folder], capture_output=True, text=True, check=True
    )
    lines = done.stdout.splitlines()
    assert len(lines) == 21
    assert lines[0] == "size 0: 1 class, 1 list"
    assert lines[12] == "size 12: 1,437 classes, 2,284,535,476,080 lists"
    assert done.stderr == ""
    return folder


def test_a_second_build_says_that_there_is_nothing_to_do(run: Run, workspace: Path) -> None:
    assert run("classes", "build", "-w", str(workspace)) == (
        0,
        "nothing to do: these sizes are in the database\n",
        "",
    )


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_a_build_that_was_stopped_goes_on(nowhere: Path, catalogue: Catalogue, how: signal.Signals) -> None:
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
    if how is signal.SIGKILL:
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
    if how is signal.SIGKILL:  # a size may be stored and not be said any more
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


def test_the_table(run: Run, workspace: Path) -> None:
    code, out, _ = run("classes", "-w", str(workspace))
    lines = [line.split() for line in out.splitlines()[1:]]
    assert code == 0
    assert [line[0] for line in lines] == [str(size) for size in range(21)]
    assert " ".join(lines[12]) == (
        "12 1,437 2,284,535,476,080 0 0 73,638,164 0.032302 325,432,404 / 10,074,689,485"
    )
    assert " ".join(lines[18]) == (
        "18 20 6,482,268,000 18 6,352,622,640 215,256 1.41936e-08 3,645 / 256,806,107,459"
    )
    (row,) = json.loads(run("classes", "--size", "15", "--json", "-w", str(workspace))[1])
    assert row["chance"] == {
        "numerator": 13_750_015_032,
        "denominator": 37_703_805_776_935,
        "decimal": pytest.approx(0.000364685, rel=1e-5),
    }
    assert (row["complete_classes"], row["complete_lists"]) == (1, 27_293_760)


def test_the_stored_table_and_the_counts_need_no_numba(workspace: Path) -> None:
    for arguments in (["classes"], ["count"], ["status"]):
        program = (
            "import sys; sys.argv = ['setset', *sys.argv[1:]]; from setset.cli import main\n"
            "try: main()\n"
            "finally: assert not {'numba', 'alembic'} & set(sys.modules)"
        )
        subprocess.run(
            [sys.executable, "-c", program, *arguments, "-w", workspace], capture_output=True, check=True
        )


def test_classify(run: Run, nowhere: Path) -> None:
    code, out, err = run("classify", *HAND)
    assert (code, err) == (0, "")
    assert "class         5/2: 16,376,256 of the 22,441,536 lists of 5 cards\n" in out
    assert "canonical     0 1 3 9 27\n" in out
    assert "map           colour' = shading + 2, " in out
    assert "stabilizer    120 of the 1,965,150,720 symmetries" in out
    assert "can be added  66: 1 2 6 7 " in out
    assert "remaining     0 of these above the highest card\n" in out
    assert list(nowhere.iterdir()) == []


def test_classify_as_json(run: Run) -> None:
    names = [name(int(card)) for card in HAND]
    found = json.loads(run("classify", *names, "--json")[1])
    assert found == json.loads(run("classify", "3,5,14,40,80", "--json")[1])
    assert (found["class"], found["canonical"]) == ("5/2", [0, 1, 3, 9, 27])
    assert (found["lists_in_class"], found["stabilizer"], found["complete"]) == (16_376_256, 120, False)
    matrix, translation = found["map"]["matrix"], found["map"]["translation"]
    image = []
    for card in found["cards"]:
        digits = [card // 27, card // 9 % 3, card // 3 % 3, card % 3]
        moved = [
            (sum(a * x for a, x in zip(row, digits, strict=True)) + b) % 3
            for row, b in zip(matrix, translation, strict=True)
        ]
        image.append(int("".join(map(str, moved)), 3))
    assert sorted(image) == [0, 1, 3, 9, 27]
    addable = [
        c for c in range(81) if c not in found["cards"] and naive.is_list(sorted([*found["cards"], c]))
    ]
    assert found["extensions"] == addable
    assert found["remaining"] == [card for card in addable if card > 80]


def test_a_complete_hand(run: Run, catalogue: Catalogue) -> None:
    cards = [str(card) for card in catalogue.get(20, 0).cards]
    out = run("classify", *cards)[1]
    assert "complete      yes, no card can be added\n" in out
    assert "remaining" not in out


def test_a_hand_with_a_set_names_the_set(run: Run) -> None:
    code, out, _ = run("classify", "7", "80", "0", "40")
    assert code == 1
    assert out.splitlines()[0] == "the cards hold a set: 0 40 80"
    assert "red one solid diamond, green two striped squiggle, purple three open oval" in out
    code, out, _ = run("classify", "7", "80", "0", "40", "--json")
    assert (code, json.loads(out)["set"], json.loads(out)["class"]) == (1, [0, 40, 80], None)
    assert run("rank", "0", "1", "2") == (1, "", "setset: the cards hold a set: 0 1 2\n")


def test_sample(run: Run) -> None:
    code, out, err = run("sample", "--size", "12", "--count", "5000", "--seed", "7")
    assert (code, err) == (0, "")
    assert [list(map(int, line.split())) for line in out.splitlines()] == sample(12, 5000, 7).tolist()
    lines = run("sample", "--size", "3", "--count", "2", "--seed", "7", "--json")[1].splitlines()
    assert [json.loads(line) for line in lines] == sample(3, 2, 7).tolist()
    code, out, err = run("sample", "--size", "3", "--names")
    assert code == 0
    assert len(out.split(", ")) == 3
    seed = err.removeprefix("seed ").strip()
    assert run("sample", "--size", "3", "--names", "--seed", seed) == (0, out, "")
    assert run("sample", "--size", "3", "--count", "0", "--seed", "7")[:2] == (0, "")


def test_members(run: Run, catalogue: Catalogue) -> None:
    def of(*arguments: str) -> list[tuple[int, ...]]:
        return [tuple(map(int, line.split())) for line in run("members", *arguments)[1].splitlines()]

    every = of("--class", "4/0", "--all")
    assert len(set(every)) == len(every) == catalogue.get(4, 0).lists == 63_180
    assert all(canonical_form(cards) == (0, 1, 3, 4) for cards in every[::997])
    assert of("--class", "4/0") == every[:10]
    # 54 lists a plane: the parts that come together end at other places than the limit
    assert of("--class", "4/0", "--start", "50", "--limit", "9000") == every[50:9050]
    assert of("--class", "4/0", "--start", "63179") == every[-1:]
    assert of("--class", "4/0", "--limit", "0") == []
    assert json.loads(run("members", "--class", "20/0", "--limit", "1", "--json")[1])[:5] == [0, 1, 3, 4, 9]


def test_rank_and_unrank(run: Run) -> None:
    code, out, _ = run("unrank", "--size", "12", "1234567890123")
    assert code == 0
    assert run("unrank", "--size", "12", "1,234,567,890,123")[1] == out
    assert run("rank", *out.split())[1] == (
        "rank 1,234,567,890,123 of the 2,284,535,476,080 lists of 12 cards, from 0\n"
        "rank 1,681,457,163 of the 1,965,150,720 lists of class 12/786\n"
    )
    found = json.loads(run("rank", *out.split(), "--json")[1])
    assert found["rank"] == 1_234_567_890_123
    member = run("members", "--class", found["class"], "--start", str(found["rank_in_class"]), "--limit", "1")
    assert member[1] == out
    assert json.loads(run("unrank", "--size", "12", "1234567890123", "--json")[1]) == found["cards"]


def test_a_stored_catalogue_gives_the_same_answers(run: Run, workspace: Path) -> None:
    for arguments in (
        ["classify", *HAND],
        ["rank", *HAND],
        ["unrank", "--size", "17", "100000000000"],
        ["members", "--class", "13/2000"],
        ["sample", "--size", "16", "--count", "3", "--seed", "1"],
    ):
        assert run(*arguments, "-w", str(workspace)) == run(*arguments)


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["classify", "81"], "not a card: '81' (give 0 to 80, "),
        (["classify", "-1"], "not a card: '-1'"),
        (["classify", "5", "7", "5"], "card 5 (red one striped oval) is given twice"),
        (["classify", "red one solid"], "not a card: 'red one solid'"),
        (["classify"], "which cards?"),
        (["rank", "yellow"], "not a card: 'yellow'"),
        (["rank"], "which cards?"),
        (["members", "--class", "12/1437"], "no class 12/1437: the classes of size 12 are 0 to 1436"),
        (["members", "--class", "21/0"], "there are lists of 0 to 20 cards, not of 21"),
        (["members", "--class", "12/-1"], "no class 12/-1"),
        (
            ["members", "--class", "twelve"],
            "not a class: 'twelve' (give its size and number, such as 12/700)",
        ),
        (["members", "--class", "a/b"], "not a class: 'a'"),
        (["members", "--class", "3/0", "--start", "84240"], "the lists of class 3/0 are 0 to 84239"),
        (["members", "--class", "3/0", "--start", "-1"], "no list of rank -1"),
        (
            ["unrank", "--size", "20", "682344"],
            "no list of rank 682344: the lists of size 20 are 0 to 682343",
        ),
        (["unrank", "--size", "20", "-1"], "no list of rank -1"),
        (["unrank", "--size", "20", "first"], "not a rank: 'first'"),
        (["unrank", "--size", "21", "0"], "there are lists of 0 to 20 cards, not of 21"),
        (["sample", "--size", "0"], "there are lists of 1 to 20 cards, not of 0"),
        (["classes", "--size", "21"], "there are lists of 0 to 20 cards, not of 21"),
        (["classes", "build", "--size", "-1"], "there are lists of 0 to 20 cards, not of -1"),
    ],
)
def test_bad_input_is_one_clear_line(run: Run, nowhere: Path, arguments: list[str], complaint: str) -> None:
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert complaint in err
    assert err.startswith("setset: ")
    assert err.count("\n") == 1
    assert list(nowhere.iterdir()) == []


@pytest.mark.parametrize("command", ["classes", "classify", "sample", "members", "rank", "unrank"])
def test_help_has_an_example(run: Run, command: str) -> None:
    assert f"setset {command}" in run(command, "--help")[1].split("Example")[1]


def test_count_puts_the_class_sum_beside_the_enumerated_count(run: Run, nowhere: Path) -> None:
    workspace = nowhere / "setset-workspace"
    explore(Workspace(workspace), Request(4, target=4), Unwatched(), ThreadPoolExecutor)
    assert "class sum" not in run("count")[1]
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


def test_the_catalogue_is_described_by_sql(run: Run, workspace: Path) -> None:
    rows = json.loads(run("sql", "--json", "-w", str(workspace))[1])
    told = {row["name"]: row for row in rows}
    assert told["catalogue"]["kind"] == "view"
    assert told["catalogue"]["what it holds"].startswith("each size: classes, lists in them")
    for table in ("levels", "classes", "links"):
        assert told[table]["kind"] == "table"
        assert told[table]["what it holds"]


def test_a_closed_pipe_is_no_error() -> None:
    done = subprocess.run(
        f"{sys.executable} -m setset members --class 12/700 --all | head -n 2",
        shell=True,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.count("\n") == 2
    assert done.stderr == ""
