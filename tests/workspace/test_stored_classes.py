"""Building the catalogue into a workspace, and asking it where there is none."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from setset.database import levels as stored_levels
from setset.errors import BadInput, Locked, SetsetError
from setset.folder import WorkspaceFolder
from setset.progress import NoProgress
from setset.symmetry import Catalogue, Totals
from setset.workspace.stored_classes import build_catalogue, class_totals, load_catalogue
from tests.small import Notices, build_classes, change, reading, rows


def stored_sizes(folder: Path) -> list[int]:
    return [size for (size,) in rows(folder, "SELECT size FROM levels ORDER BY size")]


@pytest.fixture
def classified_copy(classified: Path, tmp_path: Path) -> Path:
    """A copy of the catalogue to do damage to."""
    return Path(shutil.copytree(classified, tmp_path / "copy"))


def test_a_second_build_does_nothing(classified: Path) -> None:
    before = (classified / "setset.db").read_bytes()
    assert build_classes(classified) == []
    assert build_classes(classified, 7) == []
    assert (classified / "setset.db").read_bytes() == before


def test_an_interrupted_build_goes_on(tmp_path: Path, catalogue: Catalogue) -> None:
    class PulledPlug(Exception):
        pass

    def on_built(totals: Totals) -> None:
        if totals.size == 7:
            raise PulledPlug

    with pytest.raises(PulledPlug):
        build_catalogue(WorkspaceFolder(tmp_path), 11, NoProgress(), on_built=on_built)
    assert stored_sizes(tmp_path) == list(range(8))
    assert build_classes(tmp_path, 9) == [8, 9]
    assert build_classes(tmp_path, 11) == [10, 11]
    with reading(tmp_path) as database:
        assert all(stored_levels.load_level(database, size) == catalogue.level(size) for size in range(12))
    assert [run[0] for run in rows(tmp_path, "SELECT outcome FROM runs")] == ["failed", "done", "done"]


@pytest.mark.parametrize(
    "damage",
    [
        ["UPDATE classes SET representative = '0 1 3 4 9 10 27 99' WHERE (size, number) = (8, 3)"],
        ["DELETE FROM links WHERE (size, larger, smaller) = (8, 30, 10)"],
        ["UPDATE links SET deletions = deletions + 1 WHERE (size, larger, smaller) = (8, 30, 10)"],
        ["DELETE FROM links WHERE (size, larger) = (8, 32)", "DELETE FROM classes WHERE (size, number) = (8, 32)"],
    ],
    ids=["another representative", "a lost link", "a changed link", "a lost class"],
)
def test_damage_is_noticed_and_built_again(classified_copy: Path, damage: list[str]) -> None:
    change(classified_copy, *damage)
    message = "classes of size 8 in .* are damaged: run 'setset classes build --force'"
    with pytest.raises(SetsetError, match=message):
        load_catalogue(classified_copy, 8)
    change(classified_copy, *(f"DELETE FROM {table} WHERE size = 9" for table in ("links", "classes", "levels")))
    with pytest.raises(SetsetError, match=message):  # nothing is built on what is damaged
        build_classes(classified_copy, 9)
    assert build_classes(classified_copy, 9, force=True) == list(range(10))
    assert load_catalogue(classified_copy, 8).lists(8) == 14_587_567_020
    assert stored_sizes(classified_copy) == list(range(21))


def test_the_table_is_the_same_whatever_is_stored(classified: Path, tmp_path: Path, catalogue: Catalogue) -> None:
    build_classes(tmp_path / "some", 6)
    tables = [class_totals(folder) for folder in (classified, tmp_path / "some", tmp_path / "none", None)]
    assert tables[0] == tables[1] == tables[2] == tables[3]
    assert not (tmp_path / "none").exists()
    assert [total.lists for total in tables[0]] == [catalogue.lists(size) for size in range(21)]


def test_who_else_holds_the_workspace_is_said(tmp_path: Path) -> None:
    """A lock belongs to a process, so somebody else must be one."""
    build_classes(tmp_path, 3)
    program = (
        "import sys; from pathlib import Path; from setset.folder import WorkspaceFolder\n"
        f"with WorkspaceFolder(Path({str(tmp_path)!r})).locked(): print('locked', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "locked\n"
        with pytest.raises(Locked, match=f"in use by pid {process.pid}"):
            build_classes(tmp_path, 4)
        assert build_classes(tmp_path, 3) == []
        process.communicate("")
    assert build_classes(tmp_path, 4) == [4]


def test_somebody_who_locks_the_database_is_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build_classes(tmp_path, 3)
    holder = sqlite3.connect(tmp_path / "setset.db", isolation_level=None)

    class LeavingNotices(Notices):
        """The other writer leaves when the notice appears."""

        def notice(self, text: str) -> None:
            super().notice(text)
            holder.execute("ROLLBACK")

    notices = LeavingNotices()

    def store_level(*arguments: Any) -> Totals:
        """Somebody comes in before the size is written."""
        if not notices.texts:
            holder.execute("BEGIN IMMEDIATE")
        return store(*arguments)

    store = stored_levels.store_level
    monkeypatch.setattr(stored_levels, "store_level", store_level)
    monkeypatch.setattr("setset.database.connection.RETRY_SECONDS", 0.05)
    build_catalogue(WorkspaceFolder(tmp_path), 4, notices)
    holder.close()
    assert notices.texts == ["the database is held by another program; waiting for it"]
    assert stored_sizes(tmp_path) == [0, 1, 2, 3, 4]


def test_sizes_that_do_not_exist_are_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="lists of 0 to 20 cards, not of 21"):
        build_classes(tmp_path / "w", 21)
    assert not (tmp_path / "w").exists()
