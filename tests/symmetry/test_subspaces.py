"""The flats of the geometry."""

from __future__ import annotations

import pytest

from setset.symmetry.subspaces import enumerate_subspaces, subspace_number
from tests.symmetry import naive


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
