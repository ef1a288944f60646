from __future__ import annotations

from math import sqrt

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from setset.errors import BadInput
from setset.symmetry import GROUP_ORDER, Catalogue, sample
from setset.symmetry.geometry import difference_table, sum_table
from setset.symmetry.least import canonicalize_rows
from setset.symmetry.sampling import _apply_maps
from tests.symmetry import naive
from tests.symmetry.strategies import examples, lists


def chi_squared_is_plausible(observed: npt.NDArray[np.int64], expected: npt.NDArray[np.float64]) -> bool:
    """Within four standard deviations of its mean, either way; cells with few expected are put together."""
    order = np.argsort(expected)
    merged = int(np.searchsorted(np.cumsum(expected[order]), 10)) + 1
    observed = np.concatenate([[observed[order[:merged]].sum()], observed[order[merged:]]])
    expected = np.concatenate([[expected[order[:merged]].sum()], expected[order[merged:]]])
    freedom = len(observed) - 1
    statistic = float(((observed - expected) ** 2 / expected).sum())
    return abs(statistic - freedom) < 4 * sqrt(2 * freedom)


@pytest.mark.parametrize("size", [5, 8, 10, 12, 18])
def test_classes_come_as_often_as_they_have_lists(catalogue: Catalogue, size: int) -> None:
    count = {12: 30_000, 18: 5_000}.get(size, 60_000)
    leasts, _ = canonicalize_rows(sample(size, count, seed=1, catalogue=catalogue))
    numbers = {list_class.cards: list_class.number for list_class in catalogue.level(size).classes}
    forms, times = np.unique(leasts, axis=0, return_counts=True)
    observed = np.zeros(len(numbers), np.int64)
    for cards, often in zip(forms.tolist(), times.tolist(), strict=True):
        observed[numbers[tuple(cards)]] = often
    weights = np.array([list_class.lists / catalogue.lists(size) for list_class in catalogue.level(size).classes])
    assert chi_squared_is_plausible(observed, weights * count)


@pytest.mark.parametrize(("size", "count"), [(1, 10_000), (2, 100_000), (3, 1_000_000)])
def test_every_list_comes_equally_often(size: int, count: int) -> None:
    hands = naive.all_lists(size)
    base = 81 ** np.arange(size)
    numbers = np.searchsorted(np.sort(hands @ base), np.sort(sample(size, count, seed=2) @ base))
    observed = np.bincount(numbers, minlength=len(hands))
    assert chi_squared_is_plausible(observed, np.full(len(hands), count / len(hands)))


def test_the_cards_of_large_lists_are_uniform() -> None:
    counts = np.bincount(sample(20, 20_000, seed=3).ravel(), minlength=81)
    assert abs(counts / (20_000 * 20 / 81) - 1).max() < 0.06


@pytest.mark.parametrize("size", range(1, 21))
def test_what_is_drawn_are_lists_and_the_seed_says_which(catalogue: Catalogue, size: int) -> None:
    hands = sample(size, 50, seed=size, catalogue=catalogue)
    assert hands.shape == (50, size)
    for cards in hands.tolist():
        assert cards == sorted(set(cards))
        assert naive.is_list(cards)
    assert np.array_equal(hands, sample(size, 50, seed=size, catalogue=catalogue))
    assert not np.array_equal(hands, sample(size, 50, seed=size + 100, catalogue=catalogue))


@given(st.integers(0, GROUP_ORDER - 1), lists(least=1))
@examples()
def test_the_number_of_a_map_says_where_the_standard_frame_goes(number: int, cards: tuple[int, ...]) -> None:
    image = np.zeros((1, len(cards)), np.uint8)
    _apply_maps(np.array([number]), np.array([cards], np.uint8), image, sum_table(), difference_table())
    frame: tuple[int, ...] = ()
    for choices in (81, 80, 78, 72, 54):
        number, choice = divmod(number, choices)
        frame = (*frame, [card for card in range(81) if card not in naive.flat(frame)][choice])
    assert image[0].tolist() == sorted(naive.through(frame, card) for card in cards)


def test_nonsense_is_refused() -> None:
    with pytest.raises(BadInput, match="lists of 1 to 20 cards, not of 0"):
        sample(0, 1, seed=0)
    with pytest.raises(BadInput, match="lists of 1 to 20 cards, not of 21"):
        sample(21, 1, seed=0)
    with pytest.raises(BadInput, match="cannot be negative"):
        sample(12, -1, seed=0)
    assert sample(12, 0, seed=0).shape == (0, 12)
