"""The geometry of the cards: numbers of frames and maps."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from setset.symmetry import GROUP_ORDER
from setset.symmetry.geometry import (
    count_frames,
    enumerate_subspaces,
    mark_extensions,
    pointwise_stabilizer_order,
    subspace_number,
)
from tests.symmetry import naive
from tests.symmetry.strategies import examples, lists


def test_the_group_has_the_order_that_the_issue_states() -> None:
    assert GROUP_ORDER == 81 * 80 * 78 * 72 * 54 == 1_965_150_720
    assert count_frames(3) == 27 * 26 * 24 * 18
    assert [pointwise_stabilizer_order(k) for k in (4, 3, 2)] == [1, 54, 72 * 54]


@given(lists())
@examples()
def test_the_cards_that_can_be_added_are_marked(cards: tuple[int, ...]) -> None:
    (marked,) = mark_extensions(np.array([cards], np.uint8).reshape(1, len(cards)))
    assert np.flatnonzero(marked).tolist() == naive.extensions(cards)


@pytest.mark.parametrize(("dimension", "count"), [(-1, 1), (0, 81), (1, 1080), (2, 1170), (3, 120), (4, 1)])
def test_all_flats_are_there_once_in_the_order_of_their_least_frames(dimension: int, count: int) -> None:
    rows = enumerate_subspaces(dimension).tolist()
    assert len({frozenset(row) for row in rows}) == len(rows) == count
    leasts = []
    for number, row in enumerate(rows[:150]):
        frame: tuple[int, ...] = ()
        while len(frame) <= dimension:
            frame = (*frame, min(set(row) - naive.flat(frame)))
        assert naive.flat(frame) == set(row)
        assert [naive.through(frame, label) for label in range(len(row))] == row or dimension < 0
        assert dimension < 0 or subspace_number(frame) == number
        leasts.append(frame)
    assert leasts == sorted(leasts)
