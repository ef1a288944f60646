"""All lists of a class in order, and the place of each (kernels; `ranking` is the door).

Let R be the canonical form of the class and H the maps of its flat that keep R. Each map g of the flat makes
of R the list g^-1(R), and g, g' make the same list if and only if g' = hg for an h in H. A map is known by
the frame F = (g(0), g(1), g(3), ...), and hg by h(F), so

    the lists of the class are the orbits of H on the frames,

and each orbit is represented by its least frame. Only the identity takes a frame to itself, which makes
everything countable: if K are the maps in H that fix the first i cards of F, then the orbits of frames that
begin like F are as many as the ways to carry on, divided by the order of K. The least frames are found card
by card: the next card is the least of its orbit under K, and then K shrinks to the maps that fix it too.
"""

from __future__ import annotations

import numpy as np
from numba import njit


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
def _orbits(maps, group, order, points, width, firsts, sizes):  # type: ignore[no-untyped-def]
    """The least cards, in order, and the sizes of the group's orbits outside the flat of the frame so far."""
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
def _fixing(maps, group, order, card, smaller):  # type: ignore[no-untyped-def]
    """Copy to `smaller` those of the group that fix the card; returns how many."""
    kept = 0
    for place in range(order):
        if maps[group[place], card] == card:
            smaller[kept] = group[place]
            kept += 1
    return kept


@njit(cache=True)
def _walk(start, inside, maps, ways, lists, total, minus):  # type: ignore[no-untyped-def]
    """Fill `lists` with the lists of ranks `start`, `start` + 1, ...; returns how many there were.

    `inside` marks the cards of R, `ways[i]` counts the ways to carry on i cards of a frame to the end.
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
    ends[0] = _orbits(maps, groups[0], orders[0], points, 0, firsts[0], sizes[0])
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
            orders[depth + 1] = _fixing(maps, groups[depth], orders[depth], card, groups[depth + 1])
            depth += 1
            turn[depth] = 0
            ends[depth] = _orbits(
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
def _place(frame, maps, ways, total, minus):  # type: ignore[no-untyped-def]
    """The rank of the list that a frame stands for; the frame is moved to the least of its orbit."""
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
        count = _orbits(maps, group, order, points, width, firsts, sizes)
        for orbit in range(count):
            if firsts[orbit] < frame[depth]:
                rank += ways[depth + 1] * sizes[orbit] // order
        order = _fixing(maps, group, order, frame[depth], group)
        width = _extend_frame(depth, frame[depth], points, total, minus)
    return rank
