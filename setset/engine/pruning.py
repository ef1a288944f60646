"""The rule that drops lists which cannot reach the target, by their cards in hyperplanes; see docs/pruning.md.

A *direction* is one of the 40 ways to cut the 81 cards into three parallel hyperplanes of 27 cards. A list of T cards
without a set has at most 9 cards in each hyperplane. Its *split* in a direction is the number of its cards in each of
the three hyperplanes.

**The rule.** Let a list of n < T cards have c cards in a hyperplane, and let r of its remaining cards lie there. A list
of T cards that begins with it has at least c and at most c + r cards there. So in every direction there must be a
possible split with c <= s <= c + r in each of the three hyperplanes, where s is the split's number of cards there.
Otherwise the list is dropped.
Removing cards from a list only widens the bounds. So if a list passes, every list that it begins with passes too. For
targets 19 and 20 there must also be a centre: see `UNPAIRED`.

**The tables.** The kernel gets one array, with the offsets that `kernels` names. The entry for a hyperplane is at index
32 c + r. For targets up to 18, every split with numbers of at most 9 is possible. Then the entry is the smaller of c +
r and 9, and the three entries must add up to T or more. For 19 and 20, the entry is a bitmask of the possible splits
with c <= s <= c + r, and the three bitmasks must have a split in common.
"""

from collections.abc import Iterator
from functools import cache
from itertools import product

import numpy as np
import numpy.typing as npt

from setset.cards import CARDS, digits, third_table

MOST = 9
"""Maximum number of cards that a hand without a set has in one hyperplane."""

SPLITS = {19: ((1, 9, 9), (2, 8, 9), (5, 6, 8), (6, 6, 7)), 20: ((2, 9, 9), (6, 6, 8))}
"""Possible splits of the largest lists: numbers of cards in three parallel hyperplanes, ascending. For smaller sizes,
every split with numbers of at most `MOST` is possible. A test derives both facts from the classes in the package."""


UNPAIRED = {19: 1, 20: 0}
"""Maximum number of cards without a partner, by the size of the list. Each list of 20 cards is symmetric about some
card, its *centre*: for each card a of the list, the list also has its *partner* third(centre, a). Each list of 19 cards
has a centre for which only one card has no partner. A test derives both facts from the classes in the package. For
smaller targets the rule demands no centre."""


def ordered_splits(target: int) -> Iterator[tuple[int, int, int]]:
    """Yields in lexicographic order all possible splits of a list of `target` cards: numbers of its cards in three
    parallel hyperplanes."""
    for first, second in product(range(MOST + 1), repeat=2):
        split = first, second, target - first - second
        if 0 <= split[2] <= MOST and (target not in SPLITS or tuple(sorted(split)) in SPLITS[target]):
            yield split


@cache
def values() -> npt.NDArray[np.uint8]:
    """For each direction (row) and each card (column), the number 0 to 2 of the card's hyperplane. The number is a
    linear form of the card's digits, modulo 3. Two forms that differ only in sign have the same hyperplanes, so only
    one of them is used."""
    card_digits = np.array([digits(card) for card in range(CARDS)], np.uint8)
    forms = [row for row in card_digits.tolist() if next(filter(None, row), 0) == 1]
    return np.array(forms, np.uint8) @ card_digits.T % 3


@cache
def rule_tables(target: int) -> npt.NDArray[np.uint64]:
    """Tables of the pruning rule for a target, as `kernels.expand` takes them."""
    from setset.engine import kernels as k  # loads the compiler, which an estimate does not need

    table = np.zeros(k.RULE_WORDS, np.uint64)
    for direction, row in enumerate(values()):
        for plane in range(2):
            cards = sum(1 << int(card) for card in np.flatnonzero(row == plane))
            table[k.PLANE_LOW + 2 * direction + plane] = cards & ((1 << k.LOW) - 1)
            table[k.PLANE_HIGH + 2 * direction + plane] = cards >> k.LOW
        for card in range(CARDS):
            table[k.STEP + CARDS * direction + card] = k.ONE_MORE << (int(k.FIELD) * int(row[card]))
    for plane, held, more in product(range(3), range(MOST + 1), range(k.ONE_MORE)):
        table[k.ALLOWED + k.PLACES * plane + k.ONE_MORE * held + more] = _allowed(target, plane, held, held + more)
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
    """Whether all splits (numbers of cards in three parallel hyperplanes) are possible for a target. If so, the rule
    adds up the table entries of the three hyperplanes."""
    return target not in SPLITS


def may_reach(cards: npt.NDArray[np.uint8], remaining: npt.NDArray[np.uint64], target: int) -> npt.NDArray[np.bool_]:
    """Whether each list may reach the target, by the pruning rule. Uses numpy instead of a kernel, because the estimate
    must not wait for a compiler.

    Args:
        cards: Lists of one size, a list per row.
        remaining: Bitmask of the remaining cards of each list, two words per list.
        target: Larger than the size of the lists.
    """
    splits = np.array(list(ordered_splits(target)), np.int64)
    alive = np.arange(len(cards))
    for row in values():
        planes = row[cards[alive]]
        least = np.stack([(planes == plane).sum(axis=1) for plane in range(3)], axis=1)
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
    passed = np.zeros(len(cards), bool)
    passed[alive] = True
    return passed


def _has_centre(
    cards: npt.NDArray[np.uint8], remaining: npt.NDArray[np.uint64], unpaired: int
) -> npt.NDArray[np.bool_]:
    octets = remaining.astype("<u8", copy=False).view(np.uint8)
    present = np.unpackbits(octets, axis=1, bitorder="little", count=CARDS).astype(bool)
    np.put_along_axis(present, cards.astype(np.intp), True, axis=1)
    rows = np.arange(len(cards))[:, None]
    centred = np.zeros(len(cards), bool)
    for partners in third_table():
        centred |= (~present[rows, partners[cards]]).sum(axis=1) <= unpaired
    return centred
