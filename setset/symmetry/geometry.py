"""The affine geometry AG(4,3) of the 81 cards, as tables and counts.

A *flat* is an affine subspace: a card, a line (a set), a plane, a hyperplane, or all cards. A *frame* of
dimension k is k + 1 cards in general position, in order. The *standard frame* is 0, 1, 3, 9, 27: the card 0
and the four cards that differ from it by one in the last, third, second and first digit. The flat that its
first k + 1 cards span is the cards below 3**k, so a card below 3**k is also a *label*: a place in a k-flat as
counted from a frame of that flat.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Final

import numpy as np
import numpy.typing as npt

from setset.cards import CARDS, WEIGHTS, digits, third_table

CardArray = npt.NDArray[np.uint8]

DIMENSION: Final = 4
STANDARD_FRAME: Final = (0, 1, 3, 9, 27)


@cache
def sum_table() -> CardArray:
    """`table[p, q]` is the card p + q, digit by digit modulo 3."""
    places = np.array([digits(card) for card in range(CARDS)])
    return _read_only(((places[:, None, :] + places[None, :, :]) % 3 @ np.array(WEIGHTS)).astype(np.uint8))


@cache
def difference_table() -> CardArray:
    """`table[p, q]` is the card p - q, digit by digit modulo 3."""
    places = np.array([digits(card) for card in range(CARDS)])
    return _read_only(((places[:, None, :] - places[None, :, :]) % 3 @ np.array(WEIGHTS)).astype(np.uint8))


@cache
def cached_third_table() -> CardArray:
    """`table[p, q]` is the card that makes a set with p and q (p itself if p == q); read-only."""
    return _read_only(third_table())


def count_frames(dimension: int, start: int = 0) -> int:
    """In how many ways `start` cards of a frame of AG(dimension, 3) can be completed to a whole frame.

    `count_frames(4)` is the order of the group, 81 * 80 * 78 * 72 * 54: where a map takes one frame determines it.
    """
    return math.prod(3**dimension - flat_size(chosen) for chosen in range(start, dimension + 1))


def flat_size(points: int) -> int:
    """How many cards the flat through this many cards in general position holds."""
    return 0 if points == 0 else 3 ** (points - 1)


GROUP_ORDER: Final = count_frames(DIMENSION)
"""1,965,150,720 affine maps."""


def pointwise_stabilizer_order(dimension: int) -> int:
    """How many affine maps of AG(4,3) fix every card of a flat of this dimension (-1: no card at all)."""
    return count_frames(DIMENSION, dimension + 1)


def span_frames(frames: CardArray) -> CardArray:
    """For each row, a frame, the cards of its flat in the order of their labels."""
    points = frames[:, :1]
    for place in range(1, frames.shape[1]):
        step = difference_table()[frames[:, place], frames[:, 0]][:, None]
        once = sum_table()[points, step]
        points = np.concatenate([points, once, sum_table()[once, step]], axis=1)
    return points


def _read_only(table: CardArray) -> CardArray:
    table.setflags(write=False)
    return table
