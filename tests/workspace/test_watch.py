"""Whether something has happened: what is recorded, a run that begins or ends, a database that is replaced."""

from __future__ import annotations

import os
import shutil
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import text

import setset
from setset.database.connection import connect
from tests.small import Copy, change, rows, writing


def test_what_is_recorded_is_noticed_once(copy: Copy) -> None:
    folder = copy().path
    watch = setset.Watch(folder)
    assert [watch.changed(), watch.changed()] == [True, False]
    change(folder, "UPDATE runs SET workers = 7")
    assert [watch.changed(), watch.changed()] == [True, False]
    with setset.open(folder) as workspace:
        workspace.status()
    assert not watch.changed()
    watch.close()


def test_a_run_is_noticed_by_its_lock(copy: Copy) -> None:
    folder = copy().path
    watch = setset.Watch(folder)
    watch.changed()
    with writing(folder), setset.open(folder) as workspace:
        assert watch.changed()
        assert workspace.in_use()
    assert watch.changed()


@pytest.mark.posix("replaces an open file")
def test_a_workspace_that_comes_goes_and_is_replaced(reference: Path, tmp_path: Path) -> None:
    watch = setset.Watch(tmp_path / "w")
    assert [watch.changed(), watch.changed()] == [True, False]
    shutil.copytree(reference, tmp_path / "w")
    assert [watch.changed(), watch.changed()] == [True, False]
    shutil.copy(tmp_path / "w" / "setset.db", tmp_path / "other.db")
    (tmp_path / "other.db").replace(tmp_path / "w" / "setset.db")
    assert [watch.changed(), watch.changed()] == [True, False]
    (tmp_path / "w" / "setset.db").unlink()
    assert [watch.changed(), watch.changed()] == [True, False]


def test_who_watches_keeps_no_commit_waiting(copy: Copy) -> None:
    folder = copy().path
    watch = setset.Watch(folder)
    with closing(connect(folder / "setset.db", "rw", seconds=0)) as connection:
        for number in range(20):
            watch.changed()
            with connection:
                connection.execute("UPDATE runs SET workers = ?", (number + 1,))
            assert watch.changed()
        connection.execute("BEGIN EXCLUSIVE")
        assert not watch.changed()  # held by somebody: as before
    assert rows(folder, "SELECT DISTINCT workers FROM runs") == [(20,)]


def test_what_takes_too_long_ends(reference: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT COUNT(*) FROM n"
    monkeypatch.setattr("setset.database.views.text", lambda _: text(f"{endless} WHERE :workers > 0 OR :in_use"))
    with (
        setset.open(reference, time_limit=0.3) as workspace,
        pytest.raises(setset.Locked, match="took too long: try again"),
    ):
        workspace.status()


@pytest.mark.posix("makes a FIFO")
def test_nobody_waits_for_a_fifo_in_the_place_of_the_database(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "setset.db")
    watch = setset.Watch(tmp_path)
    assert [watch.changed(), watch.changed()] == [True, False]
