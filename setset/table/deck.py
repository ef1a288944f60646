"""Random numbers and shuffled decks that depend only on the seed, in all versions.

The shuffles of Python and numpy may change between versions, and compiled code could not share them. So the
generator is SplitMix64, a few lines in any language. `kernel.py` has the same lines, so that game number g of
a simulation can be dealt again here. A random number below n is the high half of the product of n and 32 random bits;
its bias is below n / 2**32, too small to be seen in any number of games.
"""

import secrets
from typing import Final

from setset.cards import CARDS, Cards, Hand, deck_cards
from setset.errors import BadInput, require_whole

SEEDS: Final = 1 << 64
GOLDEN: Final = 0x9E3779B97F4A7C15


def mix(value: int) -> int:
    """Scrambles a 64-bit number in a fixed, invertible way (the output step of the random generator SplitMix64)."""
    value = ((value ^ (value >> 30)) * 0xBF58476D1CE4E5B9) % SEEDS
    value = ((value ^ (value >> 27)) * 0x94D049BB133111EB) % SEEDS
    return value ^ (value >> 31)


class Stream:
    """Random numbers of one game. For practical purposes they are independent of the numbers of other games.

    Args:
        seed: 0 to 2**64 - 1.
        game: the number of the game under this seed.

    Raises:
        BadInput: the seed is out of range.

    >>> Stream(7).shuffled()[:3]
    (71, 24, 27)
    """

    def __init__(self, seed: int, game: int = 0) -> None:
        self._state = mix((mix(check_seed(seed)) + game) % SEEDS)

    def below(self, bound: int) -> int:
        """Returns the next random number from 0 to bound - 1. `bound` is at most 2**32."""
        self._state = (self._state + GOLDEN) % SEEDS
        return ((mix(self._state) >> 32) * bound) >> 32

    def shuffled(self, dimension: int = 4) -> Cards:
        """Shuffles the whole deck. The first card is dealt first."""
        deck = list(range(CARDS) if dimension == 4 else deck_cards(dimension))
        for last in range(len(deck) - 1, 0, -1):
            lower = self.below(last + 1)
            deck[last], deck[lower] = deck[lower], deck[last]
        return tuple(deck)


def deal(count: int = 12, seed: int | None = None, dimension: int = 4) -> Cards:
    """Deals the first cards of a shuffled deck.

    Args:
        count: number of cards, 0 to 81, or up to the size of a smaller deck.
        seed: 0 to 2**64 - 1; by default a new one. Dealing more cards with the same seed begins with the same cards.
        dimension: the number of features: 4, or 3 for the Junior deck of 27 cards, or 2 for a deck of 9.

    Returns:
        The cards in the order in which they are dealt.

    Raises:
        BadInput: the count, the seed or the dimension is out of range.

    >>> deal(5, seed=7)
    (71, 24, 27, 76, 22)
    """
    require_whole("count", count)
    shuffled = Stream(new_seed() if seed is None else seed).shuffled(dimension)
    if not 0 <= count <= len(shuffled):
        raise BadInput(f"cannot deal {count} cards from a deck of {len(shuffled)}")
    return Hand(shuffled[:count])


def new_seed() -> int:
    """Chooses a random seed of at most nine digits, short enough to type.

    >>> 0 <= new_seed() < 10**9
    True
    """
    return secrets.randbelow(1_000_000_000)


def check_seed(seed: int) -> int:
    """Returns the seed; raises BadInput if it is out of range."""
    require_whole("seed", seed)
    if not 0 <= seed < SEEDS:
        raise BadInput(f"a seed is a number from 0 to 2**64 - 1, not {seed}")
    return seed
