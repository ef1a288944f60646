"""The search for canonical forms, compiled: many lists at once, or one after many others.

`canonical.py` says what is searched for, and why these frames are enough; its own search, for a few lists, does the
same step by step.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from setset.cards import CARDS, LARGEST, Cards
from setset.compiler import njit
from setset.errors import SetsetError
from setset.symmetry.canonical import complete_frame
from setset.symmetry.geometry import (
    DIMENSION,
    CardArray,
    difference_table,
    pointwise_stabilizer_order,
    sum_table,
)

UNKNOWN = -1
"""Less than 'free' (0) and 'taken' (1), so that whatever is found first is better."""
ENOUGH_FRAMES = 64
"""Room for the frames of a list; where more lead to the least list, the search is done again with room for all."""


@njit(cache=True)
def _span_dimension(cards, total, minus):  # type: ignore[no-untyped-def]
    """The dimension of the flat that the cards span; -1 for no cards."""
    points = np.zeros(81, np.uint8)
    spanned = np.zeros(81, np.bool_)
    width = 0
    dimension = -1
    for card in cards:
        if spanned[card]:
            continue
        step = minus[card, points[0]]
        for label in range(width, max(3 * width, 1)):
            points[label] = total[points[label - width], step] if width else card
            spanned[points[label]] = True
        width = max(3 * width, 1)
        dimension += 1
    return dimension


@njit(cache=True)
def _count_parallels(cards, minus):  # type: ignore[no-untyped-def]
    """How many ordered pairs of cards are each step apart, and the most, up to 3."""
    parallels = np.zeros(81, np.int64)
    for a in cards:
        for b in cards:
            parallels[minus[b, a]] += 1
    return parallels, min(parallels[1:].max(), 3)


@njit(cache=True)
def _keep_parallel_choices(cards, inside, step, most, choices, ends, total):  # type: ignore[no-untyped-def]
    """Keep as third and fourth card of a frame only cards with another card a step ahead, if there are that many."""
    for depth in range(2, most + 1):
        ends[depth] = 0
        for card in cards:
            if inside[total[card, step]]:
                choices[depth, ends[depth]] = card
                ends[depth] += 1


@njit(cache=True, inline="always")  # called, and not inlined, it would double the time of the search
def _cannot_be_least(depth, step, parallels, most, inside, points, best, total):  # type: ignore[no-untyped-def]
    """Whether a step to the next card of a frame is known at once not to lead to the least list."""
    if depth == 1:
        return parallels[step] < most
    # with three parallels, labels 9, 10 and 11 are alike in all tries; 12 is the first that can be worse
    return depth == most == 3 and inside[total[points[3], step]] < best[12]


@njit(cache=True, inline="always")
def _label_and_compare(width, step, inside, points, places, best, total):  # type: ignore[no-untyped-def]
    """Label what a flat of `width` cards gains with a step out of it, and compare with the best so far.

    The gain is the flat moved once and twice by the step. Returns -1 for worse (and stops there), 0 for as
    good, 1 for better; a better gain becomes the best, and what was best beyond it is forgotten.
    """
    end = width + width + width
    better = end
    for label in range(width, end):
        point = total[points[label - width], step]
        taken = inside[point]
        if taken != best[label]:
            if taken < best[label]:
                return -1
            better = label
            break
        points[label] = point
        if taken:
            places[point] = label
    if better == end:
        return 0
    for label in range(better, end):
        point = total[points[label - width], step]
        points[label] = point
        best[label] = inside[point]
        if inside[point]:
            places[point] = label
    for label in range(end, np.uint64(81)):
        best[label] = UNKNOWN
    return 1


@njit(cache=True)
def _find_least(cards, best, frames, alike, total, minus):  # type: ignore[no-untyped-def]
    """Find the least image of `cards`: `best[label]` is 1 where it has a card. Returns (dimension, count).

    `count` frames lead there, as many maps of the flat that the list spans to itself keep the list; the first
    rows of `frames` are filled with the first of them, in the order of the cards' places in the list.

    If the least image is known, `alike` says how many ordered pairs of it are as far apart as the first card of the
    standard frame and each other one; only frames of which the same is true can lead there, and the first that does
    ends the search where there is room for one. Else `alike` and `best` are unknown at first.
    """
    dimension = _span_dimension(cards, total, minus)
    if dimension < 0:
        return dimension, 1
    inside = np.zeros(81, np.int8)
    inside[cards] = 1
    best[0] = 1
    points = np.zeros(81, np.uint8)
    places = np.zeros(81, np.uint8)  # of the cards of the list; stale unless points[places[card]] == card
    widths = np.array((0, 1, 3, 9, 27), np.uint64)  # unsigned, or numba would look for negative places
    parallels, most = _count_parallels(cards, minus)
    choices = np.zeros((5, len(cards)), np.uint8)  # by depth: the cards that may come next in the frame
    choices[:] = cards
    ends = np.full(5, len(cards), np.int64)
    frame = np.zeros(5, np.uint8)
    turn = np.full(5, -1, np.int64)
    count = 0
    depth = 0
    while depth >= 0:
        turn[depth] += 1
        if turn[depth] == ends[depth]:
            turn[depth] = -1
            depth -= 1
            continue
        card = frame[depth] = choices[depth, turn[depth]]
        if depth == 0:
            points[0] = card
            places[card] = 0
        else:
            width = widths[depth]
            if places[card] < width and points[places[card]] == card:
                continue
            step = minus[card, points[0]]
            if alike[depth] != UNKNOWN and parallels[step] != alike[depth]:
                continue
            if _cannot_be_least(depth, step, parallels, most, inside, points, best, total):
                continue
            if depth == 1:
                _keep_parallel_choices(cards, inside, step, most, choices, ends, total)
            verdict = _label_and_compare(width, step, inside, points, places, best, total)
            if verdict < 0:
                continue
            if verdict > 0:
                count = 0
        if depth < dimension:
            depth += 1
            continue
        if count < len(frames):
            frames[count] = frame
        count += 1
        if alike[1] != UNKNOWN and len(frames) == 1:
            break
    return dimension, count


@njit(cache=True)
def _find_least_of_each(lists, leasts, dimensions, counts, frames, total, minus):  # type: ignore[no-untyped-def]
    """`_find_least` for each row of `lists`: the least lists, their dimensions, counts of frames and first frames."""
    best = np.zeros(81, np.int8)
    alike = np.full(5, UNKNOWN, np.int64)
    for row in range(len(lists)):
        best[:] = UNKNOWN
        dimensions[row], counts[row] = _find_least(
            lists[row], best, frames[row : row + 1], alike, total, minus
        )
        place = 0
        for card in range(81):
            if best[card] == 1:
                leasts[row, place] = card
                place += 1


@njit(cache=True)
def _find_first_frame_of_each(lists, leasts, dimensions, counts, frames, total, minus):  # type: ignore[no-untyped-def]
    """The dimension and the first frame of each row of `lists`, whose least list is known; a count of 0 if not."""
    best = np.zeros(81, np.int8)
    standard = np.array((0, 1, 3, 9, 27))
    for row in range(len(lists)):
        best[:] = 0
        best[leasts[row]] = 1
        parallels, _ = _count_parallels(leasts[row], minus)
        alike = parallels[standard]
        dimensions[row], counts[row] = _find_least(
            lists[row], best, frames[row : row + 1], alike, total, minus
        )
        for card in leasts[row]:
            if best[card] != 1:
                counts[row] = 0  # a lesser one was found


@njit(cache=True)
def _find_frames_of_each(lists, sizes, dimensions, counts, frames, total, minus):  # type: ignore[no-untyped-def]
    """The dimension of each row of `lists`, which is a canonical form, and all frames that lead to it, as far as
    there is room for them."""
    best = np.zeros(81, np.int8)
    standard = np.array((0, 1, 3, 9, 27))
    for row in range(len(lists)):
        form = lists[row, : sizes[row]]
        best[:] = 0
        best[form] = 1
        parallels, _ = _count_parallels(form, minus)
        dimensions[row], counts[row] = _find_least(form, best, frames[row], parallels[standard], total, minus)


class LeastRows(NamedTuple):
    """What the search found for each of many lists, a row each."""

    forms: CardArray
    dimensions: npt.NDArray[np.int64]
    """Of the flats that the lists span."""
    stabilizers: npt.NDArray[np.int64]
    """How many affine maps keep each list."""
    frames: CardArray
    """The first frame that leads to the form; only the first dimension + 1 cards of a row count."""


def canonicalize_rows(lists: CardArray) -> LeastRows:
    """The canonical form of each row, and what else the search found."""
    leasts = np.zeros_like(lists)
    dimensions = np.zeros(len(lists), np.int64)
    counts = np.zeros(len(lists), np.int64)
    frames = np.zeros((len(lists), DIMENSION + 1), np.uint8)
    _find_least_of_each(lists, leasts, dimensions, counts, frames, sum_table(), difference_table())
    pointwise = np.array([pointwise_stabilizer_order(dimension) for dimension in range(-1, DIMENSION + 1)])
    return LeastRows(leasts, dimensions, counts * pointwise[dimensions + 1], frames)


def find_first_frames(lists: CardArray, forms: CardArray) -> CardArray:
    """The frames that `canonicalize_rows` finds, for lists whose canonical forms are known: in a third of the time.

    Raises:
        SetsetError: a form is not that of its list.
    """
    dimensions = np.zeros(len(lists), np.int64)
    counts = np.zeros(len(lists), np.int64)
    frames = np.zeros((len(lists), DIMENSION + 1), np.uint8)
    _find_first_frame_of_each(lists, forms, dimensions, counts, frames, sum_table(), difference_table())
    if not counts.all():
        raise SetsetError(f"the catalogue does not have all classes of {lists.shape[1]} cards")
    for row in np.flatnonzero(dimensions < DIMENSION).tolist():
        frames[row] = complete_frame(tuple(frames[row, : dimensions[row] + 1].tolist()))
    return frames


def find_least_frames(cards: Sequence[int]) -> tuple[Cards, CardArray]:
    """The least list of the class, and all frames (a row: k + 1 cards of the list) that lead there."""
    hand, room = np.array(cards, np.uint8), ENOUGH_FRAMES
    alike = np.full(DIMENSION + 1, UNKNOWN, np.int64)
    while True:
        best = np.full(CARDS, UNKNOWN, np.int8)
        frames = np.zeros((room, DIMENSION + 1), np.uint8)
        dimension, count = _find_least(hand, best, frames, alike, sum_table(), difference_table())
        if count <= room:
            return tuple(np.flatnonzero(best == 1).tolist()), frames[:count, : dimension + 1]
        room = count


def find_frames_of_forms(forms: Sequence[Cards]) -> Iterator[CardArray]:
    """The frames that `find_least_frames` finds for each of some canonical forms, in less time: the end is known."""
    lists = np.zeros((len(forms), LARGEST), np.uint8)
    sizes = np.array([len(form) for form in forms], np.int64)
    for row, form in zip(lists, forms, strict=True):
        row[: len(form)] = form
    dimensions, counts = np.zeros(len(forms), np.int64), np.zeros(len(forms), np.int64)
    frames = np.zeros((len(forms), ENOUGH_FRAMES, DIMENSION + 1), np.uint8)
    _find_frames_of_each(lists, sizes, dimensions, counts, frames, sum_table(), difference_table())
    for form, found, dimension, count in zip(forms, frames, dimensions, counts, strict=True):
        yield found[:count, : dimension + 1] if count <= ENOUGH_FRAMES else find_least_frames(form)[1]
