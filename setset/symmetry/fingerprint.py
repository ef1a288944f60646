"""A number that affine maps do not change, cheap enough to take of every list one card longer or shorter.

Count for each card outside the list how many pairs of the list have it as their third; let each card of
the list sum up what its pairs have found; let each outside card sum up what its pairs now know; and once
more each card of the list. All sums are over multisets that a map only rearranges, so isomorphic lists have
equal fingerprints. The converse is not promised: the catalogue proves it where it holds.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from numba import njit

from setset.cards import CARDS
from setset.symmetry.geometry import Cards, thirds

Fingerprints = npt.NDArray[np.uint64]

ODD = np.uint64(0x9E3779B97F4A7C15)
STIR = np.uint64(0xBF58476D1CE4E5B9)
FOLD = np.uint64(31)


@njit(cache=True, inline="always")
def _stir(value):  # type: ignore[no-untyped-def]
    """A fixed scrambling of 64 bits, so that sums of scrambled values tell multisets apart."""
    value = (value + ODD) * STIR
    return value ^ (value >> FOLD)


@njit(cache=True)
def _fingerprint(cards, size, third, found, card_sums):  # type: ignore[no-untyped-def]
    """The fingerprint, never 0, of the first `size` of `cards`; `found` and `card_sums` are scratch space."""
    found[:] = np.uint64(0)
    for i in range(size):
        for j in range(i):
            found[third[cards[i], cards[j]]] += np.uint64(1)
    card_sums[:size] = np.uint64(0)
    for i in range(size):
        for j in range(i):
            share = _stir(found[third[cards[i], cards[j]]])
            card_sums[i] += share
            card_sums[j] += share
    found[:] = np.uint64(0)
    for i in range(size):
        card_sums[i] = _stir(card_sums[i])
        for j in range(i):
            found[third[cards[i], cards[j]]] += _stir(card_sums[i] + card_sums[j])
    whole = np.uint64(size)
    for i in range(size):
        total = card_sums[i]
        for j in range(size):
            if i != j:
                total += _stir(found[third[cards[i], cards[j]]] ^ card_sums[j])
        whole += _stir(total)
    return whole | np.uint64(1) << np.uint64(63)


@njit(cache=True)
def _of_each(lists, out, third):  # type: ignore[no-untyped-def]
    found = np.zeros(81, np.uint64)
    card_sums = np.zeros(21, np.uint64)
    for row in range(len(lists)):
        out[row] = _fingerprint(lists[row], lists.shape[1], third, found, card_sums)


@njit(cache=True)
def _of_shorter(lists, out, third):  # type: ignore[no-untyped-def]
    found = np.zeros(81, np.uint64)
    card_sums = np.zeros(21, np.uint64)
    shorter = np.zeros(21, np.uint8)
    size = lists.shape[1]
    for row in range(len(lists)):
        for gone in range(size):
            for place in range(size - 1):
                shorter[place] = lists[row, place + (place >= gone)]
            out[row, gone] = _fingerprint(shorter, size - 1, third, found, card_sums)


@njit(cache=True)
def _of_longer(lists, out, third):  # type: ignore[no-untyped-def]
    """Fingerprints of the lists that one card makes longer, at the place of that card; 0 where none is."""
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
            out[row, card] = _fingerprint(longer, size + 1, third, found, card_sums)


def of_each(lists: Cards) -> Fingerprints:
    """One for each row of `lists`."""
    out = np.zeros(len(lists), np.uint64)
    _of_each(lists, out, thirds())
    return out


def of_shorter(lists: Cards) -> Fingerprints:
    """`out[row, place]` is that of the row without its card at that place."""
    out = np.zeros(lists.shape, np.uint64)
    _of_shorter(lists, out, thirds())
    return out


def of_longer(lists: Cards) -> Fingerprints:
    """`out[row, card]` is that of the row with that card added, 0 where the card cannot be added."""
    out = np.zeros((len(lists), CARDS), np.uint64)
    _of_longer(lists, out, thirds())
    return out
