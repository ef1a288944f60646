from __future__ import annotations

import re
from fractions import Fraction
from math import comb

import pytest
from hypothesis import given

from setset.cards import HoldsSet
from setset.errors import BadInput, SetsetError
from setset.symmetry import (
    AffineMap,
    Catalogue,
    Level,
    Links,
    canonical_form,
    chance,
    classes_of,
    classify,
    classify_many,
    sample,
)
from setset.symmetry.fingerprints import fingerprint_rows
from tests.symmetry import naive
from tests.symmetry.strategies import examples, lists


@given(lists())
@examples()
def test_a_hand_is_told_all_about(cards: tuple[int, ...]) -> None:
    found = classify(reversed(cards))
    assert found.cards == cards
    assert found.form == found.map.on(cards) == canonical_form(cards) == found.list_class.cards
    assert list(found.extensions) == naive.extensions(cards)
    assert len(found.extensions) == found.list_class.extensions
    assert found.complete == found.list_class.complete == (not naive.extensions(cards))
    assert (found.lists, found.stabilizer) == (found.list_class.lists, found.list_class.stabilizer)


def test_a_hand_with_a_set_is_refused_with_the_set(catalogue: Catalogue) -> None:
    with pytest.raises(HoldsSet, match="0 1 2"):
        classify([2, 1, 50, 0], catalogue)
    with pytest.raises(BadInput, match=r"card 4 \(.*\) is given twice"):
        classify([4, 4], catalogue)


@pytest.mark.parametrize("size", range(5))
def test_the_chance_of_no_set_is_an_exact_fraction(catalogue: Catalogue, size: int) -> None:
    assert chance(size, catalogue) == Fraction(len(naive.all_lists(size)), comb(81, size))


def test_the_chance_for_12_cards(catalogue: Catalogue) -> None:
    assert chance(12, catalogue) == Fraction(2_284_535_476_080, comb(81, 12))
    assert round(1 / chance(12, catalogue)) == 31


def test_many_hands_are_classified_as_each_of_them(catalogue: Catalogue) -> None:
    """Hands of all sizes, some with sets, wrong cards or repeated cards."""
    hands = [[*cards] for size in range(1, 21) for cards in sample(size, 20, seed=size).tolist()]
    hands += [[], [0], [0, 40, 80], [3, 81], [5, 7, 5], list(range(81)), *(list(range(n)) for n in range(9))]
    found = list(classify_many(hands, catalogue))
    alone = list(classes_of(map(iter, hands), catalogue))
    assert len(found) == len(hands)
    for hand, one, list_class in zip(hands, found, alone, strict=True):
        if isinstance(one, SetsetError):
            with pytest.raises(type(one), match=f"^{re.escape(str(one))}$"):
                classify(hand, catalogue)
            assert (type(list_class), str(list_class)) == (type(one), str(one))
        else:
            assert one == classify(hand, catalogue)
            assert list_class is one.list_class


@pytest.mark.parametrize("size", range(21))
def test_every_class_is_found_whether_its_fingerprint_is_its_own_or_not(catalogue: Catalogue, size: int) -> None:
    moved = AffineMap(((1, 2, 0, 1), (0, 1, 1, 0), (0, 0, 2, 1), (0, 0, 0, 1)), (1, 0, 2, 2)).table()
    classes = catalogue.classes(size)
    assert list(classes_of([moved[list(each.cards)] for each in classes], catalogue)) == list(classes)


def test_a_catalogue_that_lacks_classes_is_noticed() -> None:
    """The missing class has a unique fingerprint, or shares it with another class."""
    whole = Catalogue()
    prints = fingerprint_rows(whole.forms(9)).tolist()
    shared = next(number for number, one in enumerate(prints) if prints.count(one) == 2)
    for gone in (prints.index(min(prints)), shared):
        classes = tuple(each for each in whole.classes(9) if each.number != gone)
        lacking = Catalogue([Level(9, classes, Links())])
        with pytest.raises(SetsetError, match=r"not a canonical form|does not have all classes of 9 cards"):
            list(classify_many([whole.get(9, gone).cards], lacking))
