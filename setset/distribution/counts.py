"""How many hands of a size hold exactly k sets, from the tables that come with the package."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import comb
from pathlib import Path
from typing import Final

from setset.cards import CARDS, FEATURES, all_sets, digits
from setset.errors import BadInput

STORED: Final = Path(__file__).with_name("hands.json")
"""The tables of 0 to `LAST` cards, as `tools/hands.py` computed them."""
LAST: Final = 17
KNOWN_HANDS: Final = range(LAST + 1)
"""Sizes whose tables are computed; the tables of the cards that such hands leave follow."""
SETS: Final = 1080
"""Number of sets in the deck."""
LINES_THROUGH_CARD: Final = 40


@dataclass(frozen=True)
class HandCounts:
    """All hands of a size, by the number of sets that they hold.

    >>> three = hands(3)
    >>> three.counts, three.most, three.chance(1)
    ((84240, 1080), 1, Fraction(1, 79))
    """

    size: int
    counts: tuple[int, ...]
    """`counts[k]` hands hold exactly k sets; the last number is not 0."""

    @property
    def hands(self) -> int:
        """Number of hands of this size."""
        return sum(self.counts)

    @property
    def most(self) -> int:
        """The most sets that a hand of this size can hold."""
        return len(self.counts) - 1

    @property
    def least(self) -> int:
        """The fewest sets that a hand of this size can hold."""
        return next(sets for sets, count in enumerate(self.counts) if count)

    @property
    def mode(self) -> int:
        """The most frequent number of sets, the smaller one of two."""
        return self.counts.index(max(self.counts))

    @property
    def mean(self) -> Fraction:
        """The mean number of sets, C(size, 3) / 79."""
        return self.moment(1)

    @property
    def missing(self) -> tuple[int, ...]:
        """Numbers of sets between `least` and `most` that no hand holds."""
        return tuple(sets for sets in range(self.least, self.most) if not self.counts[sets])

    def chance(self, sets: int) -> Fraction:
        """The chance that a random hand of this size holds exactly this many sets."""
        return Fraction(self.counts[sets] if 0 <= sets <= self.most else 0, self.hands)

    def moment(self, power: int) -> Fraction:
        """The mean of the number of sets to this power."""
        return Fraction(sum(count * sets**power for sets, count in enumerate(self.counts)), self.hands)


def hands(size: int) -> HandCounts:
    """How many hands of a size hold exactly k sets, for every k.

    Args:
        size: the number of cards, 0 to 17 or 64 to 81.

    Returns:
        The exact numbers of hands.

    Raises:
        BadInput: the deck has no hand of this size, or its table is not known.

    >>> hands(12).counts[:3]
    (2284535476080, 10266579666720, 18459179294400)
    >>> hands(12).most, hands(12).counts[14]
    (14, 3032640)
    """
    if not 0 <= size <= CARDS:
        raise BadInput(f"a hand has 0 to {CARDS} cards, not {size}")
    if LAST < size < CARDS - LAST:
        raise BadInput(
            f"hands by their sets are known for 0 to {LAST} and {CARDS - LAST} to {CARDS} cards, not for {size}"
        )
    if size > LAST:
        return HandCounts(size, _counts_of_complements(hands(CARDS - size)))
    return HandCounts(size, _stored()[size])


def _counts_of_complements(small: HandCounts) -> tuple[int, ...]:
    """The cards that a hand leaves in the deck, by their sets.

    A set misses the hand unless it meets it in one card or more. By inclusion and exclusion, a hand of n cards with k
    sets leaves 1080 - 40 n + C(n, 2) - k sets: two cards are in one set.
    """
    most = SETS - LINES_THROUGH_CARD * small.size + comb(small.size, 2)
    left = [0] * (most + 1)
    for sets, count in enumerate(small.counts):
        left[most - sets] = count
    return trim(left)


def trim(counts: Sequence[int]) -> tuple[int, ...]:
    """The numbers without the zeros at the end."""
    last = max(place for place, count in enumerate(counts) if count)
    return tuple(counts[: last + 1])


@cache
def _stored() -> tuple[tuple[int, ...], ...]:
    """The tables that come with the package, by the number of cards."""
    return tuple(tuple(counts) for counts in json.loads(STORED.read_text(encoding="utf-8")))


def sets_by_differences() -> tuple[int, ...]:
    """Number of sets of the deck by the number of features in which their cards differ, 0 to 4.

    The symmetries of the deck take any set to any other, so each hand size has the same shares in the mean.

    Returns:
        Five numbers that add up to 1,080.

    >>> sets_by_differences()
    (0, 108, 324, 432, 216)
    """
    found = [0] * (len(FEATURES) + 1)
    for a, b, _ in all_sets():
        found[sum(x != y for x, y in zip(digits(a), digits(b), strict=True))] += 1
    return tuple(found)
