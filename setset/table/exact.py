"""Exact values for random hands, from the classified lists of the symmetry room."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from math import comb

from setset.cards import CARDS, LARGEST, line
from setset.errors import BadInput
from setset.symmetry import chance


def chance_without_set(size: int) -> Fraction:
    """The chance that so many cards from a shuffled deck hold no set: the lists among all hands."""
    if not 0 <= size <= CARDS:
        raise BadInput(f"there are no hands of {size} cards")
    return chance(size) if size <= LARGEST else Fraction(0)


def mean_sets(size: int) -> Fraction:
    """The mean number of sets in such a hand: each three cards are one with the same chance."""
    sets = {line(a, b) for a, b in combinations(range(CARDS), 2)}
    return comb(size, 3) * Fraction(len(sets), comb(CARDS, 3))
