"""The search for the least list of a class. `geometry.py` defines flats, frames and labels. `canonical.py` explains
which frames the search tries, and why these frames are enough.

The same source runs interpreted and compiled. Interpreted, on Python lists, a search takes milliseconds, less than
loading numba takes. Compiled by `least.py`, on arrays, a search takes microseconds. So that both work, the code reads
tables as `table[a][b]`, and gets scratch space from `zeros`, which `least.py` replaces.

The whole search is in this file, because numba's cache does not notice a change in another module.
"""

from typing import Any

WIDTHS = (0, 1, 3, 9, 27)
"""Number of cards in the flat (affine subspace) that a frame of 0, 1, 2, 3 or 4 cards spans. The same five numbers are
the cards of the standard frame."""
UNKNOWN = -1
"""Value of a label that the best list so far does not determine. The search prefers greater values, so the values 0
(label not in the list) and 1 (label in the list) both replace UNKNOWN."""


def zeros(length: int) -> Any:
    """Makes scratch space filled with 0: a Python list, or a numpy array in compiled code."""
    return [0] * length


def span_dimension(cards: Any, total: Any, minus: Any) -> Any:
    """Dimension of the flat (affine subspace) that the cards span; -1 for no cards."""
    points = zeros(81)
    spanned = zeros(81)
    width = 0
    dimension = -1
    for card in cards:
        if spanned[card]:
            continue
        shift = total[minus[card][points[0]]]
        for label in range(width, max(3 * width, 1)):
            points[label] = shift[points[label - width]] if width else card
            spanned[points[label]] = 1
        width = max(3 * width, 1)
        dimension += 1
    return dimension


def count_parallels(cards: Any, minus: Any) -> Any:
    """Counts the ordered pairs of cards (a, b) by their step, the difference b - a. Returns the counts, and the
    smaller of 3 and the greatest count."""
    parallels = zeros(81)
    most = 0
    for a in cards:
        for b in cards:
            if a != b:
                step = minus[b][a]
                parallels[step] += 1
                most = max(most, min(parallels[step], 3))
    return parallels, most


def holds_set(cards: Any, inside: Any, total: Any, minus: Any) -> Any:
    """Whether there is a set among the cards."""
    for a in cards:
        for b in cards:
            if a != b and inside[total[b][minus[b][a]]]:
                return True
    return False


def find_parallels(cards: Any, inside: Any, shift: Any, parallel: Any) -> Any:
    """Writes to `parallel` each card of the list for which `shift[card]` is also in the list. Returns the number of
    these cards."""
    number = 0
    for card in cards:
        if inside[shift[card]]:
            parallel[number] = card
            number += 1
    return number


def start_best(form: Any, form_given: Any) -> Any:
    """Makes the array of the best list so far, with a value per label: 1 if the list has the label, otherwise 0.

    If `form_given`, the list is `form`. Otherwise no list is known: label 0 has the value 1, all other labels UNKNOWN.
    """
    best = zeros(81)
    for label in range(1, 81):
        best[label] = 0 if form_given else UNKNOWN
    if form_given:
        for label in form:
            best[label] = 1
    best[0] = 1
    return best


def write_form(best: Any, form: Any) -> None:
    """Writes to `form` the cards of the least list, which are the labels at which `best` is 1."""
    index = 0
    for label in range(81):
        if best[label] == 1:
            form[index] = label
            index += 1


def label_and_compare(width: Any, shift: Any, inside: Any, points: Any, labels: Any, best: Any) -> Any:
    """Extends a flat (affine subspace) of `width` cards to three times as many cards. Labels the new cards, and
    compares their values with the best list so far. A card of the list has the value 1, any other card 0.

    The new cards are `shift[card]` for each card of the flat, then `shift[shift[card]]`. Returns 0 if their values
    equal the values in `best`. Otherwise the first different value decides. If it is less, stops and returns -1. If it
    is greater, the values replace the values in `best`, all later labels become UNKNOWN, and the function returns 1.
    """
    end = width + width + width
    verdict = 0
    for label in range(width, end):
        point = shift[points[label - width]]
        taken = inside[point]
        if verdict == 0 and taken != best[label]:
            if taken < best[label]:
                return -1
            verdict = 1
        if verdict:
            best[label] = taken
        points[label] = point
        if taken:
            labels[point] = label
    if verdict:
        for label in range(end, 81):
            best[label] = UNKNOWN
    return verdict


def find_least(cards: Any, form: Any, form_given: Any, frames: Any, total: Any, minus: Any) -> Any:
    """Finds the least list that a map takes `cards` to, and writes it to `form`. Returns (dimension, count).

    `dimension` is the dimension of the flat (affine subspace) that the cards span. A frame of these cards leads to
    the least list if the map that takes the frame to the standard frame takes `cards` to the least list. `count` is the
    number of such frames, and also the number of maps of the flat that keep `cards`. The search writes the first of
    these frames to `frames`, one per row, until `frames` is full.

    If `form_given`, the caller gives the least list in `form`, and the search only finds the frames, which is faster.
    If `frames` then has only one row, the search ends at the first frame. If no map takes `cards` to `form`, the count
    is 0.
    """
    dimension = span_dimension(cards, total, minus)
    if dimension < 0:
        return dimension, 1
    inside, points, parallel = zeros(81), zeros(81), zeros(81)
    for card in cards:
        inside[card] = 1
    labels = zeros(81)  # labels of the cards of the list; a label is valid only if points[labels[card]] == card
    frame, turn = zeros(5), zeros(5)
    parallels, most = count_parallels(cards, minus)
    if holds_set(cards, inside, total, minus):
        most = 1  # no frame may be skipped: the proof in `canonical.py` holds only for cards without a set
    alike, _ = count_parallels(form, minus)
    best = start_best(form, form_given)
    starts = count = depth = 0
    while depth >= 0:
        from_parallel = 2 <= depth <= most
        if turn[depth] == (starts if from_parallel else len(cards)):
            turn[depth] = 0
            depth -= 1
            continue
        card = parallel[turn[depth]] if from_parallel else cards[turn[depth]]
        turn[depth] += 1
        frame[depth] = card
        if depth == 0:
            points[0] = card
            labels[card] = 0
        else:
            width = WIDTHS[depth]
            if labels[card] < width and points[labels[card]] == card:
                continue
            step = minus[card][points[0]]
            shift = total[step]
            # A map to `form` takes pairs of `cards` with this step to pairs of `form` with the step `width`.
            if form_given and parallels[step] != alike[width]:
                continue
            if depth == 1:
                if parallels[step] < most:
                    continue
                starts = find_parallels(cards, inside, shift, parallel)
            # With three parallels, labels 9, 10 and 11 are alike in all tries; 12 is the first that can be worse.
            elif depth == most == 3 and inside[shift[points[3]]] < best[12]:
                continue
            verdict = label_and_compare(width, shift, inside, points, labels, best)
            if verdict < 0:
                continue
            if verdict > 0:
                if form_given:
                    return dimension, 0
                count = 0
        if depth < dimension:
            depth += 1
            continue
        if count < len(frames):
            for column in range(5):
                frames[count, column] = frame[column]
        count += 1
        if form_given and len(frames) == 1:
            break
    if not form_given:
        write_form(best, form)
    return dimension, count


def find_least_of_each(
    lists: Any, forms: Any, form_given: Any, frames: Any, dimensions: Any, counts: Any, total: Any, minus: Any
) -> None:
    """Calls `find_least` for each row of `lists`."""
    for row in range(len(lists)):
        dimensions[row], counts[row] = find_least(lists[row], forms[row], form_given, frames[row], total, minus)
