"""Which cards of a table form sets, and why others do not."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations

from setset.cards import FEATURES, VALUES, check_cards, digits, third

Triple = tuple[int, int, int]
Pair = tuple[int, int]


@dataclass(frozen=True)
class UltraSet:
    """Four cards as two pairs that the same card, on the table or not, would complete to sets."""

    first: Pair
    second: Pair
    third: int


def find_sets(cards: Iterable[int]) -> list[Triple]:
    """Every set among the cards, once: its cards in the order given, the sets in the order of places."""
    table = check_cards(cards)
    place = {card: index for index, card in enumerate(table)}
    return [
        (a, b, c)
        for (i, a), (j, b) in combinations(enumerate(table), 2)
        if place.get(c := third(a, b), -1) > j > i
    ]


def find_ultra_sets(cards: Iterable[int]) -> list[UltraSet]:
    """Every two pairs of the cards that share their third card, once, in the order of their places."""
    pairs: dict[int, list[Pair]] = defaultdict(list)
    for a, b in combinations(check_cards(cards), 2):
        pairs[third(a, b)].append((a, b))
    return [
        UltraSet(first, second, shared)
        for shared, several in pairs.items()
        for first, second in combinations(several, 2)
    ]


def why_no_set(a: int, b: int, c: int) -> str | None:
    """The first feature that spoils a set, as 'colour: red, red, green'; None if the three are a set."""
    for place, feature in enumerate(FEATURES):
        values = [digits(card)[place] for card in (a, b, c)]
        if len(set(values)) == 2:
            return f"{feature}: {', '.join(VALUES[place][value] for value in values)}"
    return None
