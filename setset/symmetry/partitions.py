"""Partitions of the deck into four disjoint lists of 20 cards and a single card.

All lists of 20 cards are in one class, 20/0. The cards of each list form ten pairs with the same third card, the
*anchor* of the list. The *partners* of a list are the lists of 20 cards disjoint from it. A search through all 682,344
lists finds them. Each partner has the same anchor as the list, so the single card of a partition is the anchor of its
four lists. Any three partners that are disjoint from each other make a partition with the list.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations
from typing import Final

import numpy as np

from setset.cards import CARDS, LARGEST, Cards, check_list
from setset.errors import BadInput
from setset.symmetry.catalogue import catalogue_in_memory
from setset.symmetry.geometry import third_cards
from setset.symmetry.ranking import member_arrays

ALL: Final = (1 << CARDS) - 1


@dataclass(frozen=True)
class Partitions:
    """All partitions of the deck through one list of 20 cards."""

    cards: Cards
    anchor: int
    """The single card of every partition through the list."""
    partners: dict[Cards, int]
    """Partners of `cards`: the lists of 20 cards disjoint from it. The value is the number of partitions with both
    lists."""
    partitions: tuple[tuple[Cards, Cards, Cards], ...]
    """For each partition, its three lists other than the given list."""

    @property
    def kinds(self) -> dict[int, int]:
        """Number of partitions of each of the two kinds. Affine maps take a partition to all partitions of its kind.
        The key of a kind is the least value in `partners` of the three partners in a partition of this kind."""
        rarest = Counter(min(map(self.partners.__getitem__, lists)) for lists in self.partitions)
        return dict(sorted(rarest.items()))

    @property
    def demicaps(self) -> tuple[Cards, ...]:
        """All demicaps. Consider only the partners that are in exactly one partition with the list. A demicap is ten
        cards that three of these partners have in common. Each of these partners is the union of two demicaps."""
        rare = [set(cap) for cap, times in self.partners.items() if times == 1]
        shared = (a & b & c for a, b, c in combinations(rare, 3))
        return tuple(sorted({tuple(sorted(cards)) for cards in shared if len(cards) == LARGEST // 2}))

    @property
    def of_deck(self) -> int:
        """Number of all partitions of the deck. Each list of 20 cards is in the same number of partitions. The sum of
        these numbers over all lists counts each partition four times, once for each of its lists."""
        return catalogue_in_memory().lists(LARGEST) * len(self.partitions) // 4


def find_partitions(cards: Iterable[int] | None = None) -> Partitions:
    """Finds the partitions of the deck into a single card and four lists of 20 cards, one of which is the given list.

    Args:
        cards: the given list, 20 cards without a set; by default the canonical form of class 20/0.

    Raises:
        BadInput: `cards` is not 20 different cards.
        HoldsSet: there is a set among the cards.
    """
    list_class = catalogue_in_memory().get(LARGEST, 0)
    hand = check_list(list_class.cards if cards is None else cards)
    if len(hand) != LARGEST:
        raise BadInput(f"a partition needs a list of {LARGEST} cards, not of {len(hand)}")
    (anchor,) = (
        card for card, pairs in Counter(third_cards(np.array([hand], np.uint8))[0].tolist()).items() if pairs == 10
    )
    inside = np.zeros(CARDS, np.bool_)
    inside[list(hand)] = True
    partners = [tuple(row) for rows in member_arrays(list_class) for row in rows[~inside[rows].any(axis=1)].tolist()]
    masks = {sum(1 << card for card in cap): cap for cap in partners}
    left = ALL ^ sum(1 << card for card in (*hand, anchor))
    partitions = []
    for first, second in combinations(sorted(masks), 2):
        third = left ^ first ^ second
        if not first & second and third > second and third in masks:
            partitions.append((masks[first], masks[second], masks[third]))
    times = Counter(cap for partition in partitions for cap in partition)
    return Partitions(hand, anchor, {cap: times[cap] for cap in partners}, tuple(partitions))
