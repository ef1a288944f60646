"""The canonical form of a list: the lexicographically least list that any affine map takes it to.

The definition does not say how the form is found, so a canonical form that was stored stays right if the
search changes.

Which maps to try. The least list of a class that spans a k-flat holds the first k + 1 cards of the standard
frame 0, 1, 3, 9, 27. For let its cards below 3**j be known, and let there be others. A map that fixes all
cards below 3**j can take any other card to 3**j, the least card outside; so the least list holds 3**j. Hence
it is enough to try the maps that take a frame *made of cards of the list* to the standard frame. They are
tried one frame card at a time: j frame cards determine which labels below 3**(j - 1) are taken. Of two lists
of the same length the one is less that has the lowest label which only one of them has.

Which frames to skip. Take the steps b - a between cards a, b of the list. If two pairs have the same step, a and
b, c and d, then the map that takes a, b, c to 0, 1, 3 takes d to 4, so the least list holds 0, 1, 3, 4. If three
pairs have it, the third is not in the plane of the other two (a plane holds at most four cards of a list), and
the least list holds 0, 1, 3, 4, 9, 10. So the first two cards of a frame must have a step that as many pairs
share as possible, up to three, and the next two must be first cards of such pairs.

Each frame that leads to the least list is a map that takes the list there. So the number of these frames is the
order of the group that the stabilizer induces on the flat that the list spans.
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

FEW = 8
"""Number of searches without the compiler, which takes longer to load than all of them."""
MOST_FRAMES = 2880
"""Most frames that lead from a list to the least list of its class. Lists of 20 cards have them."""

_searches = count()
_compiled = Lock()


def find_least_frames(cards: Sequence[int]) -> tuple[Cards, CardArray]:
    """The least list of the class, and all frames (a row: k + 1 cards of the list) that lead there."""
    # A thread that comes while another one is in there, which may be compiling, does not wait for it.
    if next(_searches) < FEW or not _compiled.acquire(blocking=False):
        return search_plainly(cards)
    try:
        from setset.symmetry import least

        return least.find_least_frames(cards)
    finally:
        _compiled.release()


def search_plainly(cards: Sequence[int]) -> tuple[Cards, CardArray]:
    """`find_least_frames` without the compiler: milliseconds, for 20 cards 40 of them."""
    form = [0] * len(cards)
    frames = np.zeros((MOST_FRAMES, DIMENSION + 1), np.uint8)
    tables = (sum_table().tolist(), difference_table().tolist())  # as lists: an array is read in three times the time
    dimension, found = find_least(cards, form, False, frames, *tables)
    return tuple(form), frames[:found, : dimension + 1]


@dataclass(frozen=True, slots=True)
class CanonicalForm:
    """A list's canonical form, and what the search for it found out.

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
    """How many affine maps keep the list."""
    dimension: int
    """Dimension of the flat that the list spans: 4 for all of AG(4,3), 0 for one card, -1 for none."""


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
    """The canonical form, a map that takes the cards there, and how many maps keep the cards.

    Args:
        cards: different cards without a set, in any order.

    Returns:
        The form with a map, always the same one for the same cards, and the order of the stabilizer.

    Raises:
        BadInput: something is not a card, or a card is given twice.
        HoldsSet: there is a set among the cards.

    >>> canonicalize([80, 3, 14, 40, 5]).stabilizer
    120
    """
    least, frames = find_least_frames(check_list(cards))
    dimension = frames.shape[1] - 1
    frame = complete_frame(tuple(frames[0].tolist()))
    (there,) = AffineMap.inverses_of_frames(np.array([frame], np.uint8))
    return CanonicalForm(least, there, len(frames) * pointwise_stabilizer_order(dimension), dimension)


@lru_cache(maxsize=4096)
def complete_frame(frame: Cards) -> Cards:
    """The frame, completed to five cards with the least card outside its flat, again and again."""
    whole = list(frame)
    while len(whole) <= DIMENSION:
        flat = span_frames(np.array([whole], np.uint8))[0].tolist() if whole else []
        whole.append(next(card for card in range(CARDS) if card not in flat))
    return tuple(whole)
