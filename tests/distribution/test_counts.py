"""The tables of hands by their sets, against what needs no classes: sums, moments, lists, simulation, complements."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from math import comb, sqrt

import numpy as np
import pytest

import setset
from setset.cards import sets_in, third_table

KNOWN = [*setset.KNOWN_HANDS, *(81 - size for size in setset.KNOWN_HANDS)]


@pytest.mark.parametrize("size", KNOWN)
def test_all_hands_are_counted_and_two_moments_are_right(size: int) -> None:
    """A set meets 3 * 39 others in a card and misses 962."""
    table = setset.hands(size)
    assert (table.size, table.hands) == (size, comb(81, size))
    assert table.mean == Fraction(comb(size, 3), 79)
    pairs = sum(
        pairs_of_sets * comb(81 - cards, size - cards)
        for cards, pairs_of_sets in ((3, 1), (5, 117), (6, 962))
        if size >= cards
    )
    assert table.moment(2) == Fraction(1080 * pairs, comb(81, size))


def test_hands_without_a_set_are_the_lists() -> None:
    for size in setset.KNOWN_HANDS:
        assert setset.hands(size).counts[0] == setset.catalogue_in_memory().lists(size)


def test_the_most_sets() -> None:
    """14 in 12 cards is published; planes of 9 cards hold 12 sets, and there are 1,170 planes."""
    most = [setset.hands(size).most for size in setset.KNOWN_HANDS]
    assert most == [0, 0, 0, 1, 1, 2, 3, 5, 8, 12, 12, 13, 14, 16, 19, 23, 26, 30]
    assert setset.hands(9).counts[12] == 1170
    assert setset.hands(9).missing == (7, 9, 10, 11)
    assert setset.hands(12).mode == 3


@pytest.mark.parametrize("size", [3, 4])
def test_small_hands_one_by_one(size: int) -> None:
    """Counts hands with card 0. By symmetry these are size / 81 of all hands."""
    counts = [0, 0]
    for cards in combinations(range(1, 81), size - 1):
        counts[sum(1 for _ in sets_in((0, *cards)))] += 1
    assert [count * 81 // size for count in counts] == list(setset.hands(size).counts)


@pytest.mark.parametrize("size", [12, 15])
def test_random_hands_hold_as_many_sets(size: int) -> None:
    hands = 100_000
    deck = np.random.default_rng(1).random((hands, 81)).argpartition(size, axis=1)[:, :size]
    inside = np.zeros((hands, 81), np.int8)
    np.put_along_axis(inside, deck, 1, axis=1)
    first, second = np.triu_indices(size, 1)
    sets = np.take_along_axis(inside, third_table()[deck[:, first], deck[:, second]].astype(np.int64), axis=1).sum(1)
    counts = np.bincount(sets // 3, minlength=20)
    for number in range(12):
        expected = hands * float(setset.hands(size).chance(number))
        assert abs(counts[number] - expected) < 5 * sqrt(expected) + 5


def test_sets_by_the_features_that_differ() -> None:
    counts = setset.sets_by_differences()
    assert [100 * count // 1080 for count in counts] == [0, 10, 30, 40, 20]


@pytest.mark.parametrize("size", [-1, 18, 40, 63, 82])
def test_other_sizes_are_refused(size: int) -> None:
    with pytest.raises(setset.BadInput, match=rf"0 to \d+.* not.* {size}"):
        setset.hands(size)
    assert setset.hands(12).chance(99) == 0
