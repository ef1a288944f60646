"""Fingerprints: numbers that affine maps do not change, so that lists with different ones are not alike.

A fingerprint is cheap enough to compute for every list that is one card longer or shorter. Count for each card
outside the list how many pairs of the list have it as their third; let each card of the list sum up what its pairs
have found; let each outside card sum up what its pairs now know; and once more each card of the list. All sums are
over multisets that a map only rearranges, so isomorphic lists have equal fingerprints. The converse is not promised:
the catalogue proves it where it holds.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from setset.cards import CARDS
from setset.compiler import njit
from setset.symmetry.geometry import CardArray, cached_third_table

Fingerprints = npt.NDArray[np.uint64]

INCREMENT = np.uint64(0x9E3779B97F4A7C15)
MULTIPLIER = np.uint64(0xBF58476D1CE4E5B9)
SHIFT = np.uint64(31)


@njit(cache=True, inline="always")
def _mix(value):  # type: ignore[no-untyped-def]
    """Scrambles 64 bits in a fixed way, so that sums of scrambled values tell multisets apart."""
    value = (value + INCREMENT) * MULTIPLIER
    return value ^ (value >> SHIFT)


@njit(cache=True)
def _compute_fingerprint(cards, size, third, found, card_sums):  # type: ignore[no-untyped-def]
    """The fingerprint, never 0, of the first `size` of `cards`; `found` and `card_sums` are scratch space."""
    found[:] = np.uint64(0)
    for i in range(size):
        for j in range(i):
            found[third[cards[i], cards[j]]] += np.uint64(1)
    card_sums[:size] = np.uint64(0)
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
    return whole | np.uint64(1) << np.uint64(63)


@njit(cache=True)
def _fingerprint_rows(lists, out, third):  # type: ignore[no-untyped-def]
    """The fingerprint of each row."""
    found = np.zeros(81, np.uint64)
    card_sums = np.zeros(21, np.uint64)
    for row in range(len(lists)):
        out[row] = _compute_fingerprint(lists[row], lists.shape[1], third, found, card_sums)


@njit(cache=True)
def _fingerprint_deletions(lists, out, third):  # type: ignore[no-untyped-def]
    """The fingerprints of the rows without one of their cards, at the place of that card."""
    found = np.zeros(81, np.uint64)
    card_sums = np.zeros(21, np.uint64)
    shorter = np.zeros(21, np.uint8)
    size = lists.shape[1]
    for row in range(len(lists)):
        for gone in range(size):
            for place in range(size - 1):
                shorter[place] = lists[row, place + (place >= gone)]
            out[row, gone] = _compute_fingerprint(shorter, size - 1, third, found, card_sums)


@njit(cache=True)
def _fingerprint_extensions(lists, out, third):  # type: ignore[no-untyped-def]
    """The fingerprints of the rows with one more card, at that card; 0 where it cannot be added."""
    found = np.zeros(81, np.uint64)
    card_sums = np.zeros(21, np.uint64)
    longer = np.zeros(21, np.uint8)
    blocked = np.zeros(81, np.bool_)
    size = lists.shape[1]
    for row in range(len(lists)):
        blocked[:] = False
        for i in range(size):
            for j in range(i + 1):
                blocked[third[lists[row, i], lists[row, j]]] = True
        longer[:size] = lists[row]
        for card in range(81):
            if blocked[card]:
                continue
            longer[size] = card
            out[row, card] = _compute_fingerprint(longer, size + 1, third, found, card_sums)


def fingerprint_rows(lists: CardArray) -> Fingerprints:
    """The fingerprint of each row of `lists`."""
    out = np.zeros(len(lists), np.uint64)
    _fingerprint_rows(lists, out, cached_third_table())
    return out


def fingerprint_deletions(lists: CardArray) -> Fingerprints:
    """`out[row, place]` is the fingerprint of the row without its card at that place."""
    out = np.zeros(lists.shape, np.uint64)
    _fingerprint_deletions(lists, out, cached_third_table())
    return out


def fingerprint_extensions(lists: CardArray) -> Fingerprints:
    """`out[row, card]` is the fingerprint of the row with that card added, 0 if it cannot be added."""
    out = np.zeros((len(lists), CARDS), np.uint64)
    _fingerprint_extensions(lists, out, cached_third_table())
    return out


def find_places(
    known: Fingerprints, prints: Fingerprints
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """For each of `prints` the first of its places in `known`, any number if there is none, and how many there are."""
    order = np.argsort(known, kind="stable")
    low = np.searchsorted(known[order], prints, "left")
    times = np.searchsorted(known[order], prints, "right") - low
    return order[np.minimum(low, len(known) - 1)], times
