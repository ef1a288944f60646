"""Tables fit the terminal: at 60, 80 and 200 columns no row is wrapped, and `--wide` shows all."""

from __future__ import annotations

import json
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import setset
from tests.conftest import Run
from tests.small import change
from tests.terminal import Screen, places, plain, read_terminal, show

pytestmark = pytest.mark.posix("needs a terminal of POSIX")

WIDTHS = (28, 60, 80, 200)
HAND = ["1", "10", "15", "18", "20", "27", "38", "60", "61", "65", "69", "70"]
LETTERS = "SELECT '集合' AS name, 'x' || char(27) || '[31m' || char(10) AS text, 5 AS n"
LONG = "SELECT printf('%.*c', 300, 'x') AS a, 'first ' || printf('%.*c', 300, 'y') AS b, 7 AS c"
MANY = "SELECT f.*, f.* FROM files f"
COMMANDS = (
    ("status",),
    ("status", "--target", "12"),
    ("count",),
    ("history",),
    ("classes", "--size", "12"),
    ("classes", "list", "--size", "12"),
    ("classes", "show", "12/786"),
    ("classify", *HAND),
    ("sql",),
    ("sql", LETTERS),
    ("sql", LONG),
    ("sql", MANY),
)
WIDE = tuple((*command, "--wide") for command in COMMANDS)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a workspace of two targets, with a damaged file and two hosts. Not to be changed."""
    folder = tmp_path_factory.mktemp("terminals")
    with setset.open(folder / "setset-workspace", mode="a") as workspace:
        for target in (4, 12):
            workspace.exploration(target).run(4, workers=1, executor=ThreadPoolExecutor)
    change(
        folder / "setset-workspace",
        "UPDATE batches SET defect = 'the digest of its lists is another one' WHERE size = 4",
        "UPDATE expansions SET host = 'node-' || size || '.cluster.example' WHERE host IS NOT NULL",
    )
    return folder


@pytest.fixture(scope="module")
def shown(folder: Path) -> dict[Screen, str]:
    screens = [(columns, command) for columns in WIDTHS for command in COMMANDS]
    json = [(columns, ("status", "--json")) for columns in WIDTHS]
    return show([*screens, *json, *((60, command) for command in WIDE)], folder)


@pytest.mark.parametrize("columns", WIDTHS)
@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_no_row_is_wrapped(shown: dict[Screen, str], columns: int, command: tuple[str, ...]) -> None:
    lines = shown[columns, command].splitlines()
    assert len(lines) > 1
    assert [line for line in lines if places(line) > columns] == []


def test_what_matters_least_is_left_out_and_named(shown: dict[Screen, str]) -> None:
    wide, narrow = shown[200, ("status",)], shown[80, ("status",)]
    assert "B/list" in wide.splitlines()[0]
    assert "--wide" not in wide
    heading, _, first, *rest = narrow.splitlines()
    assert heading.split() == ["target", "size", "sources", "lists", "done", "bytes", "M", "lists/s", "left", "state"]
    assert first.split()[:5] == ["4", "3", "1/1", "81,120", "100.0"]
    assert "--wide shows 3 more columns: files, B/list, checked" in rest
    assert shown[60, ("count",)].splitlines()[0].split() == [
        "target",
        "size",
        "what",
        "is",
        "counted",
        "lists",
        "verdict",
    ]
    assert "4 cards, 8 or more remain" in shown[60, ("count",)]
    assert shown[60, ("count",)].endswith("--wide shows 4 more columns: origin, reference, class sum,\nagree\n")
    assert shown[80, ("count",)].splitlines()[-1] == "--wide shows 2 more columns: origin, class sum"
    classes = shown[80, ("classes", "--size", "12")].splitlines()
    assert classes[2].split() == ["12", "1,437", "2,284,535,476,080", "0", "0.032302"]
    assert classes[-1] == "--wide shows 3 more columns: complete lists, classes of the game, exactly"


def test_one_target_is_in_the_heading(shown: dict[Screen, str]) -> None:
    assert shown[80, ("status", "--target", "12")].splitlines()[0] == "target 12"
    assert "81,120" not in shown[80, ("status", "--target", "12")]


def test_wide_is_what_a_pipe_gets(
    shown: dict[Screen, str], folder: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    monkeypatch.setenv("COLUMNS", "60")
    for command in COMMANDS:
        ruled = shown[60, (*command, "--wide")].splitlines()
        piped = "".join(run(*command)[1:]).splitlines()  # where one long value fills no other row with blanks
        assert [line.split() for line in ruled if set(line) != {"─"}] == [line.split() for line in piped]


def test_a_terminal_that_is_very_narrow_gets_a_block_a_row(shown: dict[Screen, str]) -> None:
    lines = shown[28, ("sql", LONG)].splitlines()
    assert lines[0].startswith("a  xxx")
    assert sum(line.count("x") for line in lines) == 300
    assert sum(line.count("y") for line in lines) == 300
    assert lines[-1] == "c  7"
    blocks = shown[80, ("sql", MANY)].splitlines()
    assert blocks[0].split() == ["target", "4"]
    assert ["lists_2", "81120"] in [line.split() for line in blocks]
    assert blocks.count("") == 3, "four files, with an empty line between two of them"


def test_values_of_a_query_are_shortened(shown: dict[Screen, str]) -> None:
    row = shown[80, ("sql", LONG)].splitlines()[2]
    assert row.endswith("…  7")
    assert "first yyy" in row
    assert shown[80, ("sql", LONG)].splitlines()[-1] == "--wide shows whole values"


def test_letters_of_two_places_and_escape_sequences(shown: dict[Screen, str]) -> None:
    heading, rule, row = shown[60, ("sql", LETTERS)].splitlines()
    assert row == "集合  x\\x1b[31m\\n  5"
    assert heading == "name  text         n"
    assert len(rule) == places(row)


def test_names_of_a_set_are_folded(tmp_path: Path) -> None:
    (text,) = show([(80, ("find", "0", "1", "2"))], tmp_path).values()
    assert [len(line) <= 80 for line in text.splitlines()] == [True] * 3
    assert " ".join(text.split()).endswith("red one solid squiggle, red one solid oval")


def test_a_hand_is_folded_between_words(shown: dict[Screen, str]) -> None:
    text = shown[80, ("classify", *HAND)]
    lines = text.splitlines()
    start = next(index for index, line in enumerate(lines) if line.startswith("map "))
    assert lines[start + 1].startswith(" " * 14 + "2, shading' = ")
    folded = " ".join(line.strip() for line in lines[start:]).split()
    unfolded = shown[60, ("classify", *HAND, "--wide")].split("\nmap ", 1)[1].split()
    assert folded[1:] == unfolded


def test_columns_in_the_environment_decide(folder: Path) -> None:
    outputs = show([(200, ("status",))], folder, COLUMNS="60")
    assert all(places(line) <= 60 for line in outputs[200, ("status",)].splitlines())


def test_colours_can_be_switched_off(folder: Path) -> None:
    command = [sys.executable, "-m", "setset", "status"]
    coloured = read_terminal(command, folder)
    assert "\x1b[32mcomplete\x1b[0m" in coloured or "\x1b[31mdefective\x1b[0m" in coloured
    assert read_terminal(command, folder, NO_COLOR="1") == plain(coloured)


def test_a_long_table_is_paged(folder: Path) -> None:
    short, long = ("classes", "list", "12", "--limit", "10"), ("classes", "list", "9", "--all")
    pager = "sed s,^,paged:,"  # click 8.1 takes what follows the last slash for the name of the pager
    outputs = show([(80, short), (80, long)], folder, PAGER=pager)
    assert "paged:" not in outputs[80, short]
    assert outputs[80, long].count("paged:9/") == 91


def test_json_is_the_same_at_any_width(shown: dict[Screen, str]) -> None:
    records = [json.loads(shown[columns, ("status", "--json")]) for columns in WIDTHS]
    for record in records:
        assert record["roots"].pop()["free_bytes"] > 0  # which others change meanwhile
    assert len(records[0]["sizes"]) == 4
    assert records == [records[0]] * len(records)
