"""The catalogue for browsers: one file with all classes, and a fingerprint per class by which a page identifies hands.

The fingerprint of a hand does not change under symmetries. For each card of the deck it takes the number of pairs that
exclude the card and, in each of 40 directions, how many cards of the hand are in the card's hyperplane and in the two
parallel ones. It adds up mixed numbers, so the order never matters. No two classes of a size share a fingerprint.
`fingerprint` in static/rules.js is the same function.
"""

from functools import cache
from typing import Any, Final

import numpy as np
import numpy.typing as npt

import setset
from setset.cards import CARDS, LARGEST, digits, third_table

Words = npt.NDArray[np.uint64]
MASK: Final = np.uint64(0xFFFFFFFF)
MEMBER: Final = 999
"""Stands for the number of pairs that exclude a card of the hand itself."""
FLATS: Final = {0: 4, 1: 3, 4: 2, 13: 1, 40: 0}
"""The dimension of a hand, by the number of directions in which one hyperplane has all its cards."""


def mix(values: Words) -> Words:
    """A bijection of 32-bit numbers that scatters neighbours (lowbias32)."""
    for shift, factor in ((16, 0x21F0AAAD), (15, 0x735A2D97)):
        values = (values ^ (values >> np.uint64(shift))) * np.uint64(factor) & MASK
    return values ^ (values >> np.uint64(15))


@cache
def _hyperplanes() -> npt.NDArray[np.int64]:
    """For each of the 40 directions the hyperplane 0, 1 or 2 of each card."""
    places = np.array([digits(card) for card in range(CARDS)])
    forms = [form for form in places if next(filter(None, form), 0) == 1]
    found: npt.NDArray[np.int64] = np.array(forms) @ places.T % 3
    return found


def _counts(hands: npt.NDArray[np.uint8]) -> npt.NDArray[np.int64]:
    """For each hand and direction the cards in the three hyperplanes."""
    member = np.zeros((len(hands), CARDS), np.int64)
    np.put_along_axis(member, hands.astype(np.int64), 1, axis=1)
    return np.stack([member @ (_hyperplanes() == value).T.astype(np.int64) for value in range(3)], axis=2)


def fingerprints(hands: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint32]:
    """The fingerprints of hands without a set, a row per hand."""
    counts = _counts(hands)
    ordered = -np.sort(-counts, axis=2)
    triples = (ordered[:, :, 0] * 21 + ordered[:, :, 1]).astype(np.uint64)
    first, second = np.triu_indices(hands.shape[1], 1)
    thirds = third_table()[hands[:, first], hands[:, second]].astype(np.int64)
    pairs = np.zeros((len(hands), CARDS), np.int64)
    np.add.at(pairs, (np.arange(len(hands))[:, None], thirds), 1)
    np.put_along_axis(pairs, hands.astype(np.int64), MEMBER, axis=1)
    total = np.zeros(len(hands), np.uint64)
    for card in range(CARDS):
        own = np.take_along_axis(counts, _hyperplanes()[None, :, card, None], axis=2)[:, :, 0]
        said = mix(own.astype(np.uint64) * np.uint64(441) + triples).sum(axis=1)
        total += mix(said + pairs[:, card].astype(np.uint64) & MASK)
    return (total & MASK).astype(np.uint32)


@cache
def futures() -> list[list[int]]:
    """For each class of each size the number of larger hands without a set that hold a given hand of the class."""
    catalogue = setset.catalogue_in_memory()
    reached = np.zeros((1, LARGEST + 1), np.int64)
    reached[0, LARGEST] = 1
    found = [[0]]
    for size in range(LARGEST - 1, -1, -1):
        smaller = np.zeros((len(catalogue.classes(size)), LARGEST + 1), np.int64)
        for below, above, cards, _ in catalogue.level(size + 1).links.rows:
            smaller[below] += cards * reached[above]
        steps = np.maximum(np.arange(LARGEST + 1) - size, 1)
        reached = smaller // steps
        found.append(reached.sum(axis=1).tolist())
        reached[:, size] = 1
    return found[::-1]


@cache
def catalogue_columns() -> list[dict[str, Any]]:
    """For each size the classes by columns: cards as letters from '0' on, stabilizers, extensions, dimensions,
    numbers of larger hands."""
    catalogue = setset.catalogue_in_memory()
    sizes = []
    for size in range(LARGEST + 1):
        classes, counts = catalogue.classes(size), _counts(catalogue.forms(size))
        flat = (counts.max(axis=2) == size).sum(axis=1)
        sizes.append(
            {
                "cards": ["".join(chr(48 + card) for card in one.cards) for one in classes],
                "stabilizer": [one.stabilizer for one in classes],
                "extensions": [one.extensions for one in classes],
                "dimension": [FLATS[int(each)] for each in flat] if size else [-1],
                "larger": futures()[size],
            }
        )
    return sizes


@cache
def prints() -> bytes:
    """The fingerprints of all classes, size by size in their order, 4 bytes each, lowest first."""
    catalogue = setset.catalogue_in_memory()
    return b"".join(fingerprints(catalogue.forms(size)).astype("<u4").tobytes() for size in range(LARGEST + 1))
