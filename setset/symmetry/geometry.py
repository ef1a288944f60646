"""The affine geometry AG(4,3) of the 81 cards, as tables and counts.

A *flat* is an affine subspace: a card, a line (a set), a plane, a hyperplane, or all cards. A *frame* of
dimension k is k + 1 cards in general position, in order. The *standard frame* is 0, 1, 3, 9, 27: the card 0
and the four cards that differ from it by one in the last, third, second and first digit. Its first k + 1 cards
span the flat of the cards below 3**k. An affine map takes a frame of another k-flat to these k + 1 cards, and each
card of the other flat to a number below 3**k, the *label* of the card in this frame.
"""

import math
from collections.abc import Sequence
from functools import cache
from typing import Final

import numpy as np
import numpy.typing as npt

from setset.cards import CARDS, WEIGHTS, digits

CardArray = npt.NDArray[np.uint8]

DIMENSION: Final = 4
STANDARD_FRAME: Final = (0, 1, 3, 9, 27)


DIGITS: Final = np.array([digits(card) for card in range(CARDS)])
"""The digits of each card, a card per row."""


def _table(sums: npt.NDArray[np.int64]) -> CardArray:
    """Converts sums of digits to a read-only table of cards. The digits of each card are the sums modulo 3."""
    table: CardArray = (sums % 3 @ np.array(WEIGHTS)).astype(np.uint8)
    table.setflags(write=False)
    return table


@cache
def sum_table() -> CardArray:
    """`table[p, q]` is the card p + q, digit by digit modulo 3."""
    return _table(DIGITS[:, None] + DIGITS)


@cache
def difference_table() -> CardArray:
    """`table[p, q]` is the card p - q, digit by digit modulo 3."""
    return _table(DIGITS[:, None] - DIGITS)


@cache
def cached_third_table() -> CardArray:
    """`table[p, q]` is the card that makes a set with p and q (p itself if p == q)."""
    return _table(-DIGITS[:, None] - DIGITS)


def linear_forms() -> CardArray:
    """The 40 linear forms other than 0, up to their sign. Each form is given as the card whose digits are the
    coefficients."""
    return np.array([card for card in range(1, CARDS) if next(filter(None, digits(card))) == 1], np.uint8)


def third_cards(lists: CardArray) -> npt.NDArray[np.int64]:
    """For each list (one per row), the third cards of all of its pairs."""
    first, second = np.triu_indices(lists.shape[1], 1)
    return cached_third_table()[lists[:, first], lists[:, second]].astype(np.int64)


def mark_extensions(lists: CardArray) -> npt.NDArray[np.bool_]:
    """For each list (one per row), 81 truth values: whether the card can be added to the list."""
    free = np.ones((len(lists), CARDS), np.bool_)
    np.put_along_axis(free, lists.astype(np.int64), False, axis=1)
    np.put_along_axis(free, third_cards(lists), False, axis=1)
    return free


def count_frames(dimension: int, start: int = 0) -> int:
    """Number of ways to complete `start` cards of a frame to a whole frame: dimension + 1 cards of AG(dimension, 3) in
    general position.

    `count_frames(4)` is the number of affine maps, 81 * 80 * 78 * 72 * 54: the image of one frame determines a map.
    """
    return math.prod(3**dimension - flat_size(chosen) for chosen in range(start, dimension + 1))


def flat_size(points: int) -> int:
    """Number of cards in the flat (affine subspace) that this many cards in general position span: 0, 1, 3, 9, 27 or
    81."""
    return 0 if points == 0 else 3 ** (points - 1)


GROUP_ORDER: Final = count_frames(DIMENSION)
"""Number of affine maps of the deck: 1,965,150,720."""


def pointwise_stabilizer_order(dimension: int) -> int:
    """Number of affine maps of AG(4,3) that fix every card of a flat (affine subspace) of this dimension. Dimension -1
    means no card."""
    return count_frames(DIMENSION, dimension + 1)


def form_dimension(form: Sequence[int]) -> int:
    """The dimension k of the flat (affine subspace) that a canonical form spans: the form holds k + 1 cards of the
    standard frame."""
    return sum(card in STANDARD_FRAME for card in form) - 1


def span_frames(frames: CardArray) -> CardArray:
    """For each frame (one per row), all cards of the flat that the frame spans, in the order of their labels."""
    points = frames[:, :1]
    for column in range(1, frames.shape[1]):
        step = difference_table()[frames[:, column], frames[:, 0]][:, None]
        once = sum_table()[points, step]
        points = np.concatenate([points, once, sum_table()[once, step]], axis=1)
    return points


@cache
def enumerate_subspaces(dimension: int) -> CardArray:
    """All flats (affine subspaces) of a dimension, a flat per row, in the lexicographic order of their least frames.

    The least frame of a flat begins with the least card of the flat. Each next card is the least card of the flat that
    the cards before it do not span. A row holds the cards of a flat in the order of their labels in its least frame.
    """
    if dimension < 0:
        return np.zeros((1, 0), np.uint8)
    if dimension == 0:
        return np.arange(CARDS, dtype=np.uint8)[:, None]
    smaller = enumerate_subspaces(dimension - 1)
    width = smaller.shape[1]
    last = smaller[:, flat_size(dimension - 1)]  # the last card of each frame
    step = difference_table()[np.arange(CARDS)[None, :], smaller[:, :1]]
    once = sum_table()[smaller[:, None, :], step[:, :, None]]
    twice = sum_table()[once, step[:, :, None]]
    grown = np.concatenate([np.broadcast_to(smaller[:, None, :], once.shape), once, twice], axis=2)
    card = np.arange(CARDS)[None, :]
    outside = ~(smaller[:, None, :] == card[:, :, None]).any(axis=2)
    rows: CardArray = grown[outside & (card > last[:, None]) & (card == grown[:, :, width:].min(axis=2))]
    return rows


def subspace_number(frame: Sequence[int]) -> int:
    """Index in `enumerate_subspaces(k)` of the flat that these k + 1 cards span: the only flat that holds them."""
    flats = enumerate_subspaces(len(frame) - 1)
    return int((flats[:, :, None] == np.array(frame)).any(axis=1).all(axis=1).argmax())
