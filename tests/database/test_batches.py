"""Batches as they are recorded: in order, by number, and below their storage root."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from setset.database import Database, batches, explorations
from setset.database.explorations import SizeKey
from setset.errors import BadInput, SetsetError
from tests.small import SIZE, TARGET, Copy, change, reading, rows


@pytest.fixture
def database(reference: Path) -> Iterator[Database]:
    with reading(reference) as opened:
        yield opened


@pytest.fixture
def key(database: Database) -> SizeKey:
    return explorations.find(database, TARGET).at(SIZE)


def test_batches_are_read_in_order_and_by_number(key: SizeKey, reference: Path) -> None:
    numbers = [number for (number,) in rows(reference, f"SELECT number FROM files WHERE size = {SIZE}")]
    assert [batch.number for batch in batches.read(key)] == numbers
    assert [batch.number for batch in batches.numbered(key)] == numbers


def test_an_unknown_batch_is_refused_with_the_known_numbers(key: SizeKey) -> None:
    count = batches.count_numbered(key)
    with pytest.raises(BadInput, match=f"there is no batch 999 of size {SIZE}: the batches are 0 to {count - 1}"):
        batches.get(key, 999)


@pytest.mark.parametrize("path", ["../../../etc/passwd", "/etc/passwd", "t16/../../../x"])
def test_a_path_out_of_the_storage_root_is_refused(copy: Copy, path: str) -> None:
    folder = copy()
    change(folder.path, f"UPDATE batches SET path = '{path}' WHERE size = {SIZE} AND number = 0")
    with reading(folder.path) as database:
        batch = batches.get(explorations.find(database, TARGET).at(SIZE), 0)
        with pytest.raises(SetsetError, match="names a file outside its storage root"):
            print(batch.path)


def test_a_list_that_is_none_is_damage(copy: Copy) -> None:
    folder = copy()
    change(folder.path, f"UPDATE batches SET first_list = 'x' WHERE size = {SIZE} AND number = 0")
    with reading(folder.path) as database, pytest.raises(SetsetError, match=r"damaged.*setset db rebuild"):
        batches.get(explorations.find(database, TARGET).at(SIZE), 0)
