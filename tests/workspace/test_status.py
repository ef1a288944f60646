"""How far each size is, and how fast it goes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from setset.database import runs, views
from setset.database.views import ItemState, SizeState, Status
from setset.folder import WorkspaceFolder
from tests.small import SIZE, Copy, build, change, reading, rows


def status(path: Path) -> Status:
    with reading(path) as database:
        return views.status(database)


def test_status_speaks_of_every_size(reference: Path) -> None:
    sizes = status(reference).sizes
    assert [size.size for size in sizes] == [3, 4, 5]
    assert {size.state for size in sizes} == {SizeState.COMPLETE}
    assert sizes[-1].expanded == sizes[-1].sources == 4
    assert sizes[-1].seconds_left is None


def test_a_defect_is_listed_and_its_size_is_defective(copy: Copy) -> None:
    folder = copy()
    change(folder.path, f"UPDATE batches SET defect = 'missing' WHERE size = {SIZE} AND number = 7")
    report = status(folder.path)
    assert [size.state for size in report.sizes][-1] is SizeState.DEFECTIVE
    (item,) = report.items
    assert (item.size, item.state) == (SIZE, ItemState.DEFECTIVE)


def test_running_is_only_what_a_run_that_is_under_way_has_claimed(tmp_path: Path) -> None:
    folder, _ = build(tmp_path / "w", 4)
    build(folder.path, SIZE, first=2)
    change(folder.path, f"UPDATE expansions SET state = 'running' WHERE size = {SIZE} AND source = 0")
    report = status(folder.path)
    assert (report.sizes[-1].state, report.items) == (SizeState.STOPPED, [])
    assert 0 < report.sizes[-1].share < 1
    with WorkspaceFolder(folder.path).locked():
        report = status(folder.path)
    assert report.sizes[-1].state is SizeState.RUNNING
    (item,) = report.items
    assert (item.state, item.what) == (ItemState.RUNNING, "source 0 of size 4")


def test_building_the_catalogue_does_not_change_the_estimates(counted_and_classified: Path) -> None:
    """They go by the workers of the last run that had some."""
    change(counted_and_classified, "UPDATE runs SET workers = 7 WHERE workers > 0")
    with reading(counted_and_classified) as database:
        assert runs.last_workers(database) == 7


COUNTS_BY_LISTS = "SELECT id FROM expansions WHERE work = 'count' ORDER BY lists_out"


@pytest.mark.parametrize("counted", [{"count_only": True}, {"count": (SIZE,)}])
@pytest.mark.parametrize("exchanged", [False, True])
def test_a_count_that_lost_a_tally_is_not_complete(counted: dict[str, Any], exchanged: bool, tmp_path: Path) -> None:
    """A row was deleted, or the ids of two counts were exchanged: no checksum shows it. A count of one size alone has a
    single tally, with entries."""
    folder, _ = build(tmp_path / "w", SIZE, **counted)
    assert status(folder.path).altered == []
    if exchanged:
        ids = [number for (number,) in rows(folder.path, COUNTS_BY_LISTS)]
        for new, old in ((-1, ids[0]), (ids[0], ids[-1]), (ids[-1], -1)):
            change(folder.path, f"UPDATE expansions SET id = {new} WHERE id = {old}")
    else:
        change(folder.path, f"DELETE FROM tallies WHERE size = {SIZE} AND expansion_id % 2 = 0")
    after = status(folder.path)
    assert after.altered == [f"the count of size {SIZE} of target 16"]
    assert SizeState.COMPLETE not in {size.state for size in after.sizes}
    build(folder.path, SIZE, **counted)
    assert status(folder.path).altered == []
