"""Compiled count of the ways to add cards to a hand, by the resulting number of sets.

For each card outside the hand, `pairs` is the number of pairs of cards in the hand that the outside card completes to a
set. So adding the outside card adds this number of sets. Adding a card changes `pairs` only at the third cards of the
new pairs. `tally[p]` is the number of outside cards with `pairs` equal to p. For the last two added cards, `tally`
replaces a loop over all pairs of outside cards.
"""

from typing import Any

import numpy as np

from setset.compiler import njit


@njit(cache=True)
def _move_pairs(hand: Any, size: Any, card: Any, change: Any, inside: Any, pairs: Any, tally: Any, third: Any) -> None:
    """Updates `pairs` and `tally` when `card` joins or leaves the hand. Adds `change` to the `pairs` of an outside card
    for each set of this card, `card` and one of the first `size` cards of the hand."""
    for index in range(size):
        third_card = third[card, hand[index]]
        if not inside[third_card]:
            tally[pairs[third_card]] -= 1
            pairs[third_card] += change
            tally[pairs[third_card]] += 1


@njit(cache=True)
def _add(hand: Any, size: Any, card: Any, inside: Any, pairs: Any, tally: Any, third: Any) -> Any:
    """Adds a card to the hand; returns the number of new sets."""
    inside[card] = True
    tally[pairs[card]] -= 1
    _move_pairs(hand, size, card, 1, inside, pairs, tally, third)
    hand[size] = card
    return pairs[card]


@njit(cache=True)
def _remove_last(hand: Any, size: Any, inside: Any, pairs: Any, tally: Any, third: Any) -> Any:
    """Removes the last added card from a hand of `size` cards. Returns the number of removed sets."""
    card = hand[size - 1]
    _move_pairs(hand, size - 1, card, -1, inside, pairs, tally, third)
    inside[card] = False
    tally[pairs[card]] += 1
    return pairs[card]


@njit(cache=True)
def _count_last_two(hand: Any, size: Any, sets: Any, inside: Any, pairs: Any, tally: Any, third: Any, out: Any) -> None:
    """Adds to `out[k]` the number of ways to add two cards to the hand so that the hand then holds k sets.

    Two outside cards x and y add pairs[x] + pairs[y] sets, and one more set if their third card is in the hand. The
    first loop takes from `tally` the number of x, y for each value of pairs[x] + pairs[y]. The second loop corrects
    these numbers for each x, y whose third card is in the hand.
    """
    for p in range(len(tally)):
        if tally[p]:
            out[sets + 2 * p] += tally[p] * (tally[p] - 1) // 2
            for q in range(p):
                out[sets + p + q] += tally[p] * tally[q]
    for x in range(81):
        if inside[x]:
            continue
        for index in range(size):
            y = third[x, hand[index]]
            if x < y and not inside[y]:
                out[sets + pairs[x] + pairs[y]] -= 1
                out[sets + pairs[x] + pairs[y] + 1] += 1


@njit(cache=True, nogil=True)
def count_sets(rows: Any, groups: Any, more: Any, third: Any, counts: Any) -> None:
    """For each hand (one per row) and each k, counts the ways to add `more` cards so that the hand then holds k sets.
    Adds this number to `counts[groups[row], k]`, so hands of one group share a row of `counts`.

    Counts each choice of `more` cards C(more, 2) times, because any two of them may be the last two added cards.
    """
    start = rows.shape[1]
    last = start + more - 2
    hand = np.zeros(last + 1, np.uint8)
    for row in range(len(rows)):
        inside = np.zeros(81, np.bool_)
        pairs = np.zeros(81, np.int64)
        tally = np.zeros(last + 2, np.int64)
        tally[0] = 81
        sets = 0
        for size in range(start):
            sets += _add(hand, size, rows[row, size], inside, pairs, tally, third)
        size = start
        card = 0
        while True:
            if size == last:
                _count_last_two(hand, size, sets, inside, pairs, tally, third, counts[groups[row]])
                card = 81
            while card < 81 and inside[card]:
                card += 1
            if card < 81:
                sets += _add(hand, size, card, inside, pairs, tally, third)
                size += 1
                card += 1
                continue
            if size == start:
                break
            card = hand[size - 1] + 1
            sets -= _remove_last(hand, size, inside, pairs, tally, third)
            size -= 1
