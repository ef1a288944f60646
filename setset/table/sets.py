"""Finds sets and ultra sets among cards, and explains why three cards are not a set."""

from collections import defaultdict
from dataclasses import dataclass
from itertools import combinations

from setset.cards import FEATURES, VALUES, CardsLike, Triple, check_cards, digits, sets_in, third

Pair = tuple[int, int]


@dataclass(frozen=True)
class UltraSet:
    """An ultra set: two pairs of cards that make sets with the same third card. The third card need not be on the
    table."""

    first: Pair
    second: Pair
    third: int


def find_sets(cards: CardsLike) -> list[Triple]:
    """Finds all sets among the cards.

    Args:
        cards: different cards.

    Returns:
        Each set once, in the order of their positions. The cards of a set are in the given order.

    Raises:
        BadInput: something is not a card, or a card is given twice.

    >>> find_sets([0, 40, 80, 7])
    [(0, 40, 80)]
    """
    return list(sets_in(check_cards(cards)))


def find_ultra_sets(cards: CardsLike) -> list[UltraSet]:
    """Finds all ultra sets among the cards: two pairs that make sets with the same third card.

    Args:
        cards: different cards.

    Returns:
        Each ultra set once. Ultra sets with the same third card follow each other.

    Raises:
        BadInput: something is not a card, or a card is given twice.

    >>> find_ultra_sets([1, 2, 3, 6])
    [UltraSet(first=(1, 2), second=(3, 6), third=0)]
    """
    pairs: dict[int, list[Pair]] = defaultdict(list)
    for a, b in combinations(check_cards(cards), 2):
        pairs[third(a, b)].append((a, b))
    return [
        UltraSet(first, second, shared)
        for shared, several in pairs.items()
        for first, second in combinations(several, 2)
    ]


def why_no_set(a: int, b: int, c: int) -> str | None:
    """Explains why three cards are not a set, by the first feature that prevents it.

    Args:
        a: a card.
        b: another card.
        c: a third card.

    Returns:
        The feature and its values on the three cards; None if the cards are a set.

    >>> why_no_set(0, 1, 27)
    'colour: red, red, green'
    """
    for index, feature in enumerate(FEATURES):
        values = [digits(card)[index] for card in (a, b, c)]
        if len(set(values)) == 2:
            return f"{feature}: {', '.join(VALUES[index][value] for value in values)}"
    return None
