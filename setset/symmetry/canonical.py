"""The canonical form of a list: the lexicographically least list that any affine map takes it to.

The definition does not depend on the search, so stored canonical forms stay right if the search changes.

Which maps to try (`geometry.py` defines flats and frames). If the lists of a class span a k-flat, the least list holds
the first k + 1 cards of the standard frame 0, 1, 3, 9, 27. Proof: if it holds a card outside the flat of the cards
below 3**j, a map that fixes all cards of the flat can take this card to 3**j, the least card outside. Hence it is
enough to try the maps that take a frame *made of cards of the list* to the standard frame. The search chooses a frame
card by card: the first j cards determine which cards below 3**(j - 1) the image of the list holds. Of two lists of the
same length, the lesser list holds the lowest card that only one of them holds.

Which frames to skip. The step of a pair (a, b) of cards of the list is the difference b - a. If two pairs (a, b) and
(c, d) have the same step, then the map that takes a, b, c to 0, 1, 3 takes d to 4. So the least list holds 0, 1, 3, 4.
If three pairs have the same step, the third pair is not in the plane of the other two, because a plane holds at most
four cards of a list. So the least list holds 0, 1, 3, 4, 9, 10. Hence the first two cards of a frame must be a pair
whose step is shared by as many pairs as possible, counted only up to three. If two or more pairs share it, the third
card must be the first card of another such pair. If three or more share it, this also holds for the fourth card.

The map of a frame takes the frame to the standard frame. So the number of frames whose maps take the list to the least
list is the order of the group that the stabilizer induces on the flat that the list spans.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import count
from threading import Lock

import numpy as np

from setset.cards import CARDS, Cards, CardsLike, check_list
from setset.symmetry.affine import AffineMap
from setset.symmetry.geometry import (
    DIMENSION,
    CardArray,
    difference_table,
    pointwise_stabilizer_order,
    span_frames,
    sum_table,
)
from setset.symmetry.search import find_least

PLAIN_SEARCHES = 8
"""Number of searches that a process does in plain Python before it loads the compiler. Loading takes longer than these
searches."""
MOST_FRAMES = 2880
"""Maximum number of frames (cards in general position) of a list that lead to the least list of its class. Lists of 20
cards have this many."""

_searches = count()
_compiled = Lock()


def find_least_frames(cards: Sequence[int]) -> tuple[Cards, CardArray]:
    """Finds the canonical form of a list, and all frames of the list that lead to the form, one frame per row. A frame
    (see `geometry.py`) leads to the form if a map takes the frame to the standard frame, and the list to the form."""
    # A thread that holds the lock may be compiling. Other threads search without the compiler instead of waiting.
    if next(_searches) < PLAIN_SEARCHES or not _compiled.acquire(blocking=False):
        return search_plainly(cards)
    try:
        from setset.symmetry import least

        return least.find_least_frames(cards)
    finally:
        _compiled.release()


def search_plainly(cards: Sequence[int]) -> tuple[Cards, CardArray]:
    """Does the same as `find_least_frames` in plain Python, without the compiler, in 40 milliseconds or less."""
    form = [0] * len(cards)
    frames = np.zeros((MOST_FRAMES, DIMENSION + 1), np.uint8)
    tables = (sum_table().tolist(), difference_table().tolist())  # lists: reading an array takes three times as long
    dimension, frame_count = find_least(cards, form, False, frames, *tables)
    return tuple(form), frames[:frame_count, : dimension + 1]


@dataclass(frozen=True, slots=True)
class CanonicalForm:
    """The canonical form of a list, a map that takes the list to the form, and the order of the list's stabilizer.

    >>> form = canonicalize([80, 3, 14])
    >>> form.cards, form.dimension
    ((0, 1, 3), 2)
    >>> form.map.on([80, 3, 14])
    (0, 1, 3)
    """

    cards: Cards
    """The least list of the class."""
    map: AffineMap
    """A map that takes the list to `cards`."""
    stabilizer: int
    """Number of affine maps that keep the list."""
    dimension: int
    """Dimension of the flat (affine subspace) that the list spans: 4 for all of AG(4,3), 0 for one card, -1 for no
    card."""


def canonical_form(cards: CardsLike) -> Cards:
    """The lexicographically least list that an affine map takes these cards to, in ascending order.

    Two lists have the same canonical form if and only if an affine map takes one to the other.

    Args:
        cards: different cards without a set, in any order.

    Returns:
        The canonical form, as many cards as were given.

    Raises:
        BadInput: something is not a card, or a card is given twice.
        HoldsSet: there is a set among the cards.

    >>> canonical_form([80, 3, 14, 40, 5])
    (0, 1, 3, 9, 27)
    """
    return find_least_frames(check_list(cards))[0]


def canonicalize(cards: CardsLike) -> CanonicalForm:
    """Finds the canonical form of a list, a map that takes the list to the form, and the order of its stabilizer.

    Args:
        cards: different cards without a set, in any order.

    Returns:
        The canonical form and the other results. The same cards always give the same map.

    Raises:
        BadInput: something is not a card, or a card is given twice.
        HoldsSet: there is a set among the cards.

    >>> canonicalize([80, 3, 14, 40, 5]).stabilizer
    120
    """
    least, frames = find_least_frames(check_list(cards))
    dimension = frames.shape[1] - 1
    frame = complete_frame(tuple(frames[0].tolist()))
    (affine_map,) = AffineMap.inverses_of_frames(np.array([frame], np.uint8))
    return CanonicalForm(least, affine_map, len(frames) * pointwise_stabilizer_order(dimension), dimension)


@lru_cache(maxsize=4096)
def complete_frame(frame: Cards) -> Cards:
    """Completes a frame to five cards in general position. Each added card is the least card outside the flat (affine
    subspace) that the cards before it span."""
    cards = list(frame)
    while len(cards) <= DIMENSION:
        flat = span_frames(np.array([cards], np.uint8))[0].tolist() if cards else []
        cards.append(next(card for card in range(CARDS) if card not in flat))
    return tuple(cards)
