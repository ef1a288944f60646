"""Shuffled decks, deals and seeds."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from setset.errors import BadInput
from setset.table import Stream, deal, new_seed

SEED = st.integers(0, 2**64 - 1)


def test_a_seed_fixes_the_deal_for_ever() -> None:
    """These cards were dealt when the generator was chosen; another deal would break everybody's seeds."""
    assert deal(12, seed=7) == (71, 24, 27, 76, 22, 46, 77, 60, 14, 39, 23, 13)


@given(SEED)
@settings(max_examples=50, deadline=None)
def test_a_shuffle_is_the_whole_deck_and_a_deal_its_beginning(seed: int) -> None:
    deck = Stream(seed).shuffled()
    assert sorted(deck) == list(range(81))
    assert deal(81, seed) == deck
    assert deal(15, seed) == deck[:15]


def test_shuffles_are_even() -> None:
    """Each card is as often in front as any other: chi-squared with 80 degrees of freedom, fixed seed."""
    games = 8100
    counts = Counter(Stream(1, game).shuffled()[0] for game in range(games))
    expected = games / 81
    assert sum((counts[card] - expected) ** 2 / expected for card in range(81)) < 124.8  # 99.9 %


def test_without_a_seed_deals_differ() -> None:
    assert len({deal(12) for _ in range(5)}) == 5
    assert 0 <= new_seed() < 10**9


@pytest.mark.parametrize("count", [-1, 82])
def test_more_cards_than_the_deck_has_are_refused(count: int) -> None:
    with pytest.raises(BadInput):
        deal(count, seed=1)


@pytest.mark.parametrize("seed", [-1, 2**64])
def test_a_seed_outside_64_bits_is_refused(seed: int) -> None:
    with pytest.raises(BadInput):
        deal(12, seed=seed)
