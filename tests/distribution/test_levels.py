"""The classes of all hands, and the tables from nothing."""

from __future__ import annotations

from itertools import combinations
from math import comb

import numpy as np
import pytest

import setset
from setset.cards import sets_in, third_table
from setset.distribution.kernel import count_sets
from setset.distribution.levels import HandLevel, build_hand_levels, count_by_sets
from setset.symmetry import AffineMap
from setset.symmetry.fingerprints import fingerprint_rows
from setset.symmetry.least import canonicalize_rows


def test_the_tables_are_computed_from_nothing() -> None:
    """Tables of up to 15 cards; 16 and 17 take minutes."""
    assert setset.compute_hands() == [setset.hands(size) for size in range(16)]


def test_tables_by_another_way() -> None:
    """From classes of fewer cards, with three and four cards more."""
    levels = {level.size: level for level in build_hand_levels(9)}
    assert [len(level.hands) for level in levels.values()] == [1, 1, 1, 2, 3, 6, 15, 34, 105, 384]
    for size, added in ((9, 3), (8, 4), (6, 5), (9, 2), (0, 2)):
        assert count_by_sets(levels[size], added) == setset.hands(size + added)


def test_a_missing_class_is_noticed() -> None:
    *_, level = build_hand_levels(8)
    with pytest.raises(setset.SetsetError, match="classes of 8 cards are missing"):
        count_by_sets(HandLevel(level.hands[1:], level.stabilizers[1:], 0), 2)


def count(cards: list[int], added: int) -> list[int]:
    """The kernel for one hand."""
    counts = np.zeros((1, 200), np.int64)
    count_sets(np.array([cards], np.uint8).reshape(1, -1), np.zeros(1, np.int64), added, third_table(), counts)
    return counts[0].tolist()


@pytest.mark.parametrize("size", [0, 5, 14, 20])
def test_the_kernel_against_every_way_written_out(size: int) -> None:
    cards = np.random.default_rng(size).permutation(81)[:size].tolist()
    counts = [0] * 200
    for pair in combinations(sorted(set(range(81)) - set(cards)), 2):
        counts[sum(1 for _ in sets_in((*cards, *pair)))] += 1
    assert count(cards, 2) == counts


@pytest.mark.parametrize(("size", "more"), [(0, 3), (7, 3), (12, 3), (9, 4)])
def test_the_kernel_adds_cards_one_after_the_other(size: int, more: int) -> None:
    """Each choice of m cards has m first cards, and each way to choose the last two of the others."""
    cards = np.random.default_rng(more).permutation(81)[:size].tolist()
    columns = [count([*cards, card], more - 1) for card in range(81) if card not in cards]
    factors = comb(more, 2) * 1, more * comb(more - 1, 2)
    assert [number * factors[1] for number in count(cards, more)] == [
        sum(column) * factors[0] for column in zip(*columns, strict=True)
    ]


def test_canonical_forms_of_hands_with_sets() -> None:
    """Hands that a map takes to each other have one form, which is a hand with as many sets."""
    draw = np.random.default_rng(7)
    for size in (3, 6, 9, 12, 14):
        cards = sorted(draw.permutation(27 if size < 8 else 81)[:size].tolist())
        frame = [0, 1, 3, 9, 27]
        while len(setset.cards.span(frame := draw.permutation(81)[:5].tolist())) < 81:
            pass
        image = AffineMap.to_frame(frame).on(cards)
        forms, orders = canonicalize_rows(np.array([cards, image], np.uint8))
        assert (forms[0] == forms[1]).all()
        assert orders[0] == orders[1]
        assert len(list(sets_in(forms[0].tolist()))) == len(list(sets_in(cards)))
        first, second = fingerprint_rows(np.array([cards, image], np.uint8)).tolist()
        assert first == second
