"""Exact values for random hands, from the classified lists of `setset.symmetry`."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from math import comb

from setset.cards import CARDS, LARGEST, line
from setset.errors import BadInput
from setset.symmetry import chance


def chance_without_set(size: int) -> Fraction:
    """The chance that cards from a shuffled deck hold no set: the lists among all hands.

    Args:
        size: the number of cards, 0 to 81.

    Returns:
        The exact chance.

    Raises:
        BadInput: the deck has no hand of this size.

    >>> chance_without_set(12)
    Fraction(325432404, 10074689485)
    """
    if not 0 <= size <= CARDS:
        raise BadInput(f"there are no hands of {size} cards")
    return chance(size) if size <= LARGEST else Fraction(0)


def mean_sets(size: int) -> Fraction:
    """The mean number of sets in a random hand: every three cards are a set with the same chance.

    Args:
        size: the number of cards.

    Returns:
        The exact mean.

    >>> mean_sets(12)
    Fraction(220, 79)
    """
    sets = {line(a, b) for a, b in combinations(range(CARDS), 2)}
    return comb(size, 3) * Fraction(len(sets), comb(CARDS, 3))
