"""Slow, obvious twins: sets by the definition over all triples, games with plain lists, sums one by one."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from setset.cards import digits
from setset.table.deck import Stream


def is_set(triple: tuple[int, int, int]) -> bool:
    return all(len({digits(card)[place] for card in triple}) in (1, 3) for place in range(4))


def sets(cards: list[int]) -> list[tuple[int, int, int]]:
    return [triple for triple in combinations(cards, 3) if is_set(triple)]


def game(
    seed: int, number: int, at_random: bool
) -> tuple[list[tuple[int, int, int, bool]], list[int], list[tuple[int, ...]]]:
    """For each table of a game its size, its sets, the sets taken before and whether it counts until the
    last deal; the whole shuffled deck; and the sets taken."""
    stream = Stream(seed, number)
    whole = list(stream.shuffled())
    deck, table, seen, taken = whole[12:], whole[:12], [], 0
    dealt, all_taken = True, []
    while True:
        found = sets(table)
        seen.append((len(table), len(found), taken, bool(deck) or dealt))
        if not found:
            if not deck:
                return seen, whole, all_taken
            dealt = True
            table, deck = table + deck[:3], deck[3:]
            continue
        chosen = found[stream.below(len(found)) if at_random else 0]
        dealt = len(table) <= 12 and bool(deck)
        if dealt:
            for card in chosen:
                table[table.index(card)] = deck.pop(0)
        else:
            table = [card for card in table if card not in chosen]
        taken += 1
        all_taken.append(chosen)


def sums(seed: int, first: int, games: int, at_random: bool) -> tuple[np.ndarray, ...]:
    tables = np.zeros((2, 8, 8), np.int64)
    rounds = np.zeros((28, 4), np.int64)
    hands = np.zeros((3, 3), np.int64)
    ends = np.zeros(22, np.int64)
    kinds = np.zeros((5, 5), np.int64)
    for number in range(first, first + games):
        seen, deck, taken_sets = game(seed, number, at_random)
        differ = [sum(map(int.__ne__, digits(a), digits(b))) for a, b, _ in taken_sets]
        for features in range(1, 5):
            y, x = len(differ), differ.count(features)
            kinds[features] += (y, x, y * y, x * y, x * x)
        for hand, size in enumerate((12, 15, 18)):
            count = len(sets(deck[:size]))
            hands[hand] += (count == 0, count, count**2)
        for size, count, taken, until in seen:
            if until and size == 12:
                rounds[taken] += (1, count == 0, count, count**2)
        ends[seen[-1][0]] += 1
        for counting in range(2):
            for size in range(0, 24, 3):
                mine = [count for at, count, _, until in seen if at == size and (until or counting == 1)]
                y, x, s = len(mine), mine.count(0), sum(mine)
                tables[counting, size // 3] += (y, x, s, y * y, x * y, x * x, s * y, s * s)
    return tables, rounds, hands, ends, kinds
