"""Slow, obvious twins: sets by the definition over all triples, games with plain lists, sums one by one."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from setset.cards import digits
from setset.table.deck import Stream


def is_set(triple: tuple[int, int, int]) -> bool:
    return all(len({digits(card)[feature] for card in triple}) in (1, 3) for feature in range(4))


def sets(cards: list[int]) -> list[tuple[int, int, int]]:
    return [triple for triple in combinations(cards, 3) if is_set(triple)]


def game(
    seed: int, number: int, at_random: bool
) -> tuple[list[tuple[int, int, int, bool]], list[int], list[tuple[int, ...]]]:
    """For each table of a game its size, its sets, the sets taken before and whether it counts until the
    last deal; the whole shuffled deck; and the sets taken."""
    stream = Stream(seed, number)
    shuffled = list(stream.shuffled())
    deck, table, rounds, taken = shuffled[12:], shuffled[:12], [], 0
    is_refilled, all_taken = True, []
    while True:
        triples = sets(table)
        rounds.append((len(table), len(triples), taken, bool(deck) or is_refilled))
        if not triples:
            if not deck:
                return rounds, shuffled, all_taken
            is_refilled = True
            table, deck = table + deck[:3], deck[3:]
            continue
        triple = triples[stream.below(len(triples)) if at_random else 0]
        is_refilled = len(table) <= 12 and bool(deck)
        if is_refilled:
            for card in triple:
                table[table.index(card)] = deck.pop(0)
        else:
            table = [card for card in table if card not in triple]
        taken += 1
        all_taken.append(triple)


def sums(seed: int, first: int, games: int, at_random: bool) -> tuple[np.ndarray, ...]:
    tables = np.zeros((2, 8, 8), np.int64)
    rounds = np.zeros((28, 4), np.int64)
    hands = np.zeros((3, 3), np.int64)
    ends = np.zeros(22, np.int64)
    kinds = np.zeros((5, 5), np.int64)
    for number in range(first, first + games):
        history, deck, taken_sets = game(seed, number, at_random)
        differ = [sum(map(int.__ne__, digits(a), digits(b))) for a, b, _ in taken_sets]
        for features in range(1, 5):
            y, x = len(differ), differ.count(features)
            kinds[features] += (y, x, y * y, x * y, x * x)
        for hand, size in enumerate((12, 15, 18)):
            count = len(sets(deck[:size]))
            hands[hand] += (count == 0, count, count**2)
        for size, count, taken, in_deal in history:
            if in_deal and size == 12:
                rounds[taken] += (1, count == 0, count, count**2)
        ends[history[-1][0]] += 1
        for counting in range(2):
            for size in range(0, 24, 3):
                counts = [
                    count for length, count, _, in_deal in history if length == size and (in_deal or counting == 1)
                ]
                y, x, s = len(counts), counts.count(0), sum(counts)
                tables[counting, size // 3] += (y, x, s, y * y, x * y, x * x, s * y, s * s)
    return tables, rounds, hands, ends, kinds
