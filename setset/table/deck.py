"""Random numbers and shuffled decks that a seed fixes for ever.

Python's and numpy's own shuffles may change between versions, and a simulation in compiled code could not
share them. So the generator is SplitMix64, a few lines in any language: `kernel.py` has the same ones, and
game number g of a simulation can be dealt again here. A number below n is the high half of a product; its
bias is below n / 2**32, far under what any number of games here could show.
"""

from __future__ import annotations

import secrets
from typing import Final

from setset.cards import CARDS
from setset.errors import BadInput

SEEDS: Final = 1 << 64
GOLDEN: Final = 0x9E3779B97F4A7C15


def mix(value: int) -> int:
    """SplitMix64's bijection of 64-bit numbers, which scatters neighbours."""
    value = ((value ^ (value >> 30)) * 0xBF58476D1CE4E5B9) % SEEDS
    value = ((value ^ (value >> 27)) * 0x94D049BB133111EB) % SEEDS
    return value ^ (value >> 31)


class Stream:
    """The random numbers of game number `game` under a seed; independent for practical purposes."""

    def __init__(self, seed: int, game: int = 0) -> None:
        self._state = mix((mix(check_seed(seed)) + game) % SEEDS)

    def below(self, bound: int) -> int:
        """A number 0..bound - 1, bound at most 2**32."""
        self._state = (self._state + GOLDEN) % SEEDS
        return ((mix(self._state) >> 32) * bound) >> 32

    def shuffled(self) -> tuple[int, ...]:
        """The whole deck in random order, the card dealt first in front."""
        deck = list(range(CARDS))
        for last in range(CARDS - 1, 0, -1):
            other = self.below(last + 1)
            deck[last], deck[other] = deck[other], deck[last]
        return tuple(deck)


def deal(count: int = 12, seed: int | None = None) -> tuple[int, ...]:
    """The first cards of the deck that the seed shuffles; more cards from one seed only add to the hand."""
    if not 0 <= count <= CARDS:
        raise BadInput(f"cannot deal {count} cards from a deck of {CARDS}")
    return Stream(new_seed() if seed is None else seed).shuffled()[:count]


def new_seed() -> int:
    """A seed that nobody chose, short enough to type again."""
    return secrets.randbelow(1_000_000_000)


def check_seed(seed: int) -> int:
    if not 0 <= seed < SEEDS:
        raise BadInput(f"a seed is a number from 0 to 2**64 - 1, not {seed}")
    return seed
