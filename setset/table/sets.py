"""Sets among the cards of a table, and the reason why three cards are not a set."""

from collections import defaultdict
from dataclasses import dataclass
from itertools import combinations

from setset.cards import FEATURES, VALUES, CardsLike, Triple, check_cards, digits, sets_in, third

Pair = tuple[int, int]


@dataclass(frozen=True)
class UltraSet:
    """Two pairs of cards that the same third card completes to sets. The third card need not be on the table."""

    first: Pair
    second: Pair
    third: int


def find_sets(cards: CardsLike) -> list[Triple]:
    """Every set among the cards, once.

    Args:
        cards: different cards.

    Returns:
        The sets in the order of their positions, the cards of each set in the order given.

    Raises:
        BadInput: something is not a card, or a card is given twice.

    >>> find_sets([0, 40, 80, 7])
    [(0, 40, 80)]
    """
    return list(sets_in(check_cards(cards)))


def find_ultra_sets(cards: CardsLike) -> list[UltraSet]:
    """Every two pairs of the cards that have the same third card, once.

    Args:
        cards: different cards.

    Returns:
        The ultra sets in the order of their positions.

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
    """The first feature that prevents three cards from being a set.

    Args:
        a: a card.
        b: another card.
        c: a third card.

    Returns:
        The feature and its three values; None if the cards are a set.

    >>> why_no_set(0, 1, 27)
    'colour: red, red, green'
    """
    for index, feature in enumerate(FEATURES):
        values = [digits(card)[index] for card in (a, b, c)]
        if len(set(values)) == 2:
            return f"{feature}: {', '.join(VALUES[index][value] for value in values)}"
    return None
