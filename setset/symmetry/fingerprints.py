"""Fingerprints: a number per list that no affine map changes. Lists with different fingerprints are in different
classes.

The computation has four steps. The first step counts, for each card outside the list, the pairs of the list that have
this card as their third card. The second step sums, for each card of the list, the values of the third cards of its
pairs. The next two steps repeat both sums with the new values. A map only rearranges the terms of each sum, so all
lists of a class have the same fingerprint. Different classes may share a fingerprint; `build.py` tells them apart.
"""

import numpy as np
import numpy.typing as npt

from setset.compiler import njit
from setset.symmetry.geometry import CardArray, cached_third_table

Fingerprints = npt.NDArray[np.uint64]

INCREMENT = np.uint64(0x9E3779B97F4A7C15)
MULTIPLIER = np.uint64(0xBF58476D1CE4E5B9)
SHIFT = np.uint64(31)
INSIDE = np.uint64(1000)
"""Value added to the count of each card of the hand, so that it differs from the counts of other cards. The count of a
card is the number of pairs of the hand with this third card. The value matters only for hands with sets, because
otherwise no pair has its third card in the hand."""


@njit(cache=True, inline="always")
def _mix(value):  # type: ignore[no-untyped-def]
    """Scrambles a 64-bit value in a fixed way, so that different multisets of values nearly always have different
    sums."""
    value = (value + INCREMENT) * MULTIPLIER
    return value ^ (value >> SHIFT)


@njit(cache=True)
def _fingerprint_rows(lists, out, third):  # type: ignore[no-untyped-def]
    """Writes the fingerprint of each row, which is never 0, to `out`."""
    size = lists.shape[1]
    third_sums = np.zeros(81, np.uint64)
    card_sums = np.zeros(size, np.uint64)
    for row in range(len(lists)):
        cards = lists[row]
        third_sums[:] = np.uint64(0)
        for i in range(size):
            third_sums[cards[i]] += INSIDE
            for j in range(i):
                third_sums[third[cards[i], cards[j]]] += np.uint64(1)
        card_sums[:] = np.uint64(0)
        for i in range(size):
            for j in range(i):
                share = _mix(third_sums[third[cards[i], cards[j]]])
                card_sums[i] += share
                card_sums[j] += share
        third_sums[:] = np.uint64(0)
        for i in range(size):
            card_sums[i] = _mix(card_sums[i])
            for j in range(i):
                third_sums[third[cards[i], cards[j]]] += _mix(card_sums[i] + card_sums[j])
        fingerprint = np.uint64(size)
        for i in range(size):
            total = card_sums[i]
            for j in range(size):
                if i != j:
                    total += _mix(third_sums[third[cards[i], cards[j]]] ^ card_sums[j])
            fingerprint += _mix(total)
        out[row] = fingerprint | np.uint64(1) << np.uint64(63)


def fingerprint_rows(lists: CardArray) -> Fingerprints:
    """Computes the fingerprint of each list, one list per row."""
    out = np.zeros(len(lists), np.uint64)
    _fingerprint_rows(lists, out, cached_third_table())
    return out


def find_indices(stored: Fingerprints, prints: Fingerprints) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Looks up each fingerprint of `prints` in the array `stored`. Returns for each the index of its first occurrence
    (any index if it does not occur), and the number of its occurrences."""
    order = np.argsort(stored, kind="stable")
    low = np.searchsorted(stored[order], prints, "left")
    times = np.searchsorted(stored[order], prints, "right") - low
    return order[np.minimum(low, len(stored) - 1)], times
