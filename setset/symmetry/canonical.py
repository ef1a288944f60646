"""The canonical form of a list: the lexicographically least list that any affine map takes it to.

The definition does not mention how it is found, so a canonical form that was stored stays right whatever
becomes of the search in `least`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from setset.cards import CARDS, check_list
from setset.symmetry.affine import AffineMap
from setset.symmetry.geometry import DIMENSION, pointwise_stabilizer, spans
from setset.symmetry.least import least_frames


@dataclass(frozen=True, slots=True)
class Form:
    """`map` takes the list to `cards`, the least list of its class; `stabilizer` maps keep the list."""

    cards: tuple[int, ...]
    map: AffineMap
    stabilizer: int
    dimension: int
    """Of the flat that the list spans: 4 for all of AG(4,3), 0 for one card, -1 for none."""


def canonical_form(cards: Iterable[int]) -> tuple[int, ...]:
    """The lexicographically least list that an affine map takes these cards to, in ascending order.

    Two lists have the same canonical form if and only if an affine map takes one to the other. Lists that
    span less than AG(4,3) are as welcome as others. Raises BadInput for what is not cards or repeated, and
    HoldsSet for a hand with a set.
    """
    return least_frames(check_list(cards))[0]


def form(cards: Iterable[int]) -> Form:
    """The canonical form, a map that takes the cards there (always the same one), the stabilizer's order."""
    least, frames = least_frames(check_list(cards))
    dimension = frames.shape[1] - 1
    there = AffineMap.to_frame(whole_frame(frames[0].tolist())).inverse()
    return Form(least, there, len(frames) * pointwise_stabilizer(dimension), dimension)


def whole_frame(frame: Sequence[int]) -> list[int]:
    """The frame, carried on to five cards by the least card outside its flat, again and again."""
    whole = list(frame)
    while len(whole) <= DIMENSION:
        flat = spans(np.array([whole], np.uint8))[0].tolist() if whole else []
        whole.append(next(card for card in range(CARDS) if card not in flat))
    return whole
