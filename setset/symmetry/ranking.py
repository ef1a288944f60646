"""Every list has its place: the members of a class in order, and the rank of a list among those of its size.

The order is fixed: lists of one size go class by class, by number; within a class flat by flat, in the order
of `flats` (there is only one if the class spans AG(4,3)); within a flat by their least frames (see `walk`).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator

import numpy as np
import numpy.typing as npt

from setset.cards import CARDS, check_list
from setset.errors import BadInput
from setset.symmetry.catalogue import Catalogue, in_memory
from setset.symmetry.classes import ListClass
from setset.symmetry.geometry import (
    STANDARD_FRAME,
    Cards,
    difference_table,
    flat_cards,
    frames,
    spans,
    sum_table,
)
from setset.symmetry.least import least_frames
from setset.symmetry.subspaces import dimension_of, flat_number, flats, own_maps
from setset.symmetry.walk import _place, _walk

CHUNK = 1 << 15


def members(one: ListClass, start: int = 0) -> Iterator[tuple[int, ...]]:
    """Every list of the class once, from the one of rank `start` on (0 .. lists - 1), lazily."""
    return (tuple(cards) for chunk in member_arrays(one, start, 256) for cards in chunk.tolist())


def member_arrays(one: ListClass, start: int = 0, chunk: int = CHUNK) -> Iterator[Cards]:
    """The same as `members`, one list a row in arrays of at most `chunk` rows."""
    if not 0 <= start < one.lists:
        raise BadInput(f"no list of rank {start}: the lists of class {one} are 0 to {one.lists - 1}")
    return _member_arrays(one, start, chunk)


def _member_arrays(one: ListClass, start: int, chunk: int) -> Iterator[Cards]:
    maps = own_maps(one.cards)
    dimension = dimension_of(maps)
    if dimension < 0:
        yield np.zeros((1, 0), np.uint8)
        return
    inside = np.zeros(maps.shape[1], np.bool_)
    inside[list(one.cards)] = True
    ways = _ways(dimension)
    in_flat = int(ways[0]) // len(maps)
    rank = start
    while rank < one.lists:
        flat, within = divmod(rank, in_flat)
        lists = np.zeros((min(chunk, in_flat - within), one.size), np.uint8)
        _walk(within, inside, maps, ways, lists, sum_table(), difference_table())
        rank += len(lists)
        yield np.sort(flats(dimension)[flat][lists], axis=1)


def member_rank(cards: Iterable[int]) -> int:
    """The rank of a list among the members of its class."""
    return _member_rank(*least_frames(check_list(cards)))


def rank(cards: Iterable[int], catalogue: Catalogue | None = None) -> int:
    """The rank of a list among all lists of its size, from 0."""
    form, leading = least_frames(check_list(cards))
    catalogue = catalogue or in_memory()
    return catalogue.starts(len(form))[catalogue.of_form(form).number] + _member_rank(form, leading)


def _member_rank(form: tuple[int, ...], leading: Cards) -> int:
    """From the canonical form and the frames of the list that lead there."""
    if not form:
        return 0
    dimension = leading.shape[1] - 1
    flat = flat_number(leading[0].tolist())
    labels = np.arange(flat_cards(dimension + 1), dtype=np.uint8)
    places = np.zeros(CARDS, np.uint8)
    places[flats(dimension)[flat]] = labels
    # The map g from the list to the form takes the leading frame to the standard one. Its frame is wanted:
    # where the standard one goes.
    goes = np.empty_like(labels)
    goes[spans(places[leading[:1]])[0]] = labels
    frame = goes[list(STANDARD_FRAME[: dimension + 1])]
    maps = own_maps(form)
    ways = _ways(dimension)
    within = _place(frame, maps, ways, sum_table(), difference_table())
    return flat * (int(ways[0]) // len(maps)) + int(within)


def unrank(size: int, rank: int, catalogue: Catalogue | None = None) -> tuple[int, ...]:
    """The list of this rank among all lists of this size."""
    catalogue = catalogue or in_memory()
    starts = catalogue.starts(size)
    if not 0 <= rank < starts[-1]:
        raise BadInput(f"no list of rank {rank}: the lists of size {size} are 0 to {starts[-1] - 1}")
    number = bisect_right(starts, rank) - 1
    return next(members(catalogue.get(size, number), rank - starts[number]))


def _ways(dimension: int) -> npt.NDArray[np.int64]:
    return np.array([frames(dimension, chosen) for chosen in range(dimension + 2)], np.int64)
