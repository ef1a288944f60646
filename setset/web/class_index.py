"""Catalogue for browsers: one file with all classes, and a fingerprint per class by which a page identifies hands.

All hands of a class have the same fingerprint, and no two classes of a size share one. The fingerprint is the sum of
one hash per card of the
deck. The hash of a card depends on the number of pairs of the hand that the card completes to a
set. The hash also depends on the 40 hyperplanes that contain the card: on the number of cards of the hand in each of
them and in its two parallel hyperplanes. `fingerprint` in static/rules.js is the same function.
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
"""Value hashed for a card of the hand itself, instead of a number of pairs."""
FLATS: Final = {0: 4, 1: 3, 4: 2, 13: 1, 40: 0}
"""For each number of directions in which one hyperplane contains a whole hand: the dimension of the flat that the hand
spans."""


def mix(values: Words) -> Words:
    """Hashes 32-bit numbers bijectively (lowbias32)."""
    for shift, factor in ((16, 0x21F0AAAD), (15, 0x735A2D97)):
        values = (values ^ (values >> np.uint64(shift))) * np.uint64(factor) & MASK
    return values ^ (values >> np.uint64(15))


@cache
def _hyperplanes() -> npt.NDArray[np.int64]:
    """Array [direction, card] of the hyperplane, 0, 1 or 2, that holds the card."""
    points = np.array([digits(card) for card in range(CARDS)])
    forms = [form for form in points if next(filter(None, form), 0) == 1]
    hyperplanes: npt.NDArray[np.int64] = np.array(forms) @ points.T % 3
    return hyperplanes


def _counts(hands: npt.NDArray[np.uint8]) -> npt.NDArray[np.int64]:
    """Array [hand, direction, hyperplane] of the number of cards of the hand in the hyperplane."""
    member = np.zeros((len(hands), CARDS), np.int64)
    np.put_along_axis(member, hands.astype(np.int64), 1, axis=1)
    return np.stack([member @ (_hyperplanes() == value).T.astype(np.int64) for value in range(3)], axis=2)


def _count_pairs(hands: npt.NDArray[np.uint8]) -> npt.NDArray[np.int64]:
    """Array [hand, card] of the number of pairs of the hand that the card completes to a set."""
    first, second = np.triu_indices(hands.shape[1], 1)
    thirds = third_table()[hands[:, first], hands[:, second]].astype(np.int64)
    pairs = np.zeros((len(hands), CARDS), np.int64)
    np.add.at(pairs, (np.arange(len(hands))[:, None], thirds), 1)
    return pairs


def fingerprints(hands: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint32]:
    """Fingerprints of hands without a set, given as one row per hand."""
    counts = _counts(hands)
    ordered = -np.sort(-counts, axis=2)
    triples = (ordered[:, :, 0] * 21 + ordered[:, :, 1]).astype(np.uint64)
    pairs = _count_pairs(hands)
    np.put_along_axis(pairs, hands.astype(np.int64), MEMBER, axis=1)
    total = np.zeros(len(hands), np.uint64)
    for card in range(CARDS):
        own = np.take_along_axis(counts, _hyperplanes()[None, :, card, None], axis=2)[:, :, 0]
        mixed = mix(own.astype(np.uint64) * np.uint64(441) + triples).sum(axis=1)
        total += mix(mixed + pairs[:, card].astype(np.uint64) & MASK)
    return (total & MASK).astype(np.uint32)


@cache
def futures() -> list[list[int]]:
    """For each size and class, the number of larger hands without a set that contain any one hand of the class."""
    catalogue = setset.catalogue_in_memory()
    reached = np.zeros((1, LARGEST + 1), np.int64)
    reached[0, LARGEST] = 1
    larger = [[0]]
    for size in range(LARGEST - 1, -1, -1):
        smaller = np.zeros((len(catalogue.classes(size)), LARGEST + 1), np.int64)
        for below, above, cards, _ in catalogue.level(size + 1).links.rows:
            smaller[below] += cards * reached[above]
        steps = np.maximum(np.arange(LARGEST + 1) - size, 1)
        reached = smaller // steps
        larger.append(reached.sum(axis=1).tolist())
        reached[:, size] = 1
    return larger[::-1]


@cache
def catalogue_columns() -> list[dict[str, Any]]:
    """For each size, the properties of all classes, one column per property. A card is the letter chr(48 + card)."""
    catalogue = setset.catalogue_in_memory()
    sizes = []
    for size in range(LARGEST + 1):
        classes, counts = catalogue.classes(size), _counts(catalogue.forms(size))
        flat = (counts.max(axis=2) == size).sum(axis=1)
        traits = [catalogue.traits(list_class) for list_class in classes]
        pairs = _count_pairs(catalogue.forms(size))
        sizes.append(
            {
                "cards": ["".join(chr(48 + card) for card in list_class.cards) for list_class in classes],
                "stabilizer": [list_class.stabilizer for list_class in classes],
                "extensions": [list_class.extensions for list_class in classes],
                "dimension": [FLATS[int(directions)] for directions in flat] if size else [-1],
                "structure": [trait.structure for trait in traits],
                "orbits": [trait.orbit_count for trait in traits],
                "extension_orbits": [trait.extension_orbit_count for trait in traits],
                "game_classes": [catalogue.game_classes(list_class) for list_class in classes],
                "in_hyperplane": counts.max(axis=(1, 2)).tolist(),
                "excluded": pairs.max(axis=1).tolist(),
                "larger": futures()[size],
            }
        )
    return sizes


@cache
def prints() -> bytes:
    """Fingerprints of all classes, by size and number, as little-endian 32-bit integers."""
    catalogue = setset.catalogue_in_memory()
    return b"".join(fingerprints(catalogue.forms(size)).astype("<u4").tobytes() for size in range(LARGEST + 1))
