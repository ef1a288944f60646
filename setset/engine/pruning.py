"""Lists that cannot reach their target, by the position of a cap in hyperplanes; docs/pruning.md explains why.

A *direction* is one of the 40 ways to cut the 81 cards into three parallel hyperplanes of 27 cards. A list of T cards
without a set has at most 9 cards in each. Its *split*, the number of cards in each of the three, is one of `SPLITS`.

**The rule.** Let a list of n < T cards have c cards in a hyperplane, and let r of its remaining cards lie there. A list
of T cards that begins with it has at least c and at most c + r cards there. So in every direction there must be a split
with c <= s <= c + r for each of the three hyperplanes; otherwise the list is dropped. Whoever takes cards away from a
list only widens the bounds: if a list passes, so does every list that it begins with. For targets 19 and 20 there must
also be a centre: see `UNPAIRED`.

**The tables.** What the kernel needs, in one array, at the places that `kernels` names. A hyperplane of a list is
looked up under 32 c + r. For targets whose every split with parts of at most 9 is possible (all up to 18), the most
cards it may hold is found there, and the three must add up to T or more. Otherwise it is the set of the splits, in
order, that allow it, and the three must have one in common.
"""

from collections.abc import Iterator
from functools import cache
from itertools import product

import numpy as np
import numpy.typing as npt

from setset.cards import CARDS, digits, third_table

MOST = 9
"""Cards without a set in a hyperplane."""

SPLITS = {19: ((1, 9, 9), (2, 8, 9), (5, 6, 8), (6, 6, 7)), 20: ((2, 9, 9), (6, 6, 8))}
"""Splits of the largest lists, by the catalogue of all classes. In every smaller size all splits occur. A test derives
both facts from the classes in the package."""


UNPAIRED = {19: 1, 20: 0}
"""Number of cards without a partner about the centre. Each list of 20 cards is symmetric about some card, its centre:
it has the partner third(centre, a) of each of its cards a. A list of 19 has the partners of all its cards except one. A
test derives this from the classes too. Smaller lists need no centre."""


def ordered_splits(target: int) -> Iterator[tuple[int, int, int]]:
    """All possible splits of a list of `target` cards over three hyperplanes, in order."""
    for first, second in product(range(MOST + 1), repeat=2):
        split = first, second, target - first - second
        if 0 <= split[2] <= MOST and (target not in SPLITS or tuple(sorted(split)) in SPLITS[target]):
            yield split


@cache
def values() -> npt.NDArray[np.uint8]:
    """Hyperplane (0 to 2) of each card, a row per direction: the 40 linear forms up to sign."""
    places = np.array([digits(card) for card in range(CARDS)], np.uint8)
    forms = [row for row in places.tolist() if next(filter(None, row), 0) == 1]
    return np.array(forms, np.uint8) @ places.T % 3


@cache
def rule_tables(target: int) -> npt.NDArray[np.uint64]:
    """Rule of a target, as `kernels.expand` takes it."""
    from setset.engine import kernels as k  # the compiler, which an estimate does not wait for

    table = np.zeros(k.RULE_WORDS, np.uint64)
    for direction, row in enumerate(values()):
        for plane in range(2):
            cards = sum(1 << int(card) for card in np.flatnonzero(row == plane))
            table[k.PLANE_LOW + 2 * direction + plane] = cards & ((1 << k.LOW) - 1)
            table[k.PLANE_HIGH + 2 * direction + plane] = cards >> k.LOW
        for card in range(CARDS):
            table[k.STEP + CARDS * direction + card] = k.ONE_MORE << (int(k.FIELD) * int(row[card]))
    for plane, here, more in product(range(3), range(MOST + 1), range(k.ONE_MORE)):
        table[k.ALLOWED + k.PLACES * plane + k.ONE_MORE * here + more] = _allowed(target, plane, here, here + more)
    if target in UNPAIRED:
        table[k.UNPAIRED] = UNPAIRED[target] + 1
    thirds = np.zeros(8 * (k.RULE_WORDS - k.THIRDS), np.uint8)
    thirds[: CARDS * CARDS] = third_table().astype(np.uint8).reshape(-1)
    table[k.THIRDS :] = thirds.view("<u8")
    return table


def _allowed(target: int, plane: int, least: int, most: int) -> int:
    if target not in SPLITS:
        return min(most, MOST)
    splits = enumerate(ordered_splits(target))
    return sum(1 << bit for bit, split in splits if least <= split[plane] <= most)


def adds_up(target: int) -> bool:
    """Whether the table entries of three hyperplanes are added, since all splits are possible."""
    return target not in SPLITS


def may_reach(cards: npt.NDArray[np.uint8], remaining: npt.NDArray[np.uint64], target: int) -> npt.NDArray[np.bool_]:
    """Whether each list of one size passes the rule. Needs no compiler; for samples.

    Args:
        cards: The cards of the lists, a row per list.
        remaining: The remaining cards of each list: bits 0 to 80 of two words.
        target: Larger than the size of the lists.
    """
    splits = np.array(list(ordered_splits(target)), np.int64)
    alive = np.arange(len(cards))
    for row in values():
        here = row[cards[alive]]
        least = np.stack([(here == plane).sum(axis=1) for plane in range(3)], axis=1)
        words = [sum(1 << int(card) for card in np.flatnonzero(row == plane)) for plane in range(3)]
        masks = np.array([[word & (2**64 - 1), word >> 64] for word in words], np.uint64)
        most = least + np.bitwise_count(remaining[alive, None, :] & masks).sum(axis=2, dtype=np.int64)
        if adds_up(target):
            passing = np.minimum(most, MOST).sum(axis=1) >= target
        else:
            between = (least[:, None, :] <= splits) & (splits <= most[:, None, :])
            passing = between.all(axis=2).any(axis=1)
        alive = alive[passing]
    if target in UNPAIRED:
        alive = alive[_has_centre(cards[alive], remaining[alive], UNPAIRED[target])]
    found = np.zeros(len(cards), bool)
    found[alive] = True
    return found


def _has_centre(
    cards: npt.NDArray[np.uint8], remaining: npt.NDArray[np.uint64], unpaired: int
) -> npt.NDArray[np.bool_]:
    octets = remaining.astype("<u8", copy=False).view(np.uint8)
    there = np.unpackbits(octets, axis=1, bitorder="little", count=CARDS).astype(bool)
    np.put_along_axis(there, cards.astype(np.intp), True, axis=1)
    rows = np.arange(len(cards))[:, None]
    found = np.zeros(len(cards), bool)
    for partners in third_table():
        found |= (~there[rows, partners[cards]]).sum(axis=1) <= unpaired
    return found
