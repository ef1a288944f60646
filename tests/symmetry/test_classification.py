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
    classification = classify(reversed(cards))
    assert classification.cards == cards
    assert (
        classification.form == classification.map.on(cards) == canonical_form(cards) == classification.list_class.cards
    )
    assert list(classification.extensions) == naive.extensions(cards)
    assert len(classification.extensions) == classification.list_class.extensions
    assert classification.complete == classification.list_class.complete == (not naive.extensions(cards))
    assert (classification.lists, classification.stabilizer) == (
        classification.list_class.lists,
        classification.list_class.stabilizer,
    )


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
    results = list(classify_many(hands, catalogue))
    classes = list(classes_of(map(iter, hands), catalogue))
    assert len(results) == len(hands)
    for hand, result, list_class in zip(hands, results, classes, strict=True):
        if isinstance(result, SetsetError):
            with pytest.raises(type(result), match=f"^{re.escape(str(result))}$"):
                classify(hand, catalogue)
            assert (type(list_class), str(list_class)) == (type(result), str(result))
        else:
            assert result == classify(hand, catalogue)
            assert list_class is result.list_class


@pytest.mark.parametrize("size", range(21))
def test_every_class_is_found_whether_its_fingerprint_is_its_own_or_not(catalogue: Catalogue, size: int) -> None:
    table = AffineMap(((1, 2, 0, 1), (0, 1, 1, 0), (0, 0, 2, 1), (0, 0, 0, 1)), (1, 0, 2, 2)).table()
    classes = catalogue.classes(size)
    assert list(classes_of([table[list(list_class.cards)] for list_class in classes], catalogue)) == list(classes)


def test_a_catalogue_that_lacks_classes_is_noticed() -> None:
    """The missing class has a unique fingerprint, or shares it with another class."""
    complete = Catalogue()
    prints = fingerprint_rows(complete.forms(9)).tolist()
    shared = next(number for number, value in enumerate(prints) if prints.count(value) == 2)
    for missing in (prints.index(min(prints)), shared):
        classes = tuple(list_class for list_class in complete.classes(9) if list_class.number != missing)
        lacking = Catalogue([Level(9, classes, Links())])
        with pytest.raises(SetsetError, match=r"not a canonical form|does not have all classes of 9 cards"):
            list(classify_many([complete.get(9, missing).cards], lacking))
