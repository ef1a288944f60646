"""The flats of AG(4,3), and the maps of a flat that keep a list."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache

import numpy as np

from setset.cards import CARDS, Cards
from setset.symmetry.canonical import find_least_frames
from setset.symmetry.geometry import DIMENSION, CardArray, difference_table, flat_size, span_frames, sum_table


@cache
def enumerate_subspaces(dimension: int) -> CardArray:
    """All flats of a dimension, one a row, in the lexicographic order of their least frames.

    The least frame of a flat is its least card, then again and again the least card outside the flat of
    those before. A row holds the cards by their labels in that frame.
    """
    if dimension < 0:
        return np.zeros((1, 0), np.uint8)
    if dimension == 0:
        return np.arange(CARDS, dtype=np.uint8)[:, None]
    smaller = enumerate_subspaces(dimension - 1)
    width = smaller.shape[1]
    last = smaller[:, flat_size(dimension - 1)]  # the frame's last card
    step = difference_table()[np.arange(CARDS)[None, :], smaller[:, :1]]
    once = sum_table()[smaller[:, None, :], step[:, :, None]]
    twice = sum_table()[once, step[:, :, None]]
    grown = np.concatenate([np.broadcast_to(smaller[:, None, :], once.shape), once, twice], axis=2)
    card = np.arange(CARDS)[None, :]
    outside = ~(smaller[:, None, :] == card[:, :, None]).any(axis=2)
    rows: CardArray = grown[outside & (card > last[:, None]) & (card == grown[:, :, width:].min(axis=2))]
    return rows


@cache
def _subspace_numbers(dimension: int) -> dict[bytes, int]:
    """The number of each flat in `enumerate_subspaces`, by its cards in ascending order."""
    return {
        row.tobytes(): number for number, row in enumerate(np.sort(enumerate_subspaces(dimension), axis=1))
    }


def subspace_number(frame: Sequence[int]) -> int:
    """Which of `enumerate_subspaces(k)` the k + 1 cards of this frame span."""
    cards = np.sort(span_frames(np.array([frame], np.uint8)), axis=1)
    return _subspace_numbers(len(frame) - 1)[cards.tobytes()]


@lru_cache(maxsize=64)
def stabilizer_maps(form: Cards) -> CardArray:
    """All maps to itself of the flat that a canonical form spans which keep the form, as tables of images.

    The flat is the cards below 3**k. Maps of AG(4,3) that agree on the flat are one row here.
    """
    _, frames = find_least_frames(form)
    labelled = span_frames(frames)
    tables = np.empty_like(labelled)
    np.put_along_axis(
        tables, labelled.astype(np.int64), np.arange(labelled.shape[1], dtype=np.uint8)[None, :], 1
    )
    return tables


def dimension_of(maps: CardArray) -> int:
    """The dimension of the flat that such tables of images belong to."""
    return next(k for k in range(-1, DIMENSION + 1) if flat_size(k + 1) == maps.shape[1])
