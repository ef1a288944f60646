"""The kernel of the deep walk: from lists of `size` cards to lists of `final` cards, without storing sizes between.

**Labels.** A list of `TOP` cards has at most 64 remaining cards. These are numbered from the highest card (0) down, and
the number of a card is its *label*. From depth `TOP` on, a bitmask of cards is one word with a bit per label, and the
cards above a card are the bits below its bit. As soon as at most 32 cards remain, the remaining cards get new labels in
the same way. Then a bitmask is one 32-bit word, and sixteen bitmasks are one vector.

**The invariant.** As in `kernels`, a node is the list of the cards chosen so far. For each remaining card b of the node
at depth d, the row of d has a bitmask of the cards that make no set with b and any chosen card. From depth `TOP` on, a
row of `nodes` has in REMAINING the remaining cards, in AHEAD the children not visited yet, and in KEEP the children in
the batch that is being written. The rows of smaller depths are as in `kernels`.

**Dropping.** Two remaining cards fit each other if they make no set with a chosen card. A node that needs `want` more
cards cannot use a card that fits fewer than `want` - 1 of the other remaining cards. Such cards are dropped until
nothing changes. CANDIDATES are the cards that stay. The dropped cards still count as remaining cards in the bits of a
batch. If the target is larger than `final`, a list of `final` cards must have remaining cards. These remaining cards
need not fit each other, so nothing is dropped.

**The last levels.** If every list of `final` cards is kept, the last five levels are counted at once: with three loops,
and vectors for the last two levels. The last three levels are written at once: the lists below a node of `final` - 2
cards follow from its pairs, and the code of each node of `final` - 1 cards is 0.

**Three uses.** COUNT adds up lists, WRITE_BATCH writes the bits of batches, LIST fills an array. A walk can stop
anywhere and resume later: its arrays hold all of its state.

numba's cache does not notice a change in `kernels` or `vectors`. After such a change, change this file too.
"""

from typing import Any, NamedTuple, cast

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from setset.engine import kernels as k
from setset.engine import vectors as v
from setset.engine.kernels import I64, U8, U64
from setset.engine.vectors import U32, Vector

popcount, highest, lowest, extract, deposit = k.popcount, k.highest, k.lowest, k.extract, k.deposit
REMAINING, AHEAD, CANDIDATES, KEEP, CHOSEN, WRITE = k.REMAINING, k.AHEAD, k.AHEAD + 1, k.KEEP, k.CHOSEN, k.WRITE
LABEL = k.HIGH_OF_LOW  # label of the open child; the columns before it are the bitmasks of up to 64 labels
RUNNING, FULL, DONE, CORRUPT = k.RUNNING, k.FULL, k.DONE, k.CORRUPT
ONE, NONE, ALL = k.ONE, k.NONE, k.ALL
_int = k._int

TOP = 6
"""Lists of this size or larger have at most 64 remaining cards."""
NARROW = 32
"""Number of labels of a node with at most 32 remaining cards."""
NO_DEPTH = 99

COUNT, WRITE_BATCH, LIST = range(3)
"""The uses of a walk: to add up lists, to write batches, or to fill an array with lists."""

# Indexes in the array `state` of a walk, after the indexes that the module `kernels` defines.
OPEN = 8  # depth of the open node, TOP or more; 0 if none is open
NARROW_FROM = 9  # depth from which on a bitmask has 32 labels
SOURCES = 10  # number of source lists visited
# A stretch of consecutive source lists is counted separately.
# The first source list of the next stretch, the number of this stretch, and the source lists per stretch.
NEXT_STRETCH, STRETCH, STRETCH_LENGTH = 11, 12, 13
SKIP, SKIP_SOURCES = 14, 15  # number of lists and of source lists still to skip
FILLED = 16  # number of rows of the array `listing` that are filled
STATE_WORDS = 20

NAMES = 64
"""Number of entries in each of the three parts of `Walk.names`."""
MOST_TRIPLES = NARROW * (NARROW - 1) * (NARROW - 2) // 6
"""Maximum number of ways to add three cards to a list with 32 remaining cards."""


class Walk(NamedTuple):
    """All state and all parameters of a walk: arrays and integers, as the kernels take them."""

    nodes: U64
    """The open nodes of the search, one row per depth. The module `kernels` defines the columns."""
    state: I64
    source: U64
    """The bits of the source batch, as words."""
    out: U64
    """The bits of the batch that is being written, as words."""
    spare: U64
    """For each two cards: bitmask of all cards except the card that completes a set with both. The module `kernels`
    describes the columns."""
    thirds: U8
    """The card that completes a set with the cards a and b, at index 128 a + b."""
    wide: U64
    """For each two of 64 labels: bitmask of all labels except the label of the card that completes a set with both."""
    rows: U32
    """For each depth and each of 32 labels: bitmask of the labels whose cards make no set with this label's card and
    any chosen card."""
    narrow: U32
    """For each two of 32 labels: bitmask of all labels except the label of the card that completes a set with both."""
    under: U32
    """For each of 32 bits: bitmask of all lower bits."""
    bits: U64
    """For each card: bitmask with the bit of its label. From depth NARROW_FROM on, for each old label: bitmask with the
    bit of its new label. NONE if there is no such label."""
    names: I64
    """Three parts: the card of each of the 64 labels, the card of each of the 32 labels, and the old label of each of
    the 32 labels."""
    counts: I64
    """Number of lists counted before each stretch of source lists starts."""
    listing: U8
    """Byte array that a walk for the use LIST fills with one list per row. SLACK bytes follow the last row."""
    use: int
    size: int
    """Number of cards per source list, at least TOP."""
    final: int
    """Number of cards per list that the walk counts or makes: at least `size` + 2."""
    target: int
    limit: int
    """Maximum number of lists per batch."""
    tail: int
    """Tail of the last depth of the source batch. The module `kernels` explains the tail."""


def _reverse(_context: Any, word: Any) -> Any:
    def build(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        i64 = ir.IntType(64)
        function = builder.module.declare_intrinsic("llvm.bitreverse", (i64,), ir.FunctionType(i64, [i64]))
        return builder.call(function, arguments)

    return types.uint64(word), build


reverse = cast(Any, intrinsic(_reverse))
"""Reverses the order of the bits of a word."""


@k._inlined
def _write_code(w: Walk, depth: int, keep: np.uint64, remaining: np.uint64, tail: int) -> None:
    """Appends a node to the batch that is being written: its code, and its bits if the code is EXCEPT. `keep` has the
    children of the node, `remaining` its remaining cards."""
    others = remaining ^ keep
    code = popcount(others) - tail
    if code < 0 or code >= k.EXCEPT or others >= (keep & (~keep + ONE)):
        code = k.EXCEPT
        count = popcount(remaining)
        position = _int(w.nodes[depth, k.WRITE_BITS])
        k._write(w.out, position, reverse(extract(keep, remaining)) >> np.uint64(64 - count))
        w.nodes[depth, k.WRITE_BITS] = np.uint64(position + count)
    position = _int(w.nodes[depth, WRITE])
    k._write(w.out, position, np.uint64(code))
    w.nodes[depth, WRITE] = np.uint64(position + k.CODE_BITS)


@k._inlined
def _write_zeros(w: Walk, depth: int, count: int) -> None:
    """Appends `count` nodes with code 0 to the batch. Code 0 says that exactly the `tail` highest remaining cards have
    no child."""
    position = _int(w.nodes[depth, WRITE])
    end = position + k.CODE_BITS * count
    for word in range((position >> 6) + 1, (end >> 6) + 1):
        w.out[word] = NONE
    w.nodes[depth, WRITE] = np.uint64(end)


@k._inlined
def _close(w: Walk, depth: int) -> None:
    """Leaves the open node at a depth: if it has a child in this batch, writes the node and marks it as a child of its
    parent."""
    keep = w.nodes[depth, KEEP]
    if keep:
        _write_code(w, depth, keep, w.nodes[depth, REMAINING], max(w.target, w.final) - 1 - depth)
        w.nodes[depth, KEEP] = NONE
        if depth > TOP:
            w.nodes[depth - 1, KEEP] |= ONE << w.nodes[depth - 1, LABEL]
        else:
            k._keep(w.nodes, TOP - 1, _int(w.nodes[TOP - 1, CHOSEN]))


@k._inlined
def _read_children(w: Walk, depth: int) -> bool:
    """Reads the children of the open node at a depth from the source batch, and sets them as children to visit. Returns
    False if the bits are corrupt."""
    remaining = w.nodes[depth, REMAINING]
    position = _int(w.nodes[depth, k.READ])
    if position + k.CODE_BITS > _int(w.nodes[depth, k.READ_END]):
        return False
    w.nodes[depth, k.READ] = np.uint64(position + k.CODE_BITS)
    code = _int((w.source[position >> 6] >> np.uint64(position & 63)) & np.uint64(k.EXCEPT))
    count = popcount(remaining)
    if code != k.EXCEPT:
        without = w.tail + w.size - 1 - depth + code
        if count <= without:
            return False
        w.nodes[depth, AHEAD] = deposit(ALL << np.uint64(without), remaining)
        return True
    position = _int(w.nodes[depth, k.READ_BITS])
    if count == 0 or position + count > _int(w.nodes[depth, k.READ_BITS_END]):
        return False
    w.nodes[depth, k.READ_BITS] = np.uint64(position + count)
    bits, _ = k._read(w.source, position, count)
    w.nodes[depth, AHEAD] = deposit(reverse(bits) >> np.uint64(64 - count), remaining)
    return bool(bits)


@k._inlined
def _label(w: Walk, card: int) -> None:
    """Prepares the walk below the node of `TOP` cards whose last card is `card`. Gives the remaining cards of the node
    their labels, and fills the table `wide` and the row of the node in `nodes`."""
    low, high = k._remaining(w.nodes, TOP - 1, card)
    for index in range(128):
        w.bits[index] = NONE
    count = 0
    for word in range(2):
        rest = low if word else high
        while rest:
            label = highest(rest)
            rest ^= ONE << np.uint64(label)
            name = label if word else label + k.LOW
            w.names[count] = name
            w.bits[name] = ONE << np.uint64(count)
            count += 1
    all_labels = ALL >> np.uint64(64 - count) if count else NONE
    w.nodes[TOP - 1, CHOSEN] = np.uint64(card)
    for a in range(count):
        line = (w.names[a] & 127) << 7
        fitting = all_labels ^ (ONE << np.uint64(a))
        for depth in range(TOP):
            fitting &= ~w.bits[w.thirds[line | (_int(w.nodes[depth, CHOSEN]) & 127)] & 127]
        w.nodes[TOP, a] = fitting
        for b in range(a):
            w.wide[a & 63, b] = ~w.bits[w.thirds[line | (w.names[b] & 127)] & 127]
    _set_node(w, TOP, all_labels, all_labels)


@k._inlined
def _set_node(w: Walk, depth: int, remaining: np.uint64, candidates: np.uint64) -> None:
    """Fills the row of a node just opened: its remaining cards, and its candidates (cards that may be added), all of
    them still to visit. No child is in the batch yet."""
    w.nodes[depth, REMAINING] = remaining
    w.nodes[depth, AHEAD] = candidates
    w.nodes[depth, CANDIDATES] = candidates
    w.nodes[depth, KEEP] = NONE


@k._inlined
def _narrow_labels(w: Walk, depth: int) -> None:
    """Gives the remaining cards (at most 32) of the node at a depth new labels below 32, and fills the tables `rows`
    and `narrow` for these labels."""
    remaining = w.nodes[depth, REMAINING]
    for label in range(65):
        w.bits[label] = NONE
    count = 0
    rest = remaining
    while rest:
        label = lowest(rest)
        rest &= rest - ONE
        w.bits[label] = ONE << np.uint64(count)
        w.names[NAMES + count] = w.names[label]
        w.names[2 * NAMES + count] = label
        w.rows[NARROW * depth + count] = np.uint32(extract(w.nodes[depth, label], remaining))
        count += 1
    for a in range(count):
        line = w.names[2 * NAMES + a] & 63
        for b in range(a):
            third = lowest(~w.wide[line, w.names[2 * NAMES + b] & 63])
            w.narrow[NARROW * a + b] = np.uint32(~w.bits[third])
    w.state[NARROW_FROM] = depth
    _set_node(w, depth, (ONE << np.uint64(count)) - ONE, extract(w.nodes[depth, CANDIDATES], remaining))


@k._inlined
def _visit_source(w: Walk) -> bool:
    """Counts the visit to a source list. If a stretch of source lists starts here, records the number of lists so far.
    Returns False if the walk must skip the source list."""
    if w.state[SOURCES] == w.state[NEXT_STRETCH] and w.state[STRETCH] < len(w.counts):
        w.counts[w.state[STRETCH]] = w.state[k.LISTS]
        w.state[STRETCH] += 1
        w.state[NEXT_STRETCH] += w.state[STRETCH_LENGTH]
    w.state[SOURCES] += 1
    return bool(w.state[SOURCES] > w.state[SKIP_SOURCES])


@k._inlined
def _drop(first: Vector, second: Vector, cards: np.uint64, want: int) -> np.uint64:
    """Drops each card that fits fewer than `want` - 1 of the other cards, until no card drops out. Such a card cannot
    be among `want` cards added without a set.

    Returns the cards that stay; NONE if fewer than `want` stay. `first` has a bitmask for each label from 0 to 15: the
    cards that fit the label's card. `second` has the bitmasks for the labels from 16 to 31.
    """
    while popcount(cards) >= want:
        word = v.repeat(cards)
        stay = v.at_least(v.counted(v.both(first, word)), want - 1)
        if cards >> np.uint64(16):
            stay |= v.at_least(v.counted(v.both(second, word)), want - 1) << np.uint64(16)
        stay &= cards
        if stay == cards:
            return cards
        cards = stay
    return NONE


@k._inlined
def _drop_wide(w: Walk, depth: int, cards: np.uint64, want: int) -> np.uint64:
    """Does the same as `_drop` for 64 labels, with the bitmasks in the row of the node at a depth."""
    while popcount(cards) >= want:
        stay = NONE
        for b in range(64):
            stay |= np.uint64(popcount(w.nodes[depth, b] & cards) >= want - 1) << np.uint64(b)
        stay &= cards
        if stay == cards:
            return cards
        cards = stay
    return NONE


@k._inlined
def _open_wide(w: Walk, depth: int) -> bool:
    """Opens the next child of the node at a depth, with bitmasks of 64 labels. Skips a child if a test shows that no
    list of `final` cards is below it. Returns False if no child is left."""
    remaining, ahead, candidates = w.nodes[depth, REMAINING], w.nodes[depth, AHEAD], w.nodes[depth, CANDIDATES]
    want = max(w.target, w.final) - depth - 1
    least = want + 1 if depth >= w.size else 1
    while popcount(ahead) >= least:
        label = highest(ahead) & 63
        bit = ONE << np.uint64(label)
        ahead ^= bit
        left = w.nodes[depth, label] & remaining & (bit - ONE)
        cards = left & candidates if depth >= w.size else left
        if depth + 1 == w.size and not _visit_source(w):
            continue
        if depth + 1 >= w.size and popcount(cards) < want:
            continue
        for b in range(64):
            w.nodes[depth + 1, b] = w.nodes[depth, b] & w.wide[label, b]
        if depth + 1 >= w.size and w.target <= w.final:
            cards = _drop_wide(w, depth + 1, cards, want)
            if not cards:
                continue
        w.nodes[depth, AHEAD] = ahead
        w.nodes[depth, LABEL] = np.uint64(label)
        w.nodes[depth, CHOSEN] = np.uint64(w.names[label])
        _set_node(w, depth + 1, left if w.use == WRITE_BATCH or depth + 1 < w.size else cards, cards)
        return True
    w.nodes[depth, AHEAD] = NONE
    return False


@k._inlined
def _quads(w: Walk, depth: int, rest: np.uint64, count: Vector, both: bool) -> Vector:
    """Counts the ways to add four cards of `rest` to the node at a depth without making a set. Adds the numbers to the
    lanes of `count`. If `rest` has labels above 15, `both` must be True, because these are in a second vector."""
    rows, narrow, row = w.rows, w.narrow, (NARROW * depth) & 1023
    first = v.both(v.load(rows, row), v.load(w.under, 0))
    second = v.both(v.load(rows, row + 16), v.load(w.under, 16))
    for _ in range(popcount(rest) - 3):
        a = highest(rest) & 31
        rest ^= ONE << np.uint64(a)
        left = np.uint64(rows[row + a]) & rest
        choices = popcount(left) - 2
        if choices <= 0:
            continue
        line = NARROW * a
        below = v.both(first, v.load(narrow, line))
        below_second = v.both(second, v.load(narrow, line + 16))
        for _ in range(choices):
            b = highest(left) & 31
            left ^= ONE << np.uint64(b)
            last = np.uint64(rows[row + b] & narrow[line + b]) & left
            word = v.repeat(last)
            pairs = v.counted(v.both(v.both(below, word), v.load(narrow, NARROW * b)))
            count = v.add_where(count, pairs, last)
            if both:
                pairs = v.counted(v.both(v.both(below_second, word), v.load(narrow, NARROW * b + 16)))
                count = v.add_where(count, pairs, last >> np.uint64(16))
    return count


@k._inlined
def _count_four(w: Walk, depth: int, rest: np.uint64, count: Vector) -> Vector:
    """Does the same as `_quads`. Uses the second vector only if `rest` has labels from 16 on."""
    if rest >> np.uint64(16):
        return _quads(w, depth, rest, count, True)
    return _quads(w, depth, rest, count, False)


@k._inlined
def _count_five(w: Walk, depth: int, rest: np.uint64) -> int:
    """Number of ways to add five candidates to the node at a depth without making a set. The lowest of the five cards
    is in `rest`."""
    row = (NARROW * depth) & 1023
    candidates = w.nodes[depth, CANDIDATES]
    count = v.zeros()
    while popcount(rest) > 4:
        a = highest(rest) & 31
        bit = ONE << np.uint64(a)
        rest ^= bit
        cards = np.uint64(w.rows[row + a]) & candidates & (bit - ONE)
        if popcount(cards) < 4:
            continue
        v.store(w.rows, row + NARROW, v.both(v.load(w.rows, row), v.load(w.narrow, NARROW * a)))
        if cards >> np.uint64(16):
            second = v.both(v.load(w.rows, row + 16), v.load(w.narrow, NARROW * a + 16))
            v.store(w.rows, row + NARROW + 16, second)
        count = _count_four(w, depth + 1, cards, count)
    return v.total(count)


@k._inlined
def _triples(w: Walk, depth: int, rest: np.uint64) -> int:
    """Number of ways to add three cards of `rest` to the node at a depth without making a set."""
    row = (NARROW * depth) & 1023
    count = v.zeros()
    first = v.both(v.load(w.rows, row), v.load(w.under, 0))
    second = v.both(v.load(w.rows, row + 16), v.load(w.under, 16))
    for _ in range(popcount(rest) - 2):
        a = highest(rest) & 31
        rest ^= ONE << np.uint64(a)
        last = np.uint64(w.rows[row + a]) & rest
        word = v.repeat(last)
        count = v.add_where(count, v.counted(v.both(v.both(first, word), v.load(w.narrow, NARROW * a))), last)
        pairs = v.counted(v.both(v.both(second, word), v.load(w.narrow, NARROW * a + 16)))
        count = v.add_where(count, pairs, last >> np.uint64(16))
    return v.total(count)


@k._inlined
def _write_triples(w: Walk, depth: int, rest: np.uint64) -> None:
    """Writes all lists that consist of the node at a depth and three cards of `rest`. Valid only if all these lists are
    kept."""
    row = (NARROW * depth) & 1023
    remaining = w.nodes[depth, REMAINING]
    count = v.zeros()
    first = v.both(v.load(w.rows, row), v.load(w.under, 0))
    second = v.both(v.load(w.rows, row + 16), v.load(w.under, 16))
    keep = NONE
    longer = 0
    for _ in range(popcount(rest) - 2):
        a = highest(rest) & 31
        bit = ONE << np.uint64(a)
        rest ^= bit
        left = np.uint64(w.rows[row + a]) & remaining & (bit - ONE)
        word = v.repeat(left)
        pairs = v.counted(v.both(v.both(first, word), v.load(w.narrow, NARROW * a)))
        kept = v.at_least(pairs, 1)
        count = v.add_where(count, pairs, left)
        if left >> np.uint64(16):
            pairs = v.counted(v.both(v.both(second, word), v.load(w.narrow, NARROW * a + 16)))
            kept |= v.at_least(pairs, 1) << np.uint64(16)
            count = v.add_where(count, pairs, left >> np.uint64(16))
        kept &= left
        if kept:
            _write_code(w, depth + 1, kept, left, 1)
            keep |= bit
            longer += popcount(kept)
    _write_zeros(w, depth + 2, longer)
    w.nodes[depth, KEEP] |= keep
    w.state[k.LISTS] += v.total(count)
    w.state[k.BUDGET] -= popcount(keep)


@k._inlined
def _finish_levels(w: Walk, depth: int, ahead: np.uint64) -> bool:
    """Tries to count, write or skip at once all lists of `final` cards below the node at a depth, which has `final` - 5
    to `final` - 3 cards. If it cannot, it does nothing and returns False: the caller must visit each child."""
    if w.use == WRITE_BATCH:
        if depth != w.final - 3 or w.state[k.LISTS] + MOST_TRIPLES > w.limit:
            return False
        _write_triples(w, depth, ahead)
        return True
    if w.use == LIST and w.state[SKIP] == 0:
        return False
    if depth == w.final - 5:
        count = _count_five(w, depth, ahead)
    elif depth == w.final - 4:
        count = v.total(_count_four(w, depth, ahead, v.zeros()))
    else:
        count = _triples(w, depth, ahead)
    if w.use == LIST:
        if count > w.state[SKIP]:
            return False
        w.state[SKIP] -= count
    w.state[k.LISTS] += count
    return True


@k._inlined
def _kept(w: Walk, depth: int, label: int, left: np.uint64, is_narrow: bool) -> np.uint64:
    """Kept children of the child `label` of the node at a depth. `left` has the remaining cards of the child. A card of
    `left` is kept if enough cards remain after it is added."""
    if w.target <= w.final:
        return left
    kept = NONE
    rest = left
    while rest:
        b = highest(rest) & 63
        bit = ONE << np.uint64(b)
        rest ^= bit
        if is_narrow:
            fitting = np.uint64(w.rows[NARROW * depth + (b & 31)] & w.narrow[NARROW * label + (b & 31)])
        else:
            fitting = w.nodes[depth, b] & w.wide[label, b]
        kept |= bit * np.uint64(popcount(fitting & rest) >= w.target - w.final)
    return kept


@k._inlined
def _visit_leaves(w: Walk, ahead: np.uint64, is_narrow: bool) -> bool:
    """Counts, writes or copies all lists below the open node of `final` - 2 cards. Returns True if it stops before the
    last list, because the batch is full or no row of `listing` is free."""
    depth = (w.final - 2) & 31
    remaining = w.nodes[depth, REMAINING]
    least = max(w.target, w.final) - depth
    while popcount(ahead) >= least:
        label = highest(ahead) & 63
        bit = ONE << np.uint64(label)
        ahead ^= bit
        fitting = np.uint64(w.rows[NARROW * depth + (label & 31)]) if is_narrow else w.nodes[depth, label]
        left = fitting & remaining & (bit - ONE)
        kept = _kept(w, depth, label, left, is_narrow)
        if not kept:
            continue
        if w.use == COUNT:
            w.state[k.LISTS] += popcount(kept)
            continue
        w.nodes[depth, AHEAD] = ahead
        w.nodes[depth, LABEL] = np.uint64(label)
        w.nodes[depth, CHOSEN] = np.uint64(w.names[label + (NAMES if is_narrow else 0)])
        w.state[k.LEFT], w.state[k.LEAF] = _int(kept), _int(left)
        w.state[k.BUDGET] -= 1
        if _take_leaf(w):
            return True
    w.nodes[depth, AHEAD] = NONE
    return False


@k._inlined
def _take_leaf(w: Walk) -> bool:
    """Puts the lists below the open leaf (a list of `final` - 1 cards) into the output, except lists already there.
    Returns True if some lists do not fit."""
    return _list_part(w) if w.use == LIST else _write_part(w)


@k._inlined
def _highest_bits(word: np.uint64, count: int) -> np.uint64:
    """The `count` highest set bits of a word."""
    rest = word
    for _ in range(count):
        rest ^= ONE << np.uint64(highest(rest))
    return word ^ rest


@k._inlined
def _write_part(w: Walk) -> bool:
    """Adds the lists below the open leaf (a list of `final` - 1 cards) to the batch, except lists written before.

    If some lists do not fit, closes the batch, keeps these lists for the next batch, and returns True.
    """
    kept = np.uint64(w.state[k.LEFT])
    need = max(w.target - w.final, 0)
    full = bool(popcount(kept) > w.limit - w.state[k.LISTS])
    if full:
        kept = _highest_bits(kept, w.limit - w.state[k.LISTS])
    w.state[k.LEFT] ^= _int(kept)
    if kept:
        _write_code(w, w.final - 1, kept, np.uint64(w.state[k.LEAF]), need)
        w.nodes[w.final - 2, KEEP] |= ONE << w.nodes[w.final - 2, LABEL]
        w.state[k.LISTS] += popcount(kept)
    if full:
        for depth in range(w.final - 2, TOP - 1, -1):
            _close(w, depth & 31)
        k.finish(w.nodes, w.out, TOP, need + w.final - TOP)
    return full


@k._inlined
def _list_part(w: Walk) -> bool:
    """Copies the lists below the open leaf (a list of `final` - 1 cards) to free rows of `listing`, except lists copied
    before. Returns True if some lists do not fit."""
    kept = np.uint64(w.state[k.LEFT])
    if w.state[SKIP]:
        skipped = min(popcount(kept), w.state[SKIP])
        kept ^= _highest_bits(kept, skipped)
        w.state[SKIP] -= skipped
    final, last = w.final, (w.final - 1) & 31
    base = NAMES if last - 1 >= w.state[NARROW_FROM] else 0
    prefix = k._prefix(w.nodes, last)
    shift = np.uint64(8 * (last & 7))
    room = (len(w.listing) - k.SLACK) // final
    filled = w.state[FILLED]
    while kept and filled < room:
        label = highest(kept)
        kept ^= ONE << np.uint64(label)
        k._put(w.listing, filled * final, final, prefix, np.uint64(w.names[base + (label & 63)]) << shift)
        filled += 1
    w.state[FILLED] = filled
    w.state[k.LEFT] = _int(kept)
    return bool(kept)


@k._inlined
def _walk_narrow(w: Walk) -> int:
    """Walks below the open node with bitmasks of 32 labels until the walk is done, the output is full or the budget is
    used up.

    Returns RUNNING, FULL or CORRUPT. The walk is done when OPEN is NARROW_FROM and the node at that depth has no
    children to visit.
    """
    depth = w.state[OPEN] & 31
    ahead = w.nodes[depth, AHEAD]
    steps = 0
    outcome = RUNNING
    while steps < w.state[k.BUDGET]:
        steps += 1
        if depth >= w.size and depth >= w.final - 5 and ahead:
            if w.target <= w.final and depth != w.final - 2 and _finish_levels(w, depth, ahead):
                ahead = NONE
            elif depth == w.final - 2:
                full = _visit_leaves(w, ahead, True)
                ahead = w.nodes[depth, AHEAD]
                if full:
                    outcome = FULL
                    break
        opened, ahead = _open_narrow(w, depth, ahead)
        if opened:
            depth = (depth + 1) & 31
            if depth < w.size:
                if not _read_children(w, depth):
                    return CORRUPT
                ahead = w.nodes[depth, AHEAD]
            continue
        if w.use == WRITE_BATCH:
            _close(w, depth)
        if depth == w.state[NARROW_FROM]:
            break
        depth = (depth - 1) & 31
        ahead = w.nodes[depth, AHEAD]
    w.nodes[depth, AHEAD] = ahead
    w.state[OPEN] = depth
    w.state[k.BUDGET] -= steps
    return outcome


@k._inlined
def _open_narrow(w: Walk, depth: int, ahead: np.uint64) -> tuple[bool, np.uint64]:
    """Opens the first child in `ahead`, with bitmasks of 32 labels. Skips a child if a test shows that no list of
    `final` cards is below it. Returns True and the children to visit below the opened child; False and NONE if no child
    is left."""
    remaining, candidates = w.nodes[depth, REMAINING], w.nodes[depth, CANDIDATES]
    row = (NARROW * depth) & 1023
    want = max(w.target, w.final) - depth - 1
    least = want + 1 if depth >= w.size else 1
    while popcount(ahead) >= least:
        label = highest(ahead) & 31
        bit = ONE << np.uint64(label)
        ahead ^= bit
        left = np.uint64(w.rows[row + label]) & remaining & (bit - ONE)
        cards = left & candidates
        if depth + 1 == w.size and not _visit_source(w):
            continue
        if depth + 1 >= w.size and popcount(cards) < want:
            continue
        first = v.both(v.load(w.rows, row), v.load(w.narrow, NARROW * label))
        second = first
        if left >> np.uint64(16):
            second = v.both(v.load(w.rows, row + 16), v.load(w.narrow, NARROW * label + 16))
            v.store(w.rows, row + NARROW + 16, second)
        if depth + 1 >= w.size and w.target <= w.final:
            cards = _drop(first, second, cards, want)
            if not cards:
                continue
        v.store(w.rows, row + NARROW, first)
        w.nodes[depth, AHEAD] = ahead
        w.nodes[depth, LABEL] = np.uint64(label)
        w.nodes[depth, CHOSEN] = np.uint64(w.names[NAMES + label])
        _set_node(w, depth + 1, left, cards)
        return True, cards
    return False, NONE


@k._inlined
def _walk_wide(w: Walk) -> int:
    """Walks below one node of `TOP` cards.

    Returns CORRUPT if the source is corrupt, FULL if the output is full, otherwise RUNNING. After RUNNING, OPEN is 0 if
    the walk below the node is done; otherwise the budget is used up.
    """
    while w.state[k.BUDGET] > 0:
        w.state[k.BUDGET] -= 1
        depth = w.state[OPEN] & 31
        if depth >= w.state[NARROW_FROM]:
            outcome = _walk_narrow(w)
            if outcome != RUNNING:
                return outcome
            depth = w.state[OPEN] & 31
            if depth != w.state[NARROW_FROM] or w.nodes[depth, AHEAD]:
                continue
            w.state[NARROW_FROM] = NO_DEPTH
        elif depth == w.final - 2 and w.nodes[depth, AHEAD]:
            if _visit_leaves(w, w.nodes[depth, AHEAD], False):
                return FULL
        elif _open_wide(w, depth):
            depth = (depth + 1) & 31
            w.state[OPEN] = depth
            if popcount(w.nodes[depth, REMAINING]) <= NARROW:
                _narrow_labels(w, depth)
            if depth < w.size and not _read_children(w, depth):
                return CORRUPT
            continue
        if w.use == WRITE_BATCH:
            _close(w, depth)
        w.state[OPEN] = depth - 1 if depth > TOP else 0
        if depth == TOP:
            return RUNNING
    return RUNNING


@k._kernel
def walk(w: Walk) -> int:
    """Walks from source lists to lists of `final` cards until all are done, the output is full or the budget is used
    up.

    Returns RUNNING (out of budget), FULL, DONE or CORRUPT. The entry LISTS of `state` is the number of lists counted or
    written. FULL means that more lists follow, but the batch has `limit` lists, or no row of `listing` is free. Then
    the caller takes the lists, sets LISTS or FILLED to 0, and calls again.
    """
    if w.state[k.LEFT] and _take_leaf(w):
        return FULL
    while w.state[k.BUDGET] > 0:
        if w.state[OPEN] == 0:
            tail, tail_below = w.tail + w.size - TOP, max(w.target, w.final) - 1 - TOP
            outcome = k._advance(w.nodes, w.state, w.source, w.out, w.spare, TOP - 1, True, tail, tail_below)
            if outcome != RUNNING:
                return outcome
            word = 0 if w.nodes[TOP - 1, AHEAD] else 1
            rest = w.nodes[TOP - 1, AHEAD + word]
            w.nodes[TOP - 1, AHEAD + word] = rest & (rest - ONE)
            if w.size == TOP and not _visit_source(w):
                continue
            _label(w, lowest(rest) + k.LOW * word)
            w.state[OPEN], w.state[NARROW_FROM] = TOP, NO_DEPTH
            if w.size > TOP and not _read_children(w, TOP):
                return CORRUPT
        outcome = _walk_wide(w)
        if outcome != RUNNING:
            return outcome
    return RUNNING
