"""Small untruths of the command line that were once in the way."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

import setset
from setset.database import archive
from setset.workspace import estimate
from tests.cli.conftest import run_process
from tests.commands import run_here
from tests.conftest import Run
from tests.terminal import show

ASSETS = Path(__file__).parents[1] / "database" / "assets"


@pytest.fixture(scope="module")
def parts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace of target 18 whose size 5 has files of the last sources only."""
    workspace = tmp_path_factory.mktemp("parts") / "w"
    assert run_here("run", "4", "--target", "18", "--batch-lists", "100000", "-q", workspace=workspace).returncode == 0
    result = run_here("run", "5", "--from", "5", workspace=workspace)
    assert result.returncode == 0, result.stderr
    assert result.stderr.splitlines()[-1] == "next: setset run 5 --target 18, which expands the sources before 5"
    to_do = int(result.stderr.split(" lists", 1)[0].split()[-1].replace(",", ""))
    assert to_do < 4_000_000  # of 7,964,460, by two of seven sources
    return workspace


def test_a_size_without_its_first_files(parts: Path) -> None:
    for words in (["lists", "5", "--batch", "40"], ["repair", "5", "--batch", "40"]):
        result = run_here(*words, workspace=parts)
        assert result.returncode == 2
        assert "no batch of size 5 has its number yet" in result.stderr
        assert "'setset run 5 --target 18'" in result.stderr
    repair = run_here("repair", "5", "--source", "6", workspace=parts)
    assert (repair.returncode, repair.stdout.count("as asked")) == (0, repair.stdout.count("rebuilt"))
    assert "rebuilt" in repair.stdout
    assert "no file of size 5 is made from source 2" in run_here("repair", "5", "--source", "2", workspace=parts).stderr
    commands = [run.command for run in setset.open(parts).runs()]
    assert "setset repair --size 5 --source 6 --target 18" in commands


def test_a_long_outcome_fills_no_other_row(parts: Path) -> None:
    run_here("run", "5", "--target", "18", "--store", "5", "--via", "3", workspace=parts)  # refused, in a long sentence
    lines = run_here("history", workspace=parts).stdout.splitlines()
    assert max(map(len, lines)) > 250
    assert max(len(line) for line in lines if "refused" not in line) < 250


def test_cards_and_classes_in_every_spelling() -> None:
    hand = "red one solid diamond, g2hs, 5"
    assert setset.classify(hand).cards == setset.classify(["r1fd", 40, "5"]).cards == (0, 5, 40)
    assert setset.find_sets("r1fd g2hs p3eo") == [(0, 40, 80)]
    assert next(setset.members("12/786")) == next(setset.members(setset.catalogue_in_memory().get(12, 786)))
    assert str(setset.describe_class("12/786").list_class) == "12/786"
    assert setset.sample(12).shape == (1, 12)
    assert setset.cards.parse("red two stripped oval") == setset.cards.parse("red two striped oval")


@pytest.mark.parametrize(
    "call",
    [
        lambda: setset.classify(5),  # type: ignore[arg-type]
        lambda: setset.deal("x"),  # type: ignore[arg-type]
        lambda: setset.unrank(12, "x"),  # type: ignore[arg-type]
        lambda: setset.odds("x"),  # type: ignore[arg-type]
        lambda: setset.members("12"),
        lambda: setset.lists("x"),  # type: ignore[arg-type]
        lambda: setset.lists(12)["x"],  # type: ignore[call-overload]
        lambda: setset.open(5),  # type: ignore[arg-type]
        lambda: setset.sample(12, 1.5),  # type: ignore[arg-type]
        lambda: setset.hands("x"),  # type: ignore[arg-type]
        lambda: setset.hands(12).chance("x"),  # type: ignore[arg-type]
        lambda: setset.simulate(10, policy="any"),  # type: ignore[arg-type]
    ],
)
def test_a_bad_argument_is_bad_input(call: object) -> None:
    with pytest.raises(setset.BadInput):
        call()  # type: ignore[operator]


def test_json_of_many_hands_has_a_row_for_each_line(tmp_path: Path, run: Run) -> None:
    hands = tmp_path / "hands"
    hands.write_text("1 2 5\nnonsense\n0 40 80\n99\n")
    code, out, _ = run("classify", "--file", str(hands), "--json")
    rows = [json.loads(line) for line in out.splitlines()]
    assert code == 1
    assert [(row["line"], row["class"], "error" in row) for row in rows] == [
        (1, "3/0", False),
        (2, None, True),
        (3, None, False),
        (4, None, True),
    ]


def test_a_solver_gives_as_many_cards_as_asked_for(run: Run) -> None:
    assert len(json.loads(run("sat", "solve", "5", "--json")[1])["cards"]) == 5


@pytest.mark.parametrize(
    "command",
    ["draw 1 2 -o x.svg", "plot odds -o x.svg", "report -o x.html", "db backup x.db", "export bfile caps -o x"],
)
def test_a_file_is_replaced_by_force_only(
    command: str, run: Run, nowhere: Path, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SETSET_WORKSPACE", str(workspace))
    words = command.split()
    file = nowhere / words[-1]
    file.write_bytes(b"mine")
    assert run(*words)[::2] == (2, f"setset: {file.name} exists already: add --force to replace it\n")
    assert file.read_bytes() == b"mine"
    assert run(*words, "--force")[0] == 0
    assert file.read_bytes() != b"mine"


def test_two_classes_make_two_charts(run: Run, nowhere: Path) -> None:
    for name in ("18/3", "18/4"):
        assert run("plot", "neighbours", name)[0] == 0
    assert sorted(path.name for path in nowhere.iterdir()) == ["neighbours-18-3.svg", "neighbours-18-4.svg"]


def test_a_large_run_without_a_terminal_needs_a_word(tmp_path: Path) -> None:
    result = run_here("run", "14", "--target", "14", workspace=tmp_path / "w")
    assert result.returncode == 2
    assert "setset cannot ask without a terminal: add --yes, or a limit such as --max-time 8h" in result.stderr
    assert not (tmp_path / "w").exists()
    limited = run_process("run", "14", "--target", "14", "--max-time", "1s", workspace=tmp_path / "w")
    assert limited.returncode == 1
    assert "stopped by --max-time: finished work is recorded" in limited.stderr


def test_a_run_stops_when_its_files_take_as_much_as_it_may(tmp_path: Path) -> None:
    limited = run_here("run", "6", "--batch-lists", "50000", "--max-disk", "20 kB", workspace=tmp_path / "w")
    assert limited.returncode == 1, limited.stderr
    assert "stopped by --max-disk: finished work is recorded" in limited.stderr
    with setset.open(tmp_path / "w") as workspace:
        (run,) = workspace.runs()
        assert run.bytes_added >= 20_000
        assert list(workspace.check()) == []
    result = run_here("run", "6", "--max-disk", "20 apples", workspace=tmp_path / "w")
    assert (result.returncode, "such as 500MB or 20GB" in result.stderr) == (2, True)


@pytest.mark.posix("a drive letter is a folder on Windows")
def test_a_path_of_windows_is_questioned(run: Run, nowhere: Path) -> None:
    code, _, err = run("run", "3", "-w", "T:\\data\\caps")
    assert (code, list(nowhere.iterdir())) == (2, [])
    assert "is a path of Windows" in err


@pytest.mark.posix("the number of the error is of POSIX")
def test_an_error_of_the_system_names_the_file(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(30, os.strerror(30), "some/file")

    monkeypatch.setattr(setset.table.simulation, "simulate", refuse)
    monkeypatch.setattr("setset.show.odds.show_odds", refuse)
    assert run("odds")[::2] == (1, "setset: some/file: Read-only file system\n")


@pytest.mark.parametrize(("package", "name"), [("distributed", "Dask"), ("uvicorn", "the server of the page")])
def test_an_error_of_another_package_is_put_into_words(
    package: str, name: str, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise type("Trouble", (Exception,), {"__module__": f"{package}.core"})("it is\nbroken")

    monkeypatch.setattr("setset.show.odds.show_odds", fail)
    assert run("odds")[::2] == (1, f"setset: {name} failed: it is broken\n")


def test_an_older_schema_on_read_only_media_can_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Root may write everywhere, so that the test only says that the folder cannot be written to."""
    workspace = tmp_path / "archive"
    workspace.mkdir()
    old = shutil.copy(ASSETS / "0007.db", workspace / "setset.db")
    before = Path(old).read_bytes()
    monkeypatch.setattr(archive, "is_read_only", lambda _: True)
    result = run_here("status", workspace=workspace)
    assert result.returncode == 0, result.stderr
    assert Path(old).read_bytes() == before
    assert [path.name for path in workspace.iterdir()] == ["setset.db"]


@pytest.mark.posix("needs a terminal of POSIX")
def test_narrow_tables_leave_out_columns_and_cut_nothing(workspace: Path, tmp_path: Path) -> None:
    commands = [("count", "-w", str(workspace)), ("estimate", "6", "-w", str(workspace), "--seconds", "0")]
    for text in show([(60, words) for words in commands], tmp_path).values():
        assert "--wide shows" in text
        assert "…" not in text
        assert max(map(len, text.splitlines()[:5])) <= 60


def test_nothing_is_said_to_be_zero_gigabytes() -> None:
    sizes = {0: "0 B", 4_000: "4.0 kB", 15_000_000: "15.0 MB", 2_500_000_000: "2.5 GB"}
    assert [estimate._bytes(count) for count in sizes] == list(sizes.values())
