from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given

from setset.cards import HoldsSet
from setset.errors import BadInput, SetsetError
from setset.symmetry import GROUP_ORDER, AffineMap, Catalogue, canonical_form, canonicalize
from setset.symmetry.canonical import MOST_FRAMES, search_plainly
from setset.symmetry.geometry import pointwise_stabilizer_order
from setset.symmetry.least import canonicalize_rows, find_first_frames, find_least_frames
from tests.symmetry import naive
from tests.symmetry.strategies import examples, lists, maps


@given(lists(), maps())
@examples(200)
def test_a_map_does_not_change_the_canonical_form(cards: tuple[int, ...], g: AffineMap) -> None:
    form, form_of_image = canonicalize(cards), canonicalize(g.on(cards))
    assert form.cards == form_of_image.cards == canonical_form(cards)
    assert form.stabilizer == form_of_image.stabilizer
    assert form.dimension == form_of_image.dimension


@given(lists())
@examples()
def test_the_map_takes_the_list_to_its_form(cards: tuple[int, ...]) -> None:
    form = canonicalize(cards)
    assert form.map.on(cards) == form.cards
    assert form.cards <= cards
    assert canonical_form(form.cards) == form.cards


@given(lists(least=1, most=7))
@examples(20)
def test_the_form_is_the_least_that_trying_every_frame_finds(cards: tuple[int, ...]) -> None:
    least, count = naive.least(cards)
    form = canonicalize(cards)
    assert form.cards == least
    assert form.dimension == naive.DIMENSIONS[len(naive.flat(cards))]
    assert form.stabilizer == count * pointwise_stabilizer_order(form.dimension)


@pytest.mark.parametrize("size", range(1, 5))
def test_forms_differ_exactly_where_no_map_joins(size: int) -> None:
    """Over all lists of the size: as many lists share a form as generators of the group join."""
    hands = naive.all_lists(size)
    leasts, stabilizers = canonicalize_rows(hands)
    forms, number = np.unique(leasts @ 81 ** np.arange(size), return_inverse=True)
    joined = naive.orbit_labels(hands, naive.AFFINE)
    pairs = Counter(zip(joined.tolist(), number.tolist(), strict=True))
    assert len(pairs) == len(forms) == len(set(joined.tolist()))
    for (_, index), count in pairs.items():
        assert set((GROUP_ORDER // stabilizers[number == index]).tolist()) == {count}


def test_no_cards_have_a_form_too() -> None:
    assert canonicalize(()).cards == ()
    assert canonicalize(()).stabilizer == GROUP_ORDER
    assert canonicalize(()).dimension == -1


def test_any_order_and_any_integer_type_will_do() -> None:
    assert canonical_form(np.array([80, 3, 5], np.uint8)) == canonical_form([5, 3, 80]) == (0, 1, 3)


@pytest.mark.parametrize(
    ("cards", "complaint"),
    [([81], "not a card: 81"), ([-1], "not a card: -1"), ([7, 7], r"card 7 \(.*\) is given twice"), (["x"], "x")],
)
def test_what_are_no_cards_is_refused_in_one_line(cards: list[int], complaint: str) -> None:
    with pytest.raises(BadInput, match=complaint) as refusal:
        canonical_form(cards)
    assert "\n" not in str(refusal.value)


def test_a_hand_with_a_set_is_refused_with_the_set() -> None:
    with pytest.raises(HoldsSet, match="the cards hold a set: 0 40 80") as refusal:
        canonical_form([80, 0, 1, 40])
    assert refusal.value.cards == (0, 40, 80)
    assert isinstance(refusal.value, SetsetError)
    assert refusal.value.exit_code == 1


@given(lists())
@examples(40)
def test_the_plain_search_finds_what_the_compiled_one_finds(cards: tuple[int, ...]) -> None:
    form, frames = search_plainly(cards)
    same_form, same_frames = find_least_frames(cards)
    assert form == same_form
    assert np.array_equal(frames, same_frames)


@given(lists(least=1))
@examples(100)
def test_the_frames_of_a_form_are_those_that_lead_there(cards: tuple[int, ...]) -> None:
    form, frames = find_least_frames(canonical_form(cards))
    same_form, same_frames = find_least_frames(form, is_form=True)
    assert form == same_form
    assert np.array_equal(frames, same_frames)


@pytest.mark.parametrize("wrong", [(0, 1, 3, 4), (0, 1, 3, 27)])
def test_a_wrong_form_is_noticed_whether_it_is_too_small_or_too_large(wrong: tuple[int, ...]) -> None:
    lists = np.array([[0, 1, 3, 9], [0, 1, 3, 9]], np.uint8)
    with pytest.raises(SetsetError, match="does not have all classes of 4 cards"):
        find_first_frames(lists, np.array([[0, 1, 3, 9], wrong], np.uint8))


def test_there_is_room_for_the_frames_of_every_class(catalogue: Catalogue) -> None:
    counts = [
        list_class.stabilizer // pointwise_stabilizer_order(canonicalize(list_class.cards).dimension)
        for size in range(21)
        for list_class in sorted(catalogue.classes(size), key=lambda list_class: -list_class.stabilizer)[:30]
    ]
    assert max(counts) == MOST_FRAMES
