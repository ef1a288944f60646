"""Compiled enumeration of the lists of a class. The module `ranking` defines the order and proves that no list
repeats."""

import numpy as np

from setset.compiler import njit


@njit(cache=True)
def _extend_frame(depth, card, points, total, minus):  # type: ignore[no-untyped-def]
    """Adds a card to a frame. Labels the new cards of the flat (affine subspace) that the frame spans. Returns the
    number of cards in the flat."""
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
    """Finds the orbits of a group of maps on the cards outside a flat, the affine subspace with the cards
    `points[:width]`. Returns the number of orbits.

    Writes the least cards of the orbits, ascending, to `firsts`, and the sizes of the orbits to `sizes`.
    """
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
        for index in range(order):
            image = maps[group[index], card]
            if not seen[image]:
                seen[image] = True
                sizes[count] += 1
        count += 1
    return count


@njit(cache=True)
def _keep_fixing(maps, group, order, card, smaller):  # type: ignore[no-untyped-def]
    """Copies to `smaller` the maps of a group that fix a card. Returns the number of copied maps."""
    kept = 0
    for index in range(order):
        if maps[group[index], card] == card:
            smaller[kept] = group[index]
            kept += 1
    return kept


@njit(cache=True)
def _find_layers(cards_inside, points, width, minus, layers, counts):  # type: ignore[no-untyped-def]
    """Finds, for each difference s, the cards p of a flat for which p + s is in the canonical form R. Writes the labels
    of these cards, 0 to `width` - 1, ascending, to `layers[s]`.

    All cards of a frame except its last card span the flat. Let the last card be the first card plus s. Then the list
    that belongs to the frame (see `ranking.py`) has the labels in `layers[0]`, the labels in `layers[s]` plus `width`,
    and the labels in `layers[2s]` plus 2 `width`.
    """
    counts[:] = 0
    for label in range(width):
        point = points[label]
        for card in cards_inside:
            step = minus[card, point]
            layers[step, counts[step]] = label
            counts[step] += 1


@njit(cache=True)
def fill_members(start, cards_inside, maps, ways, lists, total, minus):  # type: ignore[no-untyped-def]
    """Fills the rows of `lists` with the lists of ranks `start`, `start` + 1, and so on. Returns the number of rows.

    `cards_inside` is the canonical form R. `ways[i]` is the number of ways to complete i cards to a whole frame.
    """
    dimension = len(ways) - 2
    cards = maps.shape[1]
    if dimension == 0:
        lists[0, 0] = 0
        return 1
    groups = np.zeros((dimension + 1, len(maps)), np.int64)
    groups[0] = np.arange(len(maps))
    orders = np.full(dimension + 1, len(maps), np.int64)
    firsts = np.zeros((dimension + 1, cards), np.uint8)
    sizes = np.zeros((dimension + 1, cards), np.int64)
    ends = np.zeros(dimension + 1, np.int64)
    turn = np.zeros(dimension + 1, np.int64)
    points = np.zeros(cards, np.uint8)
    layers = np.zeros((cards, len(cards_inside)), np.uint8)
    counts = np.zeros(cards, np.int64)
    ends[0] = _find_orbits(maps, groups[0], orders[0], points, 0, firsts[0], sizes[0])
    skip = start
    row = 0
    depth = 0
    width = 0
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
        if depth < dimension:
            width = _extend_frame(depth, card, points, total, minus)
            orders[depth + 1] = _keep_fixing(maps, groups[depth], orders[depth], card, groups[depth + 1])
            depth += 1
            turn[depth] = 0
            ends[depth] = _find_orbits(maps, groups[depth], orders[depth], points, width, firsts[depth], sizes[depth])
            if depth == dimension:
                _find_layers(cards_inside, points, width, minus, layers, counts)
            continue
        second = minus[card, points[0]]
        third = total[second, second]
        column = 0
        for number in range(counts[0]):
            lists[row, column] = layers[0, number]
            column += 1
        for number in range(counts[second]):
            lists[row, column] = layers[second, number] + width
            column += 1
        for number in range(counts[third]):
            lists[row, column] = layers[third, number] + 2 * width
            column += 1
        row += 1
    return row
