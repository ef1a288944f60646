from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from setset.cards import third
from setset.errors import BadInput
from setset.symmetry import GROUP_ORDER, AffineMap
from setset.symmetry.geometry import count_frames, pointwise_stabilizer_order
from setset.symmetry.subspaces import enumerate_subspaces, subspace_number
from tests.symmetry import naive
from tests.symmetry.strategies import examples, maps

cards = st.integers(0, 80)


def test_the_group_has_the_order_that_the_issue_states() -> None:
    assert GROUP_ORDER == 81 * 80 * 78 * 72 * 54 == 1_965_150_720
    assert count_frames(3) == 27 * 26 * 24 * 18
    assert [pointwise_stabilizer_order(k) for k in (4, 3, 2)] == [1, 54, 72 * 54]


@given(maps(), cards, cards)
@examples()
def test_a_map_keeps_sets_sets(g: AffineMap, a: int, b: int) -> None:
    assert g(third(a, b)) == third(g(a), g(b))


@given(maps(), maps(), cards)
@examples()
def test_maps_compose_from_the_right_and_undo_each_other(g: AffineMap, h: AffineMap, card: int) -> None:
    assert (g @ h)(card) == g(h(card))
    assert g.inverse()(g(card)) == card
    assert g @ g.inverse() == g.inverse() @ g == AffineMap.identity()


@given(maps(), cards)
@examples()
def test_a_map_is_known_by_its_frame_and_its_table(g: AffineMap, card: int) -> None:
    assert AffineMap.to_frame(g.frame()) == g
    assert g(card) == g.table()[card] == naive.through(g.frame(), card)


def test_a_map_tells_each_feature_of_the_image() -> None:
    g = AffineMap(((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 0, 1), (0, 0, 2, 1)), (0, 2, 0, 1))
    assert str(g) == "colour' = colour, count' = count + 2, shading' = shape, shape' = 2 shading + shape + 1"


@pytest.mark.parametrize(
    ("matrix", "translation", "complaint"),
    [
        (((1, 0, 0, 0),) * 4, (0, 0, 0, 0), "no inverse"),
        (((3, 0, 0, 0),) * 4, (0, 0, 0, 0), "0, 1 and 2"),
        (((1, 0, 0, 0),) * 3, (0, 0, 0, 0), "4 by 4"),
        (((1, 0, 0, 0),) * 4, (0, 0, 0), "4 by 4"),
    ],
)
def test_what_is_no_affine_map_is_refused(matrix: object, translation: object, complaint: str) -> None:
    with pytest.raises(BadInput, match=complaint):
        AffineMap(matrix, translation)  # type: ignore[arg-type]


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
