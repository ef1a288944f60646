"""A size as a sequence of lists: any of them is reached, and nothing comes from a damaged file."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import setset
from setset.batches import files
from setset.engine import search
from setset.errors import BadInput, ChangedMeanwhile, SetsetError
from setset.folder import WorkspaceFolder
from setset.progress import Activity, NoProgress
from setset.workspace.size import Size
from tests.small import SIZE, TARGET, Copy, batch_file, build, change, flip, merge_files

LISTS = 9_396_567
"""Number of lists of size 5 for target 16."""


@pytest.fixture
def five(reference: Path) -> Iterator[Size]:
    with setset.open(reference) as workspace:
        yield workspace.exploration(TARGET)[SIZE]


def decoded(size: Size, start: int, stop: int) -> list[Any]:
    """Lists start to stop by decoding one file after the other."""
    lists: list[Any] = []
    offset = 0
    for batch in size.batches:
        for chunk in search.unpack(files.load(Path(batch.path))[1]):
            lists += chunk[max(start - offset, 0) : max(stop - offset, 0)].tolist()
            offset += len(chunk)
    return lists


def test_how_much_there_is(five: Size) -> None:
    assert len(five) == five.lists == LISTS == sum(batch.lists for batch in five.batches)
    assert five.bytes == sum(Path(batch.path).stat().st_size for batch in five.batches)
    assert five.complete
    assert [batch.number for batch in five.batches] == list(range(len(five.batches)))


@pytest.mark.parametrize(("start", "limit"), [(0, 5), (199_998, 5), (1_234_567, 3), (LISTS - 2, 10)])
def test_any_number_is_reached(five: Size, start: int, limit: int) -> None:
    expected = decoded(five, start, start + limit)
    assert five[start : start + limit].tolist() == expected
    assert [list(five[index]) for index in range(start, start + len(expected))] == expected
    arrays = five.arrays(start, 2)
    assert np.concatenate(list(islice(arrays, 5)))[:limit].tolist() == expected


def test_iteration_goes_across_files(five: Size) -> None:
    assert list(islice(five, 199_990, 200_020)) == list(map(tuple, decoded(five, 199_990, 200_020)))


def test_indices_are_those_of_a_sequence(five: Size) -> None:
    assert five[-1] == five[LISTS - 1] == five.batches[-1].last
    assert five[10:20:3].tolist() == [list(five[index]) for index in (10, 13, 16, 19)]
    assert five[5:5].shape == (0, SIZE)
    for index in (LISTS, -LISTS - 1):
        with pytest.raises(IndexError, match="9,396,567 are stored"):
            five[index]
    with pytest.raises(BadInput, match="forwards"):
        five[::-1]


def test_arrays_are_the_callers_own(five: Size) -> None:
    arrays = five.arrays(chunk=10)
    first = next(arrays)
    before = first.tolist()
    next(arrays)
    assert first.tolist() == before
    first[:] = 0


def test_the_lists_of_one_batch(five: Size) -> None:
    rows = np.concatenate(list(five.arrays(batch=1)))
    assert (len(rows), tuple(rows[0].tolist())) == (five.batches[1].lists, five.batches[1].first)
    with pytest.raises(BadInput, match="there is no list 99,999,999 in batch 1"):
        five.arrays(99_999_999, batch=1)
    with pytest.raises(BadInput, match="there is no batch 999"):
        five.arrays(batch=999)


def test_what_is_not_stored_says_how_to_get_it(reference: Path) -> None:
    with setset.open(reference) as workspace:
        with pytest.raises(BadInput, match="run 'setset run 9 --target 16' first"):
            workspace.exploration(TARGET)[9]
        with pytest.raises(BadInput, match="nothing is known for target 12"):
            workspace.exploration(12)[5]


def test_lists_from_a_damaged_file_are_refused(copy: Copy) -> None:
    folder = copy()
    flip(batch_file(folder, 0))
    with setset.open(folder.path) as workspace:
        size = workspace.exploration(TARGET)[SIZE]
        with pytest.raises(SetsetError, match=r"checksum mismatch.*setset repair"):
            size[0]
        assert size[LISTS - 1]


def remove(folder: WorkspaceFolder) -> None:
    with setset.open(folder.path, mode="a") as workspace:
        workspace.exploration(TARGET).remove(SIZE)


def make_with_another_cut(folder: WorkspaceFolder) -> None:
    remove(folder)
    build(folder.path, batch_lists=150_000)


def merge(folder: WorkspaceFolder) -> None:
    change(folder.path, f"UPDATE sizes SET batch_lists = 2000000 WHERE size = {SIZE}")
    merge_files(folder)


READERS: dict[str, Callable[[Size], Iterator[Any]]] = {
    "arrays": lambda size: size.arrays(chunk=50_000),
    "iteration": iter,
    "slice": lambda size: size._range(10, LISTS - 20, 50_000),
}


@pytest.mark.parametrize("beside", [remove, make_with_another_cut, merge])
@pytest.mark.parametrize("reader", READERS)
def test_a_size_that_is_changed_meanwhile_is_not_read_to_a_wrong_end(
    copy: Copy, reader: str, beside: Callable[[WorkspaceFolder], None]
) -> None:
    folder = copy()
    with setset.open(folder.path) as workspace:
        size = workspace.exploration(TARGET)[SIZE]
        lists = READERS[reader](size)
        next(lists)
        beside(folder)
        with pytest.raises(
            ChangedMeanwhile, match="another command changed size 5 meanwhile: run the same command again"
        ):
            deque(lists, 0)
        with pytest.raises(SetsetError, match="changed size 5 meanwhile"):
            _ = size[LISTS - 1], deque(size.arrays(), 0)


def test_a_size_that_is_removed_before_the_first_list_is_read(copy: Copy) -> None:
    folder = copy()
    with setset.open(folder.path) as workspace:
        size = workspace.exploration(TARGET)[SIZE]
        remove(folder)
        for read in (lambda: size[0], lambda: size[:10], lambda: list(islice(size, 1)), lambda: next(size.arrays())):
            with pytest.raises(ChangedMeanwhile):
                read()


class RemovesTheSize(NoProgress):
    """Removes the size once its rows, or the rows of a smaller size, were read, before the files are."""

    def __init__(self, folder: WorkspaceFolder, at: int = SIZE) -> None:
        self._folder, self._at, self._is_there = folder, at, True

    def begin(self, size: int, _activity: Activity, _tasks: int, _lists_in: int) -> None:
        if size == self._at and self._is_there:
            self._is_there = False
            remove(self._folder)


@pytest.mark.parametrize(("deep", "size", "at"), [(False, SIZE, SIZE), (True, SIZE, SIZE), (False, None, SIZE - 1)])
def test_a_check_beside_rm_reports_no_damage(copy: Copy, deep: bool, size: int | None, at: int) -> None:
    folder = copy()
    with setset.open(folder.path) as workspace:
        problems = workspace.check(deep=deep, size=size, progress=RemovesTheSize(folder, at))
        with pytest.raises(ChangedMeanwhile):
            next(problems)


def test_a_recount_beside_rm_gives_no_number(copy: Copy) -> None:
    folder = copy()
    with setset.open(folder.path) as workspace, pytest.raises(ChangedMeanwhile):
        workspace.counts(SIZE, recount=True, progress=RemovesTheSize(folder))
