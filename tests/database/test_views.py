"""The views answer what people ask, and `views` gives the same as records."""

from __future__ import annotations

from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from setset.database import views
from setset.database.connection import BadDatabase, connect
from setset.database.models import Work
from setset.database.views import ItemState, SizeState
from tests.small import SIZE, TARGET, Copy, change, reading, rows


def test_the_views_answer_without_the_tables(reference: Path) -> None:
    assert rows(reference, f"SELECT complete FROM counts WHERE target = {TARGET} AND size = {SIZE}") == [(1,)]
    assert len(rows(reference, f"SELECT * FROM files WHERE size = {SIZE}")) > 40
    assert rows(reference, "SELECT * FROM defects") == []
    assert all(row[0] > 0 for row in rows(reference, "SELECT lists_per_second FROM throughput"))


def test_the_records_are_the_rows(reference: Path) -> None:
    with reading(reference) as database:
        progress, counts = views.progress(database), views.counts(database)
        assert views.items(database, in_use=True) == []
        assert all(host.expansions and host.lists for host in views.throughput(database))
    assert [(size.size, size.work, size.state) for size in progress] == [
        (size, Work.STORE, SizeState.COMPLETE) for size in (3, 4, 5)
    ]
    expected = rows(reference, "SELECT target, size, lists, complete FROM counts")
    assert [(size.target, size.size, size.lists, size.complete) for size in counts] == expected


def test_the_timeline_says_when_each_expansion_was_done(reference: Path) -> None:
    """From the clock and the stopwatch of the worker; recorded afterwards, in whole seconds."""
    records = rows(reference, "SELECT started_at, seconds, recorded_at, run, lists_out FROM timeline")
    assert len(records) == len(rows(reference, "SELECT id FROM expansions"))
    for started, seconds, recorded, run, lists in records:
        end = datetime.fromisoformat(started) + timedelta(seconds=seconds)
        assert end < datetime.fromisoformat(recorded) + timedelta(seconds=1)
        assert datetime.fromisoformat(started).utcoffset() == timedelta(0)
        assert run == 1
        assert lists > 0


def test_finished_work_has_the_times_of_its_worker_or_else_of_its_record(copy: Copy) -> None:
    folder = copy()
    change(folder.path, "UPDATE expansions SET started_at = NULL WHERE size = 4")
    change(folder.path, "UPDATE expansions SET started_at = '2026-01-02T03:04:05.500+00:00' WHERE size = 5")
    times = dict(rows(folder.path, "SELECT source, finished_at FROM expansions WHERE size = 4"))
    with reading(folder.path) as database:
        finished = [work for work in views.finished_work(database) if work.size > 3]
    assert {work.size for work in finished} == {4, 5}
    for work in finished:
        start, end = datetime.fromisoformat(work.started_at), datetime.fromisoformat(work.finished_at)
        assert abs(end - start - timedelta(seconds=work.seconds)) <= timedelta(milliseconds=2)
        if work.size == 5:
            assert work.started_at == "2026-01-02T03:04:05.500+00:00"
        else:
            assert abs(end - datetime.fromisoformat(times[work.source])) <= timedelta(milliseconds=2)


def test_a_defect_is_listed(copy: Copy) -> None:
    folder = copy()
    change(folder.path, f"UPDATE batches SET defect = 'missing' WHERE size = {SIZE} AND number = 7")
    with reading(folder.path) as database:
        (defect,) = views.items(database)
    assert (defect.target, defect.size, defect.state) == (TARGET, SIZE, ItemState.DEFECTIVE)
    assert defect.detail == "missing"


@pytest.mark.parametrize(
    "statements",
    [
        ("PRAGMA ignore_check_constraints = ON", "UPDATE expansions SET work = 'sto' || char(0) || 'e'"),
        (
            "PRAGMA writable_schema = ON",
            "UPDATE sqlite_schema SET sql = replace(sql, 'AS sources', 'AS sourcus') WHERE name = 'progress'",
        ),
        (
            "PRAGMA writable_schema = ON",
            "UPDATE sqlite_schema SET sql = replace(sql, 'AS complete', 'AS compleue') WHERE name = 'progress'",
        ),
    ],
    ids=["a value", "the name of a column", "the name of another one"],
)
def test_a_view_that_was_altered_is_one_line(statements: tuple[str, ...], copy: Copy) -> None:
    folder = copy()
    with closing(connect(folder.database, "rw")) as connection, connection:
        for statement in statements:
            connection.execute(statement)
    with reading(folder.path) as database, pytest.raises(BadDatabase, match=r"is damaged .* 'setset db rebuild'"):
        views.progress(database)
