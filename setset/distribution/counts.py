"""Numbers of hands of a size with exactly k sets, from the tables that come with the package."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import comb
from pathlib import Path
from typing import Final

from setset.cards import CARDS, FEATURES, all_sets, digits
from setset.errors import BadInput, require_whole

STORED: Final = Path(__file__).with_name("hands.json")
"""File with the numbers of hands of 0 to `LAST` cards with k sets, for every k. `tools/hands.py` makes it."""
LAST: Final = 17
KNOWN_HANDS: Final = range(LAST + 1)
"""Sizes of hands in the file `STORED`. The complements of these hands are the hands of 64 to 81 cards."""
SETS: Final = 1080
"""Number of sets in the deck."""
LINES_THROUGH_CARD: Final = 40


@dataclass(frozen=True)
class HandCounts:
    """Numbers of hands of one size with exactly 0, 1, 2, ... sets.

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
        """Maximum number of sets in a hand of this size."""
        return len(self.counts) - 1

    @property
    def least(self) -> int:
        """Minimum number of sets in a hand of this size."""
        return next(sets for sets, count in enumerate(self.counts) if count)

    @property
    def mode(self) -> int:
        """The most frequent number of sets, the smaller if two are equally frequent."""
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
        require_whole("sets", sets)
        return Fraction(self.counts[sets] if 0 <= sets <= self.most else 0, self.hands)

    def moment(self, power: int) -> Fraction:
        """Mean of (number of sets) ** power over all hands."""
        return Fraction(sum(count * sets**power for sets, count in enumerate(self.counts)), self.hands)


def hands(size: int) -> HandCounts:
    """Numbers of hands of a size with exactly k sets, for every k.

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
    require_whole("size", size)
    if not 0 <= size <= CARDS:
        raise BadInput(f"a hand has 0 to {CARDS} cards, not {size}")
    if LAST < size < CARDS - LAST:
        raise BadInput(
            f"numbers of hands with k sets are known for 0 to {LAST} and {CARDS - LAST} to {CARDS} cards, not {size}"
        )
    if size > LAST:
        return HandCounts(size, _counts_of_complements(hands(CARDS - size)))
    return HandCounts(size, _stored()[size])


def _counts_of_complements(small: HandCounts) -> tuple[int, ...]:
    """Converts the numbers of hands with k sets to the numbers of their complements with k sets. The complement of a
    hand is all cards that are not in the hand.

    A complement holds the sets without a card of the hand. Each card is in 40 sets, each pair of cards in one set. So
    by inclusion and exclusion, the complement of a hand of n cards with k sets holds 1080 - 40 n + C(n, 2) - k sets.
    """
    most = SETS - LINES_THROUGH_CARD * small.size + comb(small.size, 2)
    left = [0] * (most + 1)
    for sets, count in enumerate(small.counts):
        left[most - sets] = count
    return trim(left)


def trim(counts: Sequence[int]) -> tuple[int, ...]:
    """Drops the zeros at the end of a sequence of numbers."""
    last = max(index for index, count in enumerate(counts) if count)
    return tuple(counts[: last + 1])


@cache
def _stored() -> tuple[tuple[int, ...], ...]:
    """Loads the file `STORED`: for each number of cards, the numbers of hands with 0, 1, 2, ... sets."""
    return tuple(tuple(counts) for counts in json.loads(STORED.read_text(encoding="utf-8")))


def sets_by_differences() -> tuple[int, ...]:
    """Numbers of sets of the deck whose cards differ in exactly 0, 1, 2, 3 and 4 features.

    All sets have the same chance to be in a random hand. So the mean numbers of sets of these five kinds in a random
    hand have the same ratios.

    Returns:
        Five numbers that add up to 1,080.

    >>> sets_by_differences()
    (0, 108, 324, 432, 216)
    """
    counts = [0] * (len(FEATURES) + 1)
    for a, b, _ in all_sets():
        counts[sum(x != y for x, y in zip(digits(a), digits(b), strict=True))] += 1
    return tuple(counts)
