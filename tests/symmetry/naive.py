"""Slow, obvious twins of what `setset.symmetry` does fast. Nothing here uses its tables or kernels."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations, permutations, product

from setset.cards import CARDS, digits, from_digits, third

Hand = tuple[int, ...]


def is_list(cards: Iterable[int]) -> bool:
    held = set(cards)
    return not any(third(a, b) in held for a, b in combinations(sorted(held), 2))


def lists(size: int) -> Iterator[Hand]:
    """Every list of this size, in lexicographic order."""
    return (cards for cards in combinations(range(CARDS), size) if is_list(cards))


def extensions(cards: Hand) -> list[int]:
    return [card for card in range(CARDS) if card not in cards and is_list((*cards, card))]


def through(frame: Hand, card: int) -> int:
    """Where the map goes with `card` that takes 0, 1, 3, 9, 27 to the five cards of `frame`."""
    origin = digits(frame[0])
    image = list(origin)
    for weight, corner in zip(reversed(digits(card)), frame[1:], strict=True):
        for place, value in enumerate(digits(corner)):
            image[place] += weight * (value - origin[place])
    return from_digits(*(value % 3 for value in image))


def frames_of(cards: Iterable[int], length: int) -> Iterator[Hand]:
    """All ways to pick so many of these cards, in order, in general position."""
    for frame in permutations(cards, length):
        if len(flat(frame)) == 3 ** (length - 1):
            yield frame


def flat(cards: Hand) -> set[int]:
    """The least set of cards that holds these and with every two cards their third."""
    closed = set(cards)
    while True:
        grown = closed | {third(a, b) for a, b in combinations(closed, 2)}
        if grown == closed:
            return closed
        closed = grown


def least(cards: Hand) -> Hand:
    """The least image of a list that spans AG(4,3), by trying every frame of its own cards."""
    best: Hand | None = None
    for frame in frames_of(cards, 5):
        back = {through(frame, label): label for label in range(CARDS)}
        image = tuple(sorted(back[card] for card in cards))
        if best is None or image < best:
            best = image
    assert best is not None
    return best


def generators() -> list[list[int]]:
    """Maps that generate all affine maps: a step, adding one feature to another, exchanges, a sign."""
    def table(move: object) -> list[int]:
        return [from_digits(*(value % 3 for value in move(*digits(card)))) for card in range(CARDS)]  # type: ignore[operator]

    return [
        table(lambda a, b, c, d: (a, b, c, d + 1)),
        table(lambda a, b, c, d: (a, b, c, d + c)),
        table(lambda a, b, c, d: (b, c, d, a)),
        table(lambda a, b, c, d: (b, a, c, d)),
        table(lambda a, b, c, d: (a, b, c, -d)),
    ]


def game_symmetries() -> list[list[int]]:
    """The 4! * 3!**4 renamings of features and values, each as the table of its images."""
    renamings = list(permutations(range(3)))
    tables = []
    for order in permutations(range(4)):
        for names in product(renamings, repeat=4):
            tables.append(
                [
                    from_digits(*(names[place][digits(card)[order[place]]] for place in range(4)))
                    for card in range(CARDS)
                ]
            )
    return tables


def orbits(lists: Iterable[Hand], moves: list[list[int]]) -> list[set[Hand]]:
    """The classes into which the moves join the lists."""
    left = set(lists)
    found = []
    while left:
        orbit = {left.pop()}
        fresh = list(orbit)
        while fresh:
            cards = fresh.pop()
            for move in moves:
                image = tuple(sorted(move[card] for card in cards))
                if image not in orbit:
                    orbit.add(image)
                    fresh.append(image)
        left -= orbit
        found.append(orbit)
    return found
