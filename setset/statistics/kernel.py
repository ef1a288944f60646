"""The kernel that counts lists by remaining cards, by the card at each position, and by features.

**Invariant.** Lists come in any order, but neighbours usually share all cards except the last few. So for each depth d
the kernel keeps results for the first d cards. For each list, it computes the results again only from the first card
that differs from the list before. The results are:

- `excluded[d]`: cards that make a set with two of the first d cards, as two words: cards 0 to 63, and 64 to 80;
- `since[d]`: first row of the consecutive lists that share their first d + 1 cards with the current list;
- `counts[d]`: for each of the twelve values of features, how many of the first d cards have the value.
"""

from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from setset.cards import CARDS, FEATURES, LARGEST, digits, third_table
from setset.compiler import njit
from setset.engine.kernels import popcount

FEATURE_COUNT = len(FEATURES)
FEATURE_VALUES = 3 * FEATURE_COUNT
ONE, LAST_BIT, WORD = np.uint64(1), np.uint64(63), np.uint64(6)
"""In a bitmask of two 64-bit words, a card is bit `card & LAST_BIT` of the word `card >> WORD`."""


@njit(cache=True)
def tally_rows(rows, thirds, above, values, positions, remaining, features):  # type: ignore[no-untyped-def]
    """Adds the lists in `rows` to the histograms `positions`, `remaining` and `features`.

    Args:
        rows: Lists of one size, at least one card, a list per row.
        thirds, above, values: The result of `tables`.
        positions: For each position in a list, the number of lists by the card at this position.
        remaining: Number of lists by their number of remaining cards.
        features: For each value of a feature, the number of lists by their number of cards with the value.
    """
    count, size = rows.shape
    last = size - 1
    excluded = np.zeros((LARGEST + 1, 2), np.uint64)
    since = np.zeros(LARGEST + 1, np.int64)
    counts = np.zeros((LARGEST + 1, FEATURE_VALUES), np.int64)
    # Number of last cards with each value, among consecutive lists that share all cards except the last.
    with_value = np.zeros(FEATURE_VALUES, np.int64)
    begin = 0
    for row in range(count):
        first = 0
        while row and first < last and rows[row, first] == rows[row - 1, first]:
            first += 1
        if first < last:
            _count_features(features, counts[last], with_value, row - begin)
            begin = row
        for depth in range(first, size):
            card = rows[row, depth]
            if row:
                positions[depth, rows[row - 1, depth]] += row - since[depth]
                since[depth] = row
            low, high = excluded[depth, 0], excluded[depth, 1]
            for earlier in range(depth):
                third = np.uint64(thirds[card, rows[row, earlier]])
                is_high = third >> WORD
                bit = ONE << (third & LAST_BIT)
                high |= bit * is_high
                low |= bit * (ONE - is_high)
            excluded[depth + 1, 0], excluded[depth + 1, 1] = low, high
            if depth < last:
                counts[depth + 1] = counts[depth]
                for feature in range(FEATURE_COUNT):
                    counts[depth + 1, values[card, feature]] += 1
        card = rows[row, last]
        remaining[popcount(above[card, 0] & ~low) + popcount(above[card, 1] & ~high)] += 1
        for feature in range(FEATURE_COUNT):
            with_value[values[card, feature]] += 1
    _count_features(features, counts[last], with_value, count - begin)
    for depth in range(size if count else 0):
        positions[depth, rows[count - 1, depth]] += count - since[depth]


@njit(cache=True)
def _count_features(features, counts, with_value, lists):  # type: ignore[no-untyped-def]
    """Adds `lists` consecutive lists, which share all cards except the last, to the histogram `features`. For each
    value of a feature, `counts` has the number of shared cards with the value, and `with_value` the number of lists
    whose last card has the value. Resets `with_value` to 0."""
    for value in range(len(with_value)):
        features[value, counts[value]] += lists - with_value[value]
        features[value, counts[value] + 1] += with_value[value]
        with_value[value] = 0


@cache
def tables() -> tuple[npt.NDArray[Any], ...]:
    """Tables for `tally_rows`: the third card of each pair of cards; for each card, a bitmask (two words) of the cards
    above it; and for each card, its values of the four features, numbered 0 to 11 over all features."""
    above = [(1 << CARDS) - (2 << card) for card in range(CARDS)]
    words = np.array([[cards & (2**64 - 1), cards >> 64] for cards in above], np.uint64)
    values = [[3 * feature + digit for feature, digit in enumerate(digits(card))] for card in range(CARDS)]
    return third_table(), words, np.array(values, np.int64)
