"""Every list has its place: the members of a class in order, and the rank of a list among those of its size.

The order is fixed: lists of one size go class by class, by number; within a class flat by flat, in the order
of `enumerate_subspaces` (there is only one if the class spans AG(4,3)); within a flat by their least
frames, as follows.

Let R be the canonical form of the class and H the maps of its flat that keep R. Each map g of the flat makes
of R the list g^-1(R), and g, g' make the same list if and only if g' = hg for an h in H. A map is known by
the frame F = (g(0), g(1), g(3), ...), and hg by h(F), so

    the lists of the class are the orbits of H on the frames,

and each orbit is represented by its least frame. Only the identity takes a frame to itself, which makes
everything countable: if K are the maps in H that fix the first i cards of F, then the orbits of frames that
begin like F are as many as the ways to complete them, divided by the order of K. The least frames are found card
by card: the next card is the least of its orbit under K, and then K shrinks to the maps that fix it too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
import numpy.typing as npt

from setset.cards import CARDS, Cards, check_list
from setset.compiler import njit
from setset.errors import BadInput
from setset.symmetry.canonical import find_least_frames
from setset.symmetry.catalogue import Catalogue, catalogue_in_memory
from setset.symmetry.classes import ListClass
from setset.symmetry.geometry import (
    STANDARD_FRAME,
    CardArray,
    count_frames,
    difference_table,
    flat_size,
    span_frames,
    sum_table,
)
from setset.symmetry.subspaces import dimension_of, enumerate_subspaces, stabilizer_maps, subspace_number

CHUNK = 1 << 15


@njit(cache=True)
def _extend_frame(depth, card, points, total, minus):  # type: ignore[no-untyped-def]
    """Label what the flat of a frame gains with its next card; returns how many cards the flat has then."""
    if depth == 0:
        points[0] = card
        return 1
    width = 3 ** (depth - 1)
    step = minus[card, points[0]]
    for label in range(width, 3 * width):
        points[label] = total[points[label - width], step]
    return 3 * width


@njit(cache=True)
def _find_orbits(maps, group, order, points, width, firsts, sizes):  # type: ignore[no-untyped-def]
    """Find the group's orbits outside the flat of the frame so far: their least cards, in order, and their sizes."""
    cards = maps.shape[1]
    seen = np.zeros(cards, np.bool_)
    for label in range(width):
        seen[points[label]] = True
    count = 0
    for card in range(cards):
        if seen[card]:
            continue
        firsts[count] = card
        sizes[count] = 0
        for place in range(order):
            image = maps[group[place], card]
            if not seen[image]:
                seen[image] = True
                sizes[count] += 1
        count += 1
    return count


@njit(cache=True)
def _keep_fixing(maps, group, order, card, smaller):  # type: ignore[no-untyped-def]
    """Copy to `smaller` the maps of the group that fix the card; returns how many."""
    kept = 0
    for place in range(order):
        if maps[group[place], card] == card:
            smaller[kept] = group[place]
            kept += 1
    return kept


@njit(cache=True)
def _fill_members(start, inside, maps, ways, lists, total, minus):  # type: ignore[no-untyped-def]
    """Fill `lists` with the lists of ranks `start`, `start` + 1, ...; returns how many there were.

    `inside` marks the cards of R, `ways[i]` counts the ways to complete i cards of a frame.
    """
    dimension = len(ways) - 2
    cards = maps.shape[1]
    groups = np.zeros((dimension + 1, len(maps)), np.int64)
    groups[0] = np.arange(len(maps))
    orders = np.full(dimension + 1, len(maps), np.int64)
    firsts = np.zeros((dimension + 1, cards), np.uint8)
    sizes = np.zeros((dimension + 1, cards), np.int64)
    ends = np.zeros(dimension + 1, np.int64)
    turn = np.zeros(dimension + 1, np.int64)
    points = np.zeros(cards, np.uint8)
    ends[0] = _find_orbits(maps, groups[0], orders[0], points, 0, firsts[0], sizes[0])
    skip = start
    row = 0
    depth = 0
    while depth >= 0 and row < len(lists):
        if turn[depth] == ends[depth]:
            depth -= 1
            continue
        card = firsts[depth, turn[depth]]
        below = ways[depth + 1] * sizes[depth, turn[depth]] // orders[depth]
        turn[depth] += 1
        if skip >= below:
            skip -= below
            continue
        width = _extend_frame(depth, card, points, total, minus)
        if depth < dimension:
            orders[depth + 1] = _keep_fixing(maps, groups[depth], orders[depth], card, groups[depth + 1])
            depth += 1
            turn[depth] = 0
            ends[depth] = _find_orbits(
                maps, groups[depth], orders[depth], points, width, firsts[depth], sizes[depth]
            )
            continue
        place = 0
        for label in range(cards):
            if inside[points[label]]:
                lists[row, place] = label
                place += 1
        row += 1
    return row


@njit(cache=True)
def _rank_frame(frame, maps, ways, total, minus):  # type: ignore[no-untyped-def]
    """The rank of the list that a frame stands for; the frame is changed to the least one of its orbit."""
    dimension = len(ways) - 2
    cards = maps.shape[1]
    group = np.arange(len(maps))
    order = len(maps)
    points = np.zeros(cards, np.uint8)
    firsts = np.zeros(cards, np.uint8)
    sizes = np.zeros(cards, np.int64)
    width = 0
    rank = 0
    for depth in range(dimension + 1):
        best = group[0]
        for place in range(order):
            if maps[group[place], frame[depth]] < maps[best, frame[depth]]:
                best = group[place]
        for later in range(depth, dimension + 1):
            frame[later] = maps[best, frame[later]]
        count = _find_orbits(maps, group, order, points, width, firsts, sizes)
        for orbit in range(count):
            if firsts[orbit] < frame[depth]:
                rank += ways[depth + 1] * sizes[orbit] // order
        order = _keep_fixing(maps, group, order, frame[depth], group)
        width = _extend_frame(depth, frame[depth], points, total, minus)
    return rank


def members(one: ListClass, start: int = 0) -> Iterator[Cards]:
    """Every list of a class once, in the order of their ranks.

    Args:
        one: a class of the catalogue.
        start: the rank within the class to begin with, 0 to `one.lists` - 1.

    Returns:
        An iterator over the lists; they are computed as they are needed.

    Raises:
        BadInput: there is no list of rank `start`.

    >>> from setset.symmetry.catalogue import catalogue_in_memory
    >>> next(members(catalogue_in_memory().get(12, 700), start=1_000_000_000))
    (4, 7, 12, 18, 19, 22, 24, 28, 41, 52, 78, 79)
    """
    return (tuple(cards) for chunk in member_arrays(one, start, 256) for cards in chunk.tolist())


def member_arrays(one: ListClass, start: int = 0, chunk: int = CHUNK) -> Iterator[CardArray]:
    """The lists of `members` as arrays, a list a row.

    Args:
        one: a class of the catalogue.
        start: the rank within the class to begin with, 0 to `one.lists` - 1.
        chunk: the largest number of rows of an array.

    Returns:
        An iterator over arrays of type uint8.

    Raises:
        BadInput: there is no list of rank `start`.

    >>> from setset.symmetry.catalogue import catalogue_in_memory
    >>> next(member_arrays(catalogue_in_memory().get(3, 0), chunk=2)).tolist()
    [[0, 1, 3], [0, 1, 5]]
    """
    if not 0 <= start < one.lists:
        raise BadInput(f"no list of rank {start}: the lists of class {one} are 0 to {one.lists - 1}")
    return _member_arrays(one, start, chunk)


def _member_arrays(one: ListClass, start: int, chunk: int) -> Iterator[CardArray]:
    """`member_arrays` after its checks, which must not wait for the first array."""
    maps = stabilizer_maps(one.cards)
    dimension = dimension_of(maps)
    if dimension < 0:
        yield np.zeros((1, 0), np.uint8)
        return
    inside = np.zeros(maps.shape[1], np.bool_)
    inside[list(one.cards)] = True
    ways = _count_completions(dimension)
    in_flat = int(ways[0]) // len(maps)
    rank = start
    while rank < one.lists:
        flat, within = divmod(rank, in_flat)
        lists = np.zeros((min(chunk, in_flat - within), one.size), np.uint8)
        _fill_members(within, inside, maps, ways, lists, sum_table(), difference_table())
        rank += len(lists)
        yield np.sort(enumerate_subspaces(dimension)[flat][lists], axis=1)


def member_rank(cards: Iterable[int]) -> int:
    """The rank of a list among the lists of its class.

    Args:
        cards: different cards without a set, in any order.

    Returns:
        The rank, from 0: `members(one, rank)` begins with the list.

    Raises:
        BadInput: something is not a card, or a card is given twice.
        HoldsSet: there is a set among the cards.

    >>> member_rank([4, 7, 12, 18, 19, 22, 24, 28, 41, 52, 78, 79])
    1000000000
    """
    return _member_rank(*find_least_frames(check_list(cards)))


def rank(cards: Iterable[int], catalogue: Catalogue | None = None) -> int:
    """The rank of a list among all lists of its size.

    Args:
        cards: different cards without a set, in any order.
        catalogue: where to look the class up; by default the one in memory.

    Returns:
        The rank, from 0: the inverse of `unrank`.

    Raises:
        BadInput: something is not a card, or a card is given twice.
        HoldsSet: there is a set among the cards.

    >>> rank([19, 23, 29, 40, 41, 46, 54, 58, 66, 69, 72, 79])
    1234567890123
    """
    form, leading = find_least_frames(check_list(cards))
    catalogue = catalogue or catalogue_in_memory()
    return catalogue.starts(len(form))[catalogue.of_form(form).number] + _member_rank(form, leading)


def _member_rank(form: Cards, leading: CardArray) -> int:
    """The rank within the class, from the canonical form and the frames of the list that lead there."""
    if not form:
        return 0
    dimension = leading.shape[1] - 1
    flat = subspace_number(leading[0].tolist())
    labels = np.arange(flat_size(dimension + 1), dtype=np.uint8)
    places = np.zeros(CARDS, np.uint8)
    places[enumerate_subspaces(dimension)[flat]] = labels
    # The map g from the list to the form takes the leading frame to the standard frame. What is needed is
    # the frame of g: where it takes the standard frame.
    goes = np.empty_like(labels)
    goes[span_frames(places[leading[:1]])[0]] = labels
    frame = goes[list(STANDARD_FRAME[: dimension + 1])]
    maps = stabilizer_maps(form)
    ways = _count_completions(dimension)
    within = _rank_frame(frame, maps, ways, sum_table(), difference_table())
    return flat * (int(ways[0]) // len(maps)) + int(within)


def unrank(size: int, rank: int, catalogue: Catalogue | None = None) -> Cards:
    """The list of a rank among all lists of a size.

    Args:
        size: 0 to 20.
        rank: 0 to the number of lists of this size - 1.
        catalogue: where to look the class up; by default the one in memory.

    Returns:
        The list, in ascending order.

    Raises:
        BadInput: there is no list of this size, or of this rank.

    >>> unrank(12, 1_234_567_890_123)
    (19, 23, 29, 40, 41, 46, 54, 58, 66, 69, 72, 79)
    """
    one, within = (catalogue or catalogue_in_memory()).class_at(size, rank)
    return next(members(one, within))


def _count_completions(dimension: int) -> npt.NDArray[np.int64]:
    """`counts[i]`: in how many ways i cards of a frame of this dimension can be completed."""
    return np.array([count_frames(dimension, chosen) for chosen in range(dimension + 2)], np.int64)
