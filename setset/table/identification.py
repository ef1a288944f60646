"""Identification of a hand: the sets in it or, if it has none, its class and the rarity of the class."""

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
    """Rarity of a class among all classes of its size. The more lists a class has, the more common it is."""

    classes: int
    """Number of all classes of the size."""
    more_common: int
    as_common: int
    """Number of other classes with the same number of lists."""
    rarer: int


@dataclass(frozen=True)
class ListIdentity:
    """A hand without a set: its class, and its rank among all lists of its size."""

    classification: Classification
    lists_of_size: int
    rarity: Rarity
    rank: int
    """Rank among all lists of the size, from 0, as `unrank` takes it. In a smaller deck the order is lexicographic."""
    smaller: tuple[Neighbour, ...]
    """Classes of the hands with one card less."""
    larger: tuple[Neighbour, ...]
    """Classes of the hands with one card more and no set."""


@dataclass(frozen=True)
class Identity(Shown):
    """Result of `identify`: the sets of a hand or, if it has none, its class and rank."""

    cards: Cards
    sets: tuple[Triple, ...]
    list: ListIdentity | None
    """Class and rank of the hand; None if the hand has a set."""


def identify(cards: CardsLike, dimension: int = 4) -> Identity:
    """Finds the sets of a hand. If it has none, finds its class, the rarity of the class, its rank and its neighbours.

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
    """Rarity of a class among `classes`, all classes of its size."""
    differences = [candidate.lists - list_class.lists for candidate in classes]
    more, fewer = sum(difference > 0 for difference in differences), sum(difference < 0 for difference in differences)
    return Rarity(len(differences), more, len(differences) - more - fewer - 1, fewer)
