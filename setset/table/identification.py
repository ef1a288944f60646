"""Identification of a hand: its sets, or its class and the rarity of the class."""

from collections.abc import Sequence
from dataclasses import dataclass

from setset.cards import Cards, CardsLike, Triple, check_cards, check_deck, sets_in
from setset.lazy import Shown
from setset.spaces.decks import Deck
from setset.symmetry.catalogue import catalogue_in_memory
from setset.symmetry.classes import ListClass, Neighbour
from setset.symmetry.classification import Classification, classify
from setset.symmetry.ranking import rank


@dataclass(frozen=True)
class Rarity:
    """Rarity of a class among the classes of its size. A class is more common if more lists belong to it."""

    classes: int
    """Number of classes of the size."""
    more_common: int
    as_common: int
    """Number of other classes with as many lists."""
    rarer: int


@dataclass(frozen=True)
class ListIdentity:
    """A hand without a set: its class, and its rank among all lists of its size."""

    classification: Classification
    lists_of_size: int
    rarity: Rarity
    rank: int
    """Rank among all lists of the size, from 0, as `unrank` takes it; in a smaller deck in lexicographic order."""
    smaller: tuple[Neighbour, ...]
    """Classes that removing one card leads to."""
    larger: tuple[Neighbour, ...]
    """Classes that adding one card leads to."""


@dataclass(frozen=True)
class Identity(Shown):
    """Result of `identify`: the sets of a hand, or if it has none, its class and rank."""

    cards: Cards
    sets: tuple[Triple, ...]
    list: ListIdentity | None
    """None if there is a set among the cards."""


def identify(cards: CardsLike, dimension: int = 4) -> Identity:
    """Finds the sets of a hand; if it has none, its class, the rarity of the class, its rank and its neighbours.

    Args:
        cards: different cards, in any order.
        dimension: the number of features: 4, or 3 for the Junior deck of 27 cards, or 2 for a deck of 9.

    Raises:
        BadInput: something is not a card of this deck, or a card is given twice.

    >>> identify([0, 40, 80, 7]).sets
    ((0, 40, 80),)
    >>> identity = identify([80, 3, 14, 40, 5]).list
    >>> str(identity.classification.list_class), identity.rarity
    ('5/2', Rarity(classes=3, more_common=0, as_common=0, rarer=2))
    """
    hand = check_deck(check_cards(cards), dimension)
    sets = tuple(sets_in(hand))
    return Identity(hand, sets, None if sets else _identify_list(hand, dimension))


def _identify_list(hand: Cards, dimension: int) -> ListIdentity:
    if dimension != 4:
        deck = Deck(dimension)
        classification, size = deck.classify(hand), len(hand)
        rarity = _compare(classification.list_class, deck.classes(size))
        neighbours = deck.smaller(hand), deck.larger(hand)
        return ListIdentity(classification, deck.lists(size), rarity, deck.rank(hand), *neighbours)
    classification, catalogue = classify(hand), catalogue_in_memory()
    list_class = classification.list_class
    rarity = _compare(list_class, catalogue.classes(list_class.size))
    neighbours = catalogue.smaller(list_class), catalogue.larger(list_class)
    return ListIdentity(classification, catalogue.lists(list_class.size), rarity, rank(hand), *neighbours)


def _compare(list_class: ListClass, classes: Sequence[ListClass]) -> Rarity:
    """Rarity of a class among all classes of its size."""
    differences = [candidate.lists - list_class.lists for candidate in classes]
    more, fewer = sum(difference > 0 for difference in differences), sum(difference < 0 for difference in differences)
    return Rarity(len(differences), more, len(differences) - more - fewer - 1, fewer)
