"""Compiled simulation of many games: the same games as `autoplay.play_out`, with the same random numbers.

Everything is in this one file, and the table of third cards is an argument, because numba's cache does not
notice a change in another module. Sums are integers, so they do not depend on the order of
the games or on the number of processes.

`play_games` adds to these sums over all games, and `estimates.py` reads them. For one game, let y be the number of
tables that a sum is about, x the number of these tables without a set, and s the number of sets on them; xy is x * y:
- `tables[counting, size // 3, moment]`: sums of y, x, s, yy, xy, xx, sy, ss for the tables of a size. Counting 0 is
  about the tables up to the last deal, counting 1 about all tables.
- `rounds[taken, moment]`: sums of y, x, s, ss for tables of twelve, up to the last deal, by the number of
  sets taken before.
- `hands[n, moment]`: sums of x, s, ss for the first 12, 15 and 18 cards of the shuffled deck.
- `ends[cards]`: games that ended with this many cards on the table.
- `kinds[features, moment]`: sums of y, x, yy, xy, xx, where y is the number of sets taken in a game, and x the number
  of these sets whose cards differ in this many features.
"""

from typing import Any

import numpy as np

from setset.compiler import njit

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_FIRST_FACTOR = np.uint64(0xBF58476D1CE4E5B9)
_SECOND_FACTOR = np.uint64(0x94D049BB133111EB)
_HALF = np.uint64(32)


@njit(cache=True, inline="always")
def _mix(value: Any) -> Any:
    """Compiled version of `deck.mix`."""
    value = (value ^ (value >> np.uint64(30))) * _FIRST_FACTOR
    value = (value ^ (value >> np.uint64(27))) * _SECOND_FACTOR
    return value ^ (value >> np.uint64(31))


@njit(cache=True, inline="always")
def _below(state: Any, bound: Any) -> Any:
    """Returns the next random number 0..bound - 1, and advances the generator state in `state[0]`."""
    state[0] += _GOLDEN
    return np.int64(((_mix(state[0]) >> _HALF) * np.uint64(bound)) >> _HALF)


@njit(cache=True)
def _shuffle(deck: Any, state: Any) -> None:
    """Fills `deck` with a shuffled deck, in the same order as `Stream.shuffled`."""
    for card in range(81):
        deck[card] = card
    for last in range(80, 0, -1):
        lower = _below(state, last + 1)
        deck[last], deck[lower] = deck[lower], deck[last]


@njit(cache=True)
def _find_sets(table: Any, count: Any, position: Any, third: Any, triples: Any) -> Any:
    """Finds the sets on the table. Writes their positions to `triples`, in the order of `find_sets`, and returns their
    number.

    `position[card]` is the index of a card on the table, or -1 if the card is not on the table.
    """
    sets = 0
    for i in range(count - 2):
        a = table[i]
        for j in range(i + 1, count - 1):
            k = position[third[a, table[j]]]
            if k > j:
                triples[sets, 0] = i
                triples[sets, 1] = j
                triples[sets, 2] = k
                sets += 1
    return sets


@njit(cache=True)
def _count_new(table: Any, held: Any, count: Any, position: Any, third: Any) -> Any:
    """Counts the sets on the table that have a card at position `held` or later."""
    sets = 0
    for k in range(held, count):
        c = table[k]
        for i in range(k):
            j = position[third[c, table[i]]]
            sets += i < j < k
    return sets


@njit(cache=True)
def _take_set(table: Any, count: Any, deck: Any, top: Any, position: Any, chosen: Any) -> Any:
    """Removes the set at the chosen positions and refills the table, by the rules of `game.py`. Returns the number of
    cards on the table."""
    for k in chosen:
        position[table[k]] = -1
    if count <= 12 and top < 81:
        for k in chosen:
            table[k] = deck[top]
            position[table[k]] = k
            top += 1
        return count
    kept = 0
    for k in range(count):
        if position[table[k]] >= 0:
            table[kept] = table[k]
            position[table[kept]] = kept
            kept += 1
    return kept


@njit(cache=True)
def _deal_cards(table: Any, count: Any, deck: Any, top: Any, position: Any, cards: Any) -> None:
    """Deals the next cards of the deck to the end of the table."""
    for offset in range(cards):
        table[count + offset] = deck[top + offset]
        position[table[count + offset]] = count + offset


@njit(cache=True)
def _count_hands(deck: Any, table: Any, position: Any, third: Any, hands: Any) -> None:
    """Counts the sets in the first 12, 15 and 18 cards of the deck. The sets in 15 cards are the sets in the first 12
    cards and the sets with a new card. For 18 cards, the function continues from 15 in the same way."""
    position[:] = -1
    sets = 0
    for hand in range(3):
        held = 0 if hand == 0 else 9 + 3 * hand
        count = 12 + 3 * hand
        _deal_cards(table, held, deck, held, position, count - held)
        sets += _count_new(table, held, count, position, third)
        hands[hand, 0] += sets == 0
        hands[hand, 1] += sets
        hands[hand, 2] += sets * sets


@njit(cache=True)
def _count_differences(first: Any, second: Any) -> Any:
    """Number of features in which two cards differ."""
    features = 0
    while first or second:
        features += first % 3 != second % 3
        first, second = first // 3, second // 3
    return features


@njit(cache=True)
def _play_game(deck: Any, state: Any, at_random: Any, third: Any, buffers: Any, by_size: Any, rounds: Any) -> Any:
    """Plays one game with a shuffled deck. Returns the number of cards on the table at its end.

    Writes to `by_size` the numbers y, x, s (see the module) for each size of table. Writes to `by_kind`, the last of
    the `buffers`, the number of sets taken for each number of features that differ.
    """
    table, position, triples, by_kind = buffers
    by_size[:] = 0
    by_kind[:] = 0
    position[:] = -1
    count, top, dealt, taken = 12, 12, True, 0
    _deal_cards(table, 0, deck, 0, position, 12)
    while True:
        sets = _find_sets(table, count, position, third, triples)
        counting = 0 if top < 81 or dealt else 1
        by_size[counting, count // 3, 0] += 1
        by_size[counting, count // 3, 1] += sets == 0
        by_size[counting, count // 3, 2] += sets
        if count == 12 and counting == 0:
            rounds[taken, 0] += 1
            rounds[taken, 1] += sets == 0
            rounds[taken, 2] += sets
            rounds[taken, 3] += sets * sets
        if sets == 0 and top == 81:
            return count
        before = top
        if sets == 0:
            _deal_cards(table, count, deck, top, position, 3)
            count += 3
            top += 3
        else:
            chosen = triples[_below(state, sets) if at_random else 0]
            by_kind[_count_differences(table[chosen[0]], table[chosen[1]])] += 1
            left = _take_set(table, count, deck, top, position, chosen)
            top += 3 if left == count else 0
            count = left
            taken += 1
        dealt = top > before


@njit(cache=True, nogil=True)
def play_games(
    seed: Any,
    first: Any,
    games: Any,
    at_random: Any,
    third: Any,
    tables: Any,
    rounds: Any,
    hands: Any,
    ends: Any,
    kinds: Any,
) -> None:
    """Plays `games` games of a seed, from number `first` on, and adds their counts to the sums (see the module)."""
    deck = np.empty(81, np.uint8)
    table = np.zeros(24, np.uint8)
    position = np.empty(81, np.int8)
    triples = np.zeros((96, 3), np.int8)  # 21 cards have 210 pairs, so at most 70 sets
    by_size = np.zeros((2, 8, 3), np.int64)
    by_kind = np.zeros(5, np.int64)
    state = np.empty(1, np.uint64)
    for game in range(games):
        state[0] = _mix(_mix(np.uint64(seed)) + np.uint64(first + game))
        _shuffle(deck, state)
        _count_hands(deck, table, position, third, hands)
        ends[_play_game(deck, state, at_random, third, (table, position, triples, by_kind), by_size, rounds)] += 1
        taken = by_kind.sum()
        for features in range(1, 5):
            x = by_kind[features]
            for moment, value in enumerate((taken, x, taken * taken, x * taken, x * x)):
                kinds[features, moment] += value
        for size in range(8):
            for moment in range(3):
                by_size[1, size, moment] += by_size[0, size, moment]
            for counting in range(2):
                y, x, s = by_size[counting, size, 0], by_size[counting, size, 1], by_size[counting, size, 2]
                if y > 0:
                    for moment, value in enumerate((y, x, s, y * y, x * y, x * x, s * y, s * s)):
                        tables[counting, size, moment] += value
