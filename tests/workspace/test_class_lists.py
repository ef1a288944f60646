"""All lists of a size from the classes: `setset.lists`, `--from-classes`."""

from itertools import islice
from pathlib import Path

import numpy as np
import pytest

import setset
from setset.symmetry.catalogue import catalogue_in_memory
from setset.symmetry.ranking import member_arrays


@pytest.mark.parametrize("size", [0, 1, 2, 3, 4, 20])
def test_every_list_comes_once(size: int) -> None:
    lists = setset.lists(size)
    rows = np.concatenate(list(lists.arrays(chunk=7_777)))
    assert len(rows) == len(lists) == sum(list_class.lists for list_class in catalogue_in_memory().classes(size))
    assert len(np.unique(rows, axis=0)) == len(rows) if size else rows.shape == (1, 0)
    assert (np.diff(rows.astype(int), axis=1) > 0).all()


def test_the_order_is_that_of_unrank() -> None:
    lists = setset.lists(18)
    for number in (0, 1, 1_234_567_890, len(lists) - 1):
        assert lists[number] == setset.unrank(18, number)
    (before, *_), after = lists[-3:].tolist(), lists[len(lists) - 2]
    assert (tuple(before), after) == (setset.unrank(18, len(lists) - 3), setset.unrank(18, len(lists) - 2))
    starts = catalogue_in_memory().starts(18)
    assert lists[starts[1] - 1 : starts[1] + 1].tolist() == [list(setset.unrank(18, starts[1] - 1 + i)) for i in (0, 1)]


@pytest.mark.parametrize("size", [6, 9, 12, 15, 18])
def test_members_of_random_classes_are_those_that_ranks_name(size: int) -> None:
    random = np.random.default_rng(size)
    for list_class in random.choice(np.array(catalogue_in_memory().classes(size), object), 5):
        start = int(random.integers(list_class.lists))
        rows = next(member_arrays(list_class, start, 60))
        assert [setset.member_rank(row) for row in rows.tolist()] == list(range(start, start + len(rows)))


def test_bad_input_is_named() -> None:
    with pytest.raises(setset.BadInput, match="size"):
        setset.lists(21)
    with pytest.raises(setset.BadInput, match="682,344 are known"):
        setset.lists(20).arrays(682_344)


def test_export_writes_one_file(tmp_path: Path) -> None:
    lists = setset.lists(20)
    result = lists.export(tmp_path / "some.npy", start=100, limit=50)
    assert result.lists == 50
    assert np.load(tmp_path / "some.npy").tolist() == [list(cards) for cards in islice(lists, 100, 150)]
    with pytest.raises(setset.BadInput, match="are exported to a single file"):
        lists.export(tmp_path / "folder", format="npy")
