"""Batches as they are recorded: in order, by number, and below their storage root."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from setset.database import Database, batches, explorations
from setset.database.explorations import ExplorationKey
from setset.errors import BadInput, SetsetError
from tests.small import SIZE, TARGET, Copy, change, reading, rows


@pytest.fixture
def database(reference: Path) -> Iterator[Database]:
    with reading(reference) as opened:
        yield opened


@pytest.fixture
def key(database: Database) -> ExplorationKey:
    return explorations.find(database, TARGET)


@pytest.mark.parametrize("page", [1, 7, 1000])
def test_pages_leave_nothing_out(
    database: Database, key: ExplorationKey, reference: Path, page: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    stored = [number for (number,) in rows(reference, f"SELECT number FROM files WHERE size = {SIZE}")]
    monkeypatch.setattr(batches, "PAGE", page)
    assert [batch.number for batch in batches.in_order(database, key, SIZE)] == stored
    assert [batch.number for batch in batches.numbered_from(database, key, SIZE, 5)] == stored[5:]


def test_only_those_with_parts_of_some_sources(database: Database, key: ExplorationKey) -> None:
    some = list(batches.in_order(database, key, SIZE, (1, 2)))
    assert {batch.span.first_source for batch in some} == {1, 2}


def test_a_list_is_found_by_its_number(database: Database, key: ExplorationKey) -> None:
    first, second = (batches.get(database, key, SIZE, number) for number in (0, 1))
    assert batches.find_list(database, key, SIZE, 0) == (first, 0)
    assert batches.find_list(database, key, SIZE, first.lists - 1) == (first, first.lists - 1)
    assert batches.find_list(database, key, SIZE, first.lists) == (second, 0)
    lists, _ = batches.totals(database, key, SIZE)
    with pytest.raises(BadInput, match=f"there is no list {lists:,} of size {SIZE}: {lists:,} are stored"):
        batches.find_list(database, key, SIZE, lists)


def test_what_is_not_there_is_said_with_what_is(database: Database, key: ExplorationKey) -> None:
    known = batches.count_numbered(database, key, SIZE)
    with pytest.raises(
        BadInput, match=f"there is no batch 999 of size {SIZE}: the batches are 0 to {known - 1}"
    ):
        batches.get(database, key, SIZE, 999)


@pytest.mark.parametrize("path", ["../../../etc/passwd", "/etc/passwd", "t16/../../../x"])
def test_a_path_out_of_the_storage_root_is_refused(copy: Copy, path: str) -> None:
    folder = copy()
    change(folder.path, f"UPDATE batches SET path = '{path}' WHERE size = {SIZE} AND number = 0")
    with reading(folder.path) as database:
        batch = batches.get(database, explorations.find(database, TARGET), SIZE, 0)
        with pytest.raises(SetsetError, match="names a file outside its storage root"):
            batches.path_of(database, batch)


def test_a_list_that_is_none_is_damage(copy: Copy) -> None:
    folder = copy()
    change(folder.path, f"UPDATE batches SET first_list = 'x' WHERE size = {SIZE} AND number = 0")
    with reading(folder.path) as database, pytest.raises(SetsetError, match=r"damaged.*setset db rebuild"):
        batches.get(database, explorations.find(database, TARGET), SIZE, 0)
