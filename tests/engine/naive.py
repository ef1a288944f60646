"""Slow, obvious twins of the kernels, on sets of Python integers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from itertools import combinations, islice, permutations, product

import numpy as np

from setset.cards import CARDS, digits, third
from setset.symmetry.catalogue import Catalogue


@cache
def thirds() -> dict[tuple[int, int], int]:
    return {(a, b): third(a, b) for a in range(CARDS) for b in range(CARDS)}


def has_set(cards: Iterable[int]) -> bool:
    ordered = sorted(cards)
    return any(thirds()[a, b] == c for a, b, c in combinations(ordered, 3))


def remaining(cards: tuple[int, ...]) -> list[int]:
    """Cards above the highest card that complete no set with two cards of the list."""
    blocked = {thirds()[a, b] for a, b in combinations(cards, 2)}
    return [card for card in range(max(cards, default=-1) + 1, CARDS) if card not in blocked]


def seeds(target: int) -> Iterator[tuple[int, ...]]:
    for cards in combinations(range(CARDS - (target - 3)), 3):
        if not has_set(cards):
            yield cards


def expand(lists: Iterable[tuple[int, ...]], target: int) -> Iterator[tuple[int, ...]]:
    """The children of lists that are kept for the target, in order."""
    for cards in lists:
        for card in remaining(cards):
            child = (*cards, card)
            if len(remaining(child)) >= target - len(child):
                yield child


def below(lists: Iterable[tuple[int, ...]], target: int, size: int, limit: int) -> list[tuple[int, ...]] | None:
    """The lists of `size` cards that begin with one of some lists and are kept for the target; None if there are more
    than `most` of any size."""
    rows = list(lists)
    while rows and len(rows[0]) < size:
        rows = list(islice(expand(rows, target), limit + 1))
        if len(rows) > limit:
            return None
    return rows


def bits_of_nodes(lists: list[tuple[int, ...]]) -> list[list[list[int]]]:
    """For each depth, for each node in order, a bit for each remaining card: whether the lists go on with it."""
    prefixes = [{cards[:depth] for cards in lists} for depth in range(len(lists[0]) + 1)]
    return [
        [
            [int((*prefix, card) in prefixes[depth + 1]) for card in remaining(prefix)]
            for prefix in sorted(prefixes[depth])
        ]
        for depth in range(len(lists[0]))
    ]


def streams(lists: list[tuple[int, ...]], tail: int) -> list[list[int]]:
    """The codes and the exceptions of a batch, depth by depth, straight from the definition in docs/batch-file.md."""
    coded = [code_nodes(nodes, tail + above) for above, nodes in enumerate(reversed(bits_of_nodes(lists)))][::-1]
    return [codes for codes, _ in coded] + [exceptions for _, exceptions in coded]


def code_nodes(nodes: list[list[int]], tail: int) -> tuple[list[int], list[int]]:
    """Codes of the nodes of a depth, and the bits of the nodes without a code."""
    codes, exceptions = [], []
    for bits in nodes:
        usual = [[1] * (len(bits) - tail - code) + [0] * (tail + code) for code in range(3)]
        code = usual.index(bits) if bits in usual else 3
        codes += [code & 1, code >> 1]
        exceptions += bits if code == 3 else []
    return codes, exceptions


def remaining_by_size(largest: int) -> dict[int, np.ndarray]:
    """For each size from 4: how many lists have 0, 1, 2, ... remaining cards, over all lists there are.

    Grown card by card with numpy on masks of 81 bits, in the plain order of the cards.
    """
    table = np.array([[thirds()[a, b] for b in range(CARDS)] for a in range(CARDS)])
    bits = [np.array([(1 << c) & (2**64 - 1), (1 << c) >> 64], np.uint64) for c in range(CARDS)]
    above_card = [_mask(range(c + 1, CARDS)) for c in range(CARDS)]
    without = ~np.array(bits)
    cards = np.zeros((1, 0), np.int64)
    masks = _mask(range(CARDS))[None, :]
    counts = {}
    for size in range(1, largest + 1):
        grown, grown_masks, histogram = [], [], np.zeros(CARDS + 1, np.int64)
        for card in range(CARDS):
            selected = masks[:, card // 64] & bits[card][card // 64] != 0
            chosen, mask = cards[selected], masks[selected] & above_card[card]
            for column in range(chosen.shape[1]):
                mask &= without[table[chosen[:, column], card]]
            low, high = np.bitwise_count(mask).T
            histogram += np.bincount(low + high, minlength=CARDS + 1)
            if size < largest:
                grown.append(np.column_stack([chosen, np.full(len(chosen), card)]))
                grown_masks.append(mask)
        counts[size] = histogram
        if size < largest:
            cards, masks = np.concatenate(grown), np.concatenate(grown_masks)
    return counts


def _mask(cards: Iterable[int]) -> np.ndarray:
    word = sum(1 << card for card in cards)
    return np.array([word & (2**64 - 1), word >> 64], np.uint64)


@cache
def hyperplanes() -> list[list[frozenset[int]]]:
    """For each of the 40 directions its three hyperplanes: the cards of equal value in a linear form."""
    forms = [form for form in product(range(3), repeat=4) if next(filter(None, form), 0) == 1]
    vectors = {card: digits(card) for card in range(CARDS)}

    def value(form: tuple[int, ...], card: int) -> int:
        return sum(a * b for a, b in zip(form, vectors[card], strict=True)) % 3

    return [
        [frozenset(card for card in range(CARDS) if value(form, card) == number) for number in range(3)]
        for form in forms
    ]


@cache
def splits(target: int) -> set[tuple[int, ...]]:
    """How the lists of `target` cards split over parallel hyperplanes, by one list of each class of them."""
    return {
        tuple(sorted(len(plane & set(list_class.cards)) for plane in planes))
        for list_class in Catalogue().classes(target)
        for planes in hyperplanes()
    }


@cache
def ordered_splits(target: int) -> list[tuple[int, ...]]:
    return sorted({ordered for split in splits(target) for ordered in permutations(split)})


def may_reach(cards: tuple[int, ...], target: int) -> bool:
    """The rule of `--prune`, by its definition: in each direction some split is between what is there and may be."""
    if len(cards) >= target:
        return True
    candidates = remaining(cards)
    if len(candidates) < target - len(cards):
        return False
    hand, possible = set(cards), {*cards, *candidates}
    for planes in hyperplanes():
        bounds = [(len(plane & hand), len(plane & possible)) for plane in planes]
        if not any(
            all(least <= part <= most for part, (least, most) in zip(split, bounds, strict=True))
            for split in ordered_splits(target)
        ):
            return False
    if target < 19:
        return True
    return any(
        sum(thirds()[centre, card] not in possible for card in cards) <= unpaired(target) for centre in range(CARDS)
    )


@cache
def unpaired(target: int) -> int:
    """How many cards of a list of this size may lack their partner about the best centre, by all classes."""
    return max(
        min(sum(thirds()[centre, card] not in list_class.cards for card in list_class.cards) for centre in range(CARDS))
        for list_class in Catalogue().classes(target)
    )
