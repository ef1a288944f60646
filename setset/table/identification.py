"""Identity of a hand: its sets, or its class and how rare that is."""

from dataclasses import dataclass

from setset.cards import Cards, CardsLike, Triple, check_cards, sets_in
from setset.lazy import Shown
from setset.symmetry.catalogue import catalogue_in_memory
from setset.symmetry.classes import Neighbour
from setset.symmetry.classification import Classification, classify
from setset.symmetry.ranking import rank


@dataclass(frozen=True)
class Rarity:
    """How common a class is among the classes of its size. A class is more common if more lists belong to it."""

    classes: int
    """Classes of the size."""
    more_common: int
    as_common: int
    """Other classes with as many lists."""
    rarer: int


@dataclass(frozen=True)
class ListIdentity:
    """A hand without a set: its class, and its place among all lists of its size."""

    classification: Classification
    lists_of_size: int
    rarity: Rarity
    rank: int
    """Rank among all lists of the size, from 0, as `unrank` takes it."""
    smaller: tuple[Neighbour, ...]
    """The classes that one card less leads to."""
    larger: tuple[Neighbour, ...]
    """The classes that one card more leads to."""


@dataclass(frozen=True)
class Identity(Shown):
    """Result of `identify`: the sets of a hand, or its list."""

    cards: Cards
    sets: tuple[Triple, ...]
    list: ListIdentity | None
    """None if there is a set among the cards."""


def identify(cards: CardsLike) -> Identity:
    """Identifies a hand: its sets; without a set its class, how rare that is, its rank, its neighbours.

    Args:
        cards: different cards, in any order.

    Raises:
        BadInput: something is not a card, or a card is given twice.

    >>> identify([0, 40, 80, 7]).sets
    ((0, 40, 80),)
    >>> found = identify([80, 3, 14, 40, 5]).list
    >>> str(found.classification.list_class), found.rarity
    ('5/2', Rarity(classes=3, more_common=0, as_common=0, rarer=2))
    """
    hand = check_cards(cards)
    sets = tuple(sets_in(hand))
    return Identity(hand, sets, None if sets else _identify_list(hand))


def _identify_list(hand: Cards) -> ListIdentity:
    found, known = classify(hand), catalogue_in_memory()
    one = found.list_class
    others = [other.lists - one.lists for other in known.classes(one.size)]
    more, fewer = sum(each > 0 for each in others), sum(each < 0 for each in others)
    rarity = Rarity(len(others), more, len(others) - more - fewer - 1, fewer)
    return ListIdentity(found, known.lists(one.size), rarity, rank(hand), known.smaller(one), known.larger(one))
