from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from setset.cards import third
from setset.errors import BadInput
from setset.symmetry import AffineMap
from tests.symmetry import naive
from tests.symmetry.strategies import examples, maps

cards = st.integers(0, 80)


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
