"""Fingerprints: numbers that affine maps do not change, so that lists with different ones are not alike.

A fingerprint is cheap enough to compute for every list that is one card longer or shorter. Count for each card
outside the list how many pairs of the list have it as their third; let each card of the list sum up what its pairs
have found; let each outside card sum up what its pairs now know; and once more each card of the list. All sums are
over multisets that a map only rearranges, so isomorphic lists have equal fingerprints. The converse is not promised:
the catalogue proves it where it holds.
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
"""Added for a card of the hand itself. No two cards of a list have such a third card."""


@njit(cache=True, inline="always")
def _mix(value):  # type: ignore[no-untyped-def]
    """Scrambles 64 bits in a fixed way, so that sums of scrambled values tell multisets apart."""
    value = (value + INCREMENT) * MULTIPLIER
    return value ^ (value >> SHIFT)


@njit(cache=True)
def _fingerprint_rows(lists, out, third):  # type: ignore[no-untyped-def]
    """The fingerprint, never 0, of each row."""
    size = lists.shape[1]
    found = np.zeros(81, np.uint64)
    card_sums = np.zeros(size, np.uint64)
    for row in range(len(lists)):
        cards = lists[row]
        found[:] = np.uint64(0)
        for i in range(size):
            found[cards[i]] += INSIDE
            for j in range(i):
                found[third[cards[i], cards[j]]] += np.uint64(1)
        card_sums[:] = np.uint64(0)
        for i in range(size):
            for j in range(i):
                share = _mix(found[third[cards[i], cards[j]]])
                card_sums[i] += share
                card_sums[j] += share
        found[:] = np.uint64(0)
        for i in range(size):
            card_sums[i] = _mix(card_sums[i])
            for j in range(i):
                found[third[cards[i], cards[j]]] += _mix(card_sums[i] + card_sums[j])
        whole = np.uint64(size)
        for i in range(size):
            total = card_sums[i]
            for j in range(size):
                if i != j:
                    total += _mix(found[third[cards[i], cards[j]]] ^ card_sums[j])
            whole += _mix(total)
        out[row] = whole | np.uint64(1) << np.uint64(63)


def fingerprint_rows(lists: CardArray) -> Fingerprints:
    """The fingerprint of each row of `lists`."""
    out = np.zeros(len(lists), np.uint64)
    _fingerprint_rows(lists, out, cached_third_table())
    return out


def find_places(known: Fingerprints, prints: Fingerprints) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """For each of `prints` the first of its places in `known`, any number if there is none, and how many there are."""
    order = np.argsort(known, kind="stable")
    low = np.searchsorted(known[order], prints, "left")
    times = np.searchsorted(known[order], prints, "right") - low
    return order[np.minimum(low, len(known) - 1)], times
