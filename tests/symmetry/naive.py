"""Slow, obvious twins of what `setset.symmetry` does fast. Nothing here uses its tables or kernels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from itertools import combinations

import numpy as np
import numpy.typing as npt
from numba import njit

from setset.cards import CARDS, digits, from_digits, third, third_table

Hand = tuple[int, ...]
Lists = npt.NDArray[np.uint8]
Table = npt.NDArray[np.int64]

THIRD = [[third(a, b) for b in range(CARDS)] for a in range(CARDS)]
DIMENSIONS = {1: 0, 3: 1, 9: 2, 27: 3, 81: 4}
"""Dimension of a flat by its number of cards."""


def is_list(cards: Iterable[int]) -> bool:
    hand = set(cards)
    return not any(third(a, b) in hand for a, b in combinations(sorted(hand), 2))


def extensions(cards: Hand) -> list[int]:
    return [card for card in range(CARDS) if card not in cards and is_list((*cards, card))]


def through(frame: Hand, label: int) -> int:
    """Image of the card `label` under the map that takes 0, 1, 3, 9, 27 (as many as `frame` has) to `frame`."""
    origin = digits(frame[0])
    image = list(origin)
    for weight, corner in zip(reversed(digits(label)), frame[1:], strict=False):
        for index, value in enumerate(digits(corner)):
            image[index] += weight * (value - origin[index])
    return from_digits(*(value % 3 for value in image))


def frames_of(cards: Iterable[int], length: int, frame: Hand = ()) -> Iterator[Hand]:
    """All sequences of `length` of these cards in general position, in lexicographic order."""
    if len(frame) == length:
        yield frame
        return
    pool = tuple(cards)
    spanned = flat(frame)
    for card in pool:
        if card not in spanned:
            yield from frames_of(pool, length, (*frame, card))


@cache
def flat(frame: Hand) -> frozenset[int]:
    """The least set of cards that holds these and with every two cards their third."""
    flat_cards = frozenset(frame)
    while True:
        grown = flat_cards | {THIRD[a][b] for a, b in combinations(flat_cards, 2)}
        if grown == flat_cards:
            return flat_cards
        flat_cards = grown


def least(cards: Hand) -> tuple[Hand, int]:
    """The least image of one card or more, by trying all frames of these cards, and how many lead there."""
    labels = len(flat(cards))
    images = []
    for frame in frames_of(cards, DIMENSIONS[labels] + 1):
        labels_of = {through(frame, label): label for label in range(labels)}
        images.append(tuple(sorted(labels_of[card] for card in cards)))
    return min(images), images.count(min(images))


def members(form: Hand) -> Iterator[Hand]:
    """The lists that maps of its flat make of a form: by the least frames that make them, in order."""
    labels = len(flat(form))
    images = set()
    for frame in frames_of(range(labels), DIMENSIONS[labels] + 1):
        cards = tuple(label for label in range(labels) if through(frame, label) in form)
        if cards not in images:
            images.add(cards)
            yield cards


def moves(*rules: Callable[..., tuple[int, ...]]) -> list[Table]:
    """The tables of images of maps that are told by what they make of a card's digits."""
    return [
        np.array([from_digits(*(value % 3 for value in rule(*digits(card)))) for card in range(CARDS)])
        for rule in rules
    ]


AFFINE = moves(
    lambda a, b, c, d: (a, b, c, d + 1),
    lambda a, b, c, d: (a, b, c, d + c),
    lambda a, b, c, d: (b, c, d, a),
    lambda a, b, c, d: (b, a, c, d),
    lambda a, b, c, d: (a, b, c, -d),
)
"""These generate all affine maps."""

GAME = moves(
    lambda a, b, c, d: (a, b, c, d + 1),
    lambda a, b, c, d: (a, b, c, -d),
    lambda a, b, c, d: (b, c, d, a),
    lambda a, b, c, d: (b, a, c, d),
)
"""These generate the renamings of features and values."""


def fingerprint(cards: Hand) -> object:
    """The data that the fingerprint sums up, in full."""
    pairs = Counter(THIRD[a][b] for a, b in combinations(cards, 2))
    profiles = {a: sorted(pairs[THIRD[a][b]] for b in cards if b != a) for a in cards}
    outside: dict[int, list[object]] = {card: [] for card in pairs}
    for a, b in combinations(cards, 2):
        outside[THIRD[a][b]].append(sorted((profiles[a], profiles[b])))
    texts = {card: repr(sorted(records, key=repr)) for card, records in outside.items()}
    return sorted(
        repr((profiles[a], sorted((texts[THIRD[a][b]], profiles[b]) for b in cards if b != a))) for a in cards
    )


@cache
def all_lists(size: int) -> Lists:
    """Every list of a small size, a row each, in lexicographic order."""
    lists = np.array(list(combinations(range(CARDS), size)), np.uint8)
    for a, b, c in combinations(range(size), 3):
        lists = lists[third_table()[lists[:, a], lists[:, b]] != lists[:, c]]
    return lists


def orbit_labels(lists: Lists, tables: list[Table]) -> Table:
    """For each row a number: two rows share it exactly if the moves, which permute the rows, join them."""
    # a list is known by the sum over its cards
    weights = np.random.default_rng(0).integers(0, 1 << 63, CARDS)
    keys = weights[lists].sum(axis=1)
    order = np.argsort(keys)
    assert (np.diff(keys[order]) != 0).all()
    roots = np.arange(len(lists))
    for table in tables:
        images = weights[table[lists]].sum(axis=1)
        positions = np.argsort(images)
        assert np.array_equal(images[positions], keys[order])
        _join(roots, positions, order)
    labels: Table = _all_roots(roots)
    return labels


@njit
def _root(roots, row):  # type: ignore[no-untyped-def]
    while roots[row] != row:
        roots[row] = roots[roots[row]]
        row = roots[row]
    return row


@njit
def _all_roots(roots):  # type: ignore[no-untyped-def]
    return np.array([_root(roots, row) for row in range(len(roots))])


@njit
def _join(roots, firsts, seconds):  # type: ignore[no-untyped-def]
    for index in range(len(firsts)):
        first, second = _root(roots, firsts[index]), _root(roots, seconds[index])
        roots[max(first, second)] = min(first, second)


@njit
def _count_lists(hand, depth, size, blocked, third):  # type: ignore[no-untyped-def]
    """The lists that begin with `depth` cards of the hand; `blocked` counts pairs by their third card."""
    start = hand[depth - 1] + 1 if depth else 0
    count = 0
    if depth == size - 1:
        for card in range(start, 81):
            count += blocked[card] == 0
        return count
    above = 0
    for card in range(80, start - 1, -1):
        if blocked[card]:
            continue
        if depth == size - 2:
            count += above
            for index in range(depth):
                blocker = third[hand[index], card]
                count -= blocker > card and blocked[blocker] == 0
            above += 1
            continue
        hand[depth] = card
        for index in range(depth):
            blocked[third[hand[index], card]] += 1
        count += _count_lists(hand, depth + 1, size, blocked, third)
        for index in range(depth):
            blocked[third[hand[index], card]] -= 1
    return count


def count_lists(size: int) -> int:
    """Walk over all lists of a size: no symmetry is used."""
    if size == 0:
        return 1
    return int(_count_lists(np.zeros(size, np.int64), 0, size, np.zeros(CARDS, np.uint8), third_table()))
