"""The compiled search for canonical forms, for many lists at once or for a single list."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from numba.extending import overload, register_jitable

from setset.cards import Cards
from setset.compiler import njit
from setset.errors import SetsetError
from setset.symmetry import search
from setset.symmetry.canonical import MOST_FRAMES, complete_frame
from setset.symmetry.geometry import DIMENSION, CardArray, difference_table, pointwise_stabilizer_order, sum_table

Integers = npt.NDArray[np.int64]

overload(search.zeros)(lambda length: lambda length: np.zeros(length, np.int64))  # noqa: ARG005 (numba's rule)
for _function in (
    search.span_dimension,
    search.count_parallels,
    search.holds_set,
    search.find_parallels,
    search.start_best,
    search.write_form,
    search.find_least,
):
    register_jitable(_function)
# Without inlining, the search takes twice as long.
register_jitable(inline="always")(search.label_and_compare)
_find_least_of_each = njit(cache=True)(search.find_least_of_each)


def _search_rows(
    lists: CardArray, forms: CardArray | None = None, room: int = 1
) -> tuple[CardArray, Integers, Integers, CardArray]:
    """Searches for the canonical form of each list (one per row). Returns the forms, their dimensions, the number of
    frames that lead to each form (see `find_least_frames`), and the first `room` of these frames."""
    canonical_forms = np.zeros_like(lists) if forms is None else forms
    dimensions, counts = np.zeros((2, len(lists)), np.int64)
    frames = np.zeros((len(lists), room, DIMENSION + 1), np.uint8)
    tables = sum_table(), difference_table()
    _find_least_of_each(lists, canonical_forms, forms is not None, frames, dimensions, counts, *tables)
    return canonical_forms, dimensions, counts, frames


def canonicalize_rows(lists: CardArray) -> tuple[CardArray, Integers]:
    """Finds the canonical form of each list (one per row), and the number of affine maps that keep the list."""
    forms, dimensions, counts, _ = _search_rows(lists)
    pointwise = np.array([pointwise_stabilizer_order(dimension) for dimension in range(-1, DIMENSION + 1)])
    return forms, counts * pointwise[dimensions + 1]


def find_first_frames(lists: CardArray, forms: CardArray) -> CardArray:
    """Finds for each list (one per row) the first frame that leads to its canonical form (see `find_least_frames`).

    If a frame has fewer than five cards, completes it to five cards.

    Raises:
        SetsetError: a row of `forms` is not the canonical form of the list in the same row.
    """
    _, dimensions, counts, all_frames = _search_rows(lists, forms)
    if not counts.all():
        raise SetsetError(f"the catalogue does not have all classes of {lists.shape[1]} cards")
    frames: CardArray = all_frames[:, 0]
    for row in np.flatnonzero(dimensions < DIMENSION).tolist():
        frames[row] = complete_frame(tuple(frames[row, : dimensions[row] + 1].tolist()))
    return frames


def find_least_frames(cards: Sequence[int], is_form: bool = False) -> tuple[Cards, CardArray]:
    """Finds the canonical form of a list, and all frames of the list that lead to the form, one frame per row. A frame
    (see `geometry.py`) leads to the form if a map takes the frame to the standard frame, and the list to the form.

    If the cards are a canonical form already, `is_form=True` makes the search faster.
    """
    hand = np.array([cards], np.uint8)
    (form,), (dimension,), (count,), (frames,) = _search_rows(hand, hand if is_form else None, MOST_FRAMES)
    return tuple(form.tolist()), frames[:count, : dimension + 1]
