"""The kernel of the deep walk: from lists of `size` cards to lists of `final` cards, without the sizes between.

**Labels.** Up to 64 cards remain to a list of `TOP` cards. There they get labels: the highest card is label 0. Below,
a set of cards is one word of labels, and the cards above a card are the bits below its bit. As soon as at most 32
cards remain, they get new labels, so that a set is one 32-bit word and what fits sixteen cards is one vector.

**The invariant.** As in `kernels`, a node is the list of the cards chosen so far, and for each card b that remains to
the node at depth d, the row of d has the set of cards that make no set with b and any chosen card. In the row of
`nodes` for depth d from `TOP` on, REMAINING is the set of the cards that remain, AHEAD the set of the children that are
yet to be visited, KEEP the set of the children in the batch that is being written. Depths below `TOP` are those of
`kernels`.

**Dropping.** A node that needs `want` more cards cannot use a card that fits fewer than `want` - 1 of the others. Such
cards are dropped again and again until nothing changes: CANDIDATES are the cards that stay. All other cards still
remain, as the bits of a batch count all of them. If cards must remain to a list of `final` cards, nothing is dropped:
those cards need not fit each other.

**The last levels.** If every list of `final` cards is kept, the last four levels are counted by vectors, and the last
three levels are written by vectors: the lists below a node of `final` - 2 cards follow from its pairs, and the code of
each node of `final` - 1 cards is 0.

**Three uses.** COUNT adds up lists, WRITE writes the bits of batches, LIST fills an array. In each, the walk can stop
anywhere and go on later: all it knows is in its arrays.

numba's cache does not notice a change in `kernels` or `vectors`: change this file, too.
"""

from typing import Any, cast

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from setset.engine import kernels as k
from setset.engine import vectors as v
from setset.engine.kernels import I64, U8, U64
from setset.engine.vectors import U32, Vector

# numba resolves names of modules inside kernels, but functions by their own names compile faster.
popcount, highest, lowest, extract, deposit = k.popcount, k.highest, k.lowest, k.extract, k.deposit
REMAINING, AHEAD, CANDIDATES, KEEP, CHOSEN, WRITE = k.REMAINING, k.AHEAD, k.AHEAD + 1, k.KEEP, k.CHOSEN, k.WRITE
LABEL = k.HIGH_OF_LOW  # label of the child that is open; the columns before it are the row of a node with 64 labels
RUNNING, FULL, DONE, CORRUPT = k.RUNNING, k.FULL, k.DONE, k.CORRUPT
ONE, NONE, ALL = k.ONE, k.NONE, k.ALL
_int = k._int

TOP = 6
"""To any list of this many cards at most 64 cards remain."""
NARROW = 32
"""Number of labels below a node to which at most 32 cards remain."""
NO_DEPTH = 99

COUNT, WRITE_BATCH, LIST = range(3)
"""The uses of a walk."""

# The state of a walk, after that of `kernels`.
OPEN = 8  # depth of the open node below TOP cards, 0 if none is open
NARROW_FROM = 9  # depth from which on 32 labels are used
SOURCES = 10  # source lists visited
NEXT_RUN, RUN, RUN_LENGTH = 11, 12, 13  # the source list that starts the next run, its number, lists per run
SKIP, SKIP_SOURCES = 14, 15  # lists and source lists that are yet to be skipped
FILLED = 16  # rows filled
STATE_WORDS = 20

NAMES = 64
"""Cards by their labels: from here on those of 32 labels."""


def _reverse(_context: Any, word: Any) -> Any:
    def build(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        i64 = ir.IntType(64)
        function = builder.module.declare_intrinsic("llvm.bitreverse", (i64,), ir.FunctionType(i64, [i64]))
        return builder.call(function, arguments)

    return types.uint64(word), build


reverse = cast(Any, intrinsic(_reverse))
"""The bits of a word in reverse order."""


@k._inlined
def _write_code(nodes: U64, out: U64, depth: int, keep: np.uint64, remaining: np.uint64, tail: int) -> None:
    """Writes a node, which goes on below these of its remaining cards."""
    others = remaining ^ keep
    code = popcount(others) - tail
    if code < 0 or code >= k.EXCEPT or others >= (keep & (~keep + ONE)):
        code = k.EXCEPT
        count = popcount(remaining)
        position = _int(nodes[depth, k.WRITE_BITS])
        k._write(out, position, reverse(extract(keep, remaining)) >> np.uint64(64 - count))
        nodes[depth, k.WRITE_BITS] = np.uint64(position + count)
    position = _int(nodes[depth, WRITE])
    k._write(out, position, np.uint64(code))
    nodes[depth, WRITE] = np.uint64(position + k.CODE_BITS)


@k._inlined
def _write_zeros(nodes: U64, out: U64, depth: int, count: int) -> None:
    """Writes nodes whose code is 0."""
    position = _int(nodes[depth, WRITE])
    end = position + k.CODE_BITS * count
    for word in range((position >> 6) + 1, (end >> 6) + 1):
        out[word] = NONE
    nodes[depth, WRITE] = np.uint64(end)


@k._inlined
def _close(nodes: U64, out: U64, depth: int, tail: int) -> None:
    """Writes the node at a depth if anything below it is in this batch, and notes that in its parent."""
    keep = nodes[depth, KEEP]
    if keep:
        _write_code(nodes, out, depth, keep, nodes[depth, REMAINING], tail)
        nodes[depth, KEEP] = NONE
        if depth > TOP:
            nodes[depth - 1, KEEP] |= ONE << nodes[depth - 1, LABEL]
        else:
            k._keep(nodes, TOP - 1, _int(nodes[TOP - 1, CHOSEN]))


@k._inlined
def _read_children(nodes: U64, source: U64, depth: int, tail: int) -> bool:
    """Reads which children the open node at a depth has; False if there are none."""
    remaining = nodes[depth, REMAINING]
    position = _int(nodes[depth, k.READ])
    if position + k.CODE_BITS > _int(nodes[depth, k.READ_END]):
        return False
    nodes[depth, k.READ] = np.uint64(position + k.CODE_BITS)
    code = _int((source[position >> 6] >> np.uint64(position & 63)) & np.uint64(k.EXCEPT))
    count = popcount(remaining)
    if code != k.EXCEPT:
        if count <= tail + code:
            return False
        nodes[depth, AHEAD] = deposit(ALL << np.uint64(tail + code), remaining)
        return True
    position = _int(nodes[depth, k.READ_BITS])
    if count == 0 or position + count > _int(nodes[depth, k.READ_BITS_END]):
        return False
    nodes[depth, k.READ_BITS] = np.uint64(position + count)
    bits, _ = k._read(source, position, count)
    nodes[depth, AHEAD] = deposit(reverse(bits) >> np.uint64(64 - count), remaining)
    return bool(bits)


@k._inlined
def _label(nodes: U64, thirds: U8, wide: U64, bits: U64, names: I64, card: int) -> None:
    """Opens the node below `card` at depth TOP: gives labels to its cards, and makes its row and the table `wide`,
    for two labels the set of all labels but that of the third card of their set."""
    low, high = k._remaining(nodes, TOP - 1, card)
    for other in range(128):
        bits[other] = NONE
    count = 0
    for word in range(2):
        rest = low if word else high
        while rest:
            label = highest(rest)
            rest ^= ONE << np.uint64(label)
            name = label if word else label + k.LOW
            names[count] = name
            bits[name] = ONE << np.uint64(count)
            count += 1
    whole = ALL >> np.uint64(64 - count) if count else NONE
    nodes[TOP, REMAINING] = whole
    nodes[TOP - 1, CHOSEN] = np.uint64(card)
    for a in range(count):
        line = (names[a] & 127) << 7
        fitting = whole ^ (ONE << np.uint64(a))
        for depth in range(TOP):
            fitting &= ~bits[thirds[line | (_int(nodes[depth, CHOSEN]) & 127)] & 127]
        nodes[TOP, a] = fitting
        for b in range(a):
            wide[a & 63, b] = ~bits[thirds[line | (names[b] & 127)] & 127]


@k._inlined
def _narrow_labels(nodes: U64, wide: U64, rows: U32, narrow: U32, bits: U64, names: I64, depth: int) -> None:
    """Gives new labels to the at most 32 cards that remain to the node at a depth: makes its row in `rows` and the
    table `narrow`."""
    remaining = nodes[depth, REMAINING]
    for label in range(65):
        bits[label] = NONE
    count = 0
    rest = remaining
    while rest:
        label = lowest(rest)
        rest &= rest - ONE
        bits[label] = ONE << np.uint64(count)
        names[NAMES + count] = names[label]
        names[2 * NAMES + count] = label
        rows[NARROW * depth + count] = np.uint32(extract(nodes[depth, label], remaining))
        count += 1
    for a in range(count):
        line = names[2 * NAMES + a] & 63
        for b in range(a):
            third = lowest(~wide[line, names[2 * NAMES + b] & 63])
            narrow[NARROW * a + b] = np.uint32(~bits[third])
    nodes[depth, REMAINING] = (ONE << np.uint64(count)) - ONE


@k._inlined
def _drop(first: Vector, second: Vector, cards: np.uint64, want: int) -> np.uint64:
    """The cards that fit at least `want` - 1 others that stay, too; NONE if fewer than `want` stay.

    The vectors are the rows of the cards 0 to 15 and 16 to 31.
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
def _visit_source(state: I64, counts: I64) -> bool:
    """Counts a source list, and notes where a run of them starts; False if the list is to be skipped."""
    if state[SOURCES] == state[NEXT_RUN] and state[RUN] < len(counts):
        counts[state[RUN]] = state[k.LISTS]
        state[RUN] += 1
        state[NEXT_RUN] += state[RUN_LENGTH]
    state[SOURCES] += 1
    return bool(state[SOURCES] > state[SKIP_SOURCES])


@k._inlined
def _open_narrow(
    nodes: U64,
    state: I64,
    rows: U32,
    narrow: U32,
    names: I64,
    counts: I64,
    depth: int,
    size: int,
    want: int,
    drop: bool,
) -> bool:
    """Opens the next child, with 32 labels, that may lead to a list; False if there is none.

    A child needs `want` more cards.
    """
    remaining, ahead, candidates = nodes[depth, REMAINING], nodes[depth, AHEAD], nodes[depth, CANDIDATES]
    row = (NARROW * depth) & 1023
    first, second = v.load(rows, row), v.load(rows, row + 16)
    least = want + 1 if depth >= size else 1
    while popcount(ahead) >= least:
        label = highest(ahead)
        bit = ONE << np.uint64(label)
        ahead ^= bit
        left = np.uint64(rows[row + (label & 31)]) & remaining & (bit - ONE)
        if depth + 1 == size and not _visit_source(state, counts):
            continue
        if depth + 1 >= size and popcount(left) < want:
            continue
        line = (NARROW * label) & 1023
        below = v.both(first, v.load(narrow, line))
        below_second = v.both(second, v.load(narrow, line + 16))
        cards = left
        if depth + 1 >= size and drop:
            cards = _drop(below, below_second, left & candidates if depth >= size else left, want)
            if not cards:
                continue
        v.store(rows, row + NARROW, below)
        v.store(rows, row + NARROW + 16, below_second)
        nodes[depth, AHEAD] = ahead
        nodes[depth, LABEL] = np.uint64(label)
        nodes[depth, CHOSEN] = np.uint64(names[NAMES + (label & 31)])
        nodes[depth + 1, REMAINING] = left
        nodes[depth + 1, AHEAD] = cards
        nodes[depth + 1, CANDIDATES] = cards
        return True
    nodes[depth, AHEAD] = NONE
    return False


@k._inlined
def _open_wide(nodes: U64, state: I64, wide: U64, names: I64, counts: I64, depth: int, size: int, want: int) -> bool:
    """As `_open_narrow`, with 64 labels. Nothing is dropped."""
    remaining, ahead = nodes[depth, REMAINING], nodes[depth, AHEAD]
    least = want + 1 if depth >= size else 1
    while popcount(ahead) >= least:
        label = highest(ahead)
        bit = ONE << np.uint64(label)
        ahead ^= bit
        left = nodes[depth, label & 63] & remaining & (bit - ONE)
        if depth + 1 == size and not _visit_source(state, counts):
            continue
        if depth + 1 >= size and popcount(left) < want:
            continue
        for b in range(64):
            nodes[depth + 1, b] = nodes[depth, b] & wide[label & 63, b]
        nodes[depth, AHEAD] = ahead
        nodes[depth, LABEL] = np.uint64(label)
        nodes[depth, CHOSEN] = np.uint64(names[label & 63])
        nodes[depth + 1, REMAINING] = left
        nodes[depth + 1, AHEAD] = left
        nodes[depth + 1, CANDIDATES] = left
        return True
    nodes[depth, AHEAD] = NONE
    return False


@k._inlined
def _quads(rows: U32, narrow: U32, under: U32, depth: int, remaining: np.uint64, rest: np.uint64, both: bool) -> int:
    """Number of ways to add four of the cards in `rest` to the node at a depth. `both`: labels from 16 on occur."""
    row = (NARROW * depth) & 1023
    found = v.zeros()
    first = v.both(v.load(rows, row), v.load(under, 0))
    second = v.both(v.load(rows, row + 16), v.load(under, 16))
    for _ in range(popcount(rest) - 3):
        a = highest(rest) & 31
        rest ^= ONE << np.uint64(a)
        left = np.uint64(rows[row + a]) & rest
        many = popcount(left) - 2
        if many <= 0:
            continue
        line = NARROW * a
        below = v.both(first, v.load(narrow, line))
        below_second = v.both(second, v.load(narrow, line + 16))
        for _ in range(many):
            b = highest(left) & 31
            left ^= ONE << np.uint64(b)
            last = np.uint64(rows[row + b] & narrow[line + b]) & left
            word = v.repeat(last)
            pairs = v.counted(v.both(v.both(below, word), v.load(narrow, NARROW * b)))
            found = v.add_where(found, pairs, last)
            if both:
                pairs = v.counted(v.both(v.both(below_second, word), v.load(narrow, NARROW * b + 16)))
                found = v.add_where(found, pairs, last >> np.uint64(16))
    return v.total(found)


@k._inlined
def _triples(rows: U32, narrow: U32, under: U32, depth: int, rest: np.uint64) -> int:
    """Number of ways to add three of the cards in `rest` to the node at a depth."""
    row = (NARROW * depth) & 1023
    found = v.zeros()
    first = v.both(v.load(rows, row), v.load(under, 0))
    second = v.both(v.load(rows, row + 16), v.load(under, 16))
    for _ in range(popcount(rest) - 2):
        a = highest(rest) & 31
        rest ^= ONE << np.uint64(a)
        last = np.uint64(rows[row + a]) & rest
        word = v.repeat(last)
        found = v.add_where(found, v.counted(v.both(v.both(first, word), v.load(narrow, NARROW * a))), last)
        pairs = v.counted(v.both(v.both(second, word), v.load(narrow, NARROW * a + 16)))
        found = v.add_where(found, pairs, last >> np.uint64(16))
    return v.total(found)


@k._inlined
def _write_triples(nodes: U64, state: I64, out: U64, rows: U32, narrow: U32, under: U32, depth: int) -> None:
    """Writes all lists with three more cards than the node at a depth, if every one of them is kept."""
    row = (NARROW * depth) & 1023
    remaining, rest = nodes[depth, REMAINING], nodes[depth, AHEAD]
    found = v.zeros()
    first = v.both(v.load(rows, row), v.load(under, 0))
    second = v.both(v.load(rows, row + 16), v.load(under, 16))
    keep = NONE
    nodes_of_pairs = nodes_of_lists = 0
    for _ in range(popcount(rest) - 2):
        a = highest(rest) & 31
        bit = ONE << np.uint64(a)
        rest ^= bit
        left = np.uint64(rows[row + a]) & remaining & (bit - ONE)
        word = v.repeat(left)
        pairs = v.counted(v.both(v.both(first, word), v.load(narrow, NARROW * a)))
        kept = v.at_least(pairs, 1)
        found = v.add_where(found, pairs, left)
        pairs = v.counted(v.both(v.both(second, word), v.load(narrow, NARROW * a + 16)))
        kept |= v.at_least(pairs, 1) << np.uint64(16)
        found = v.add_where(found, pairs, left >> np.uint64(16))
        kept &= left
        if kept:
            _write_code(nodes, out, depth + 1, kept, left, 1)
            keep |= bit
            nodes_of_pairs += 1
            nodes_of_lists += popcount(kept)
    _write_zeros(nodes, out, depth + 2, nodes_of_lists)
    nodes[depth, AHEAD] = NONE
    nodes[depth, KEEP] |= keep
    state[k.LISTS] += v.total(found)
    state[k.BUDGET] -= nodes_of_pairs


@k._inlined
def _kept(
    nodes: U64, wide: U64, rows: U32, narrow: U32, depth: int, label: int, left: np.uint64, need: int, is_narrow: bool
) -> np.uint64:
    """Of the cards `left` after `label` was added to the node at a depth: those above which `need` of them remain."""
    if need == 0:
        return left
    kept = NONE
    rest = left
    while rest:
        b = highest(rest) & 63
        bit = ONE << np.uint64(b)
        rest ^= bit
        if is_narrow:
            fitting = np.uint64(rows[NARROW * depth + (b & 31)] & narrow[NARROW * label + (b & 31)])
        else:
            fitting = nodes[depth, b] & wide[label, b]
        if popcount(fitting & rest) >= need:
            kept |= bit
    return kept


@k._inlined
def _highest_bits(word: np.uint64, count: int) -> np.uint64:
    """The `count` highest of the bits that are set in a word."""
    rest = word
    for _ in range(count):
        rest ^= ONE << np.uint64(highest(rest))
    return word ^ rest


@k._inlined
def _write_part(nodes: U64, state: I64, out: U64, final: int, limit: int, tail: int) -> bool:
    """Puts the lists that are left of the open leaf into the batch, as far as it has room.

    If it has not, closes the batch and keeps the rest for the next one: returns True.
    """
    kept = np.uint64(state[k.LEFT])
    full = bool(popcount(kept) > limit - state[k.LISTS])
    if full:
        kept = _highest_bits(kept, limit - state[k.LISTS])
    state[k.LEFT] ^= _int(kept)
    if kept:
        _write_code(nodes, out, final - 1, kept, np.uint64(state[k.LEAF]), tail)
        nodes[final - 2, KEEP] |= ONE << nodes[final - 2, LABEL]
        state[k.LISTS] += popcount(kept)
    if full:
        finish(nodes, out, final, tail)
    return full


@k._kernel
def finish(nodes: U64, out: U64, final: int, tail: int) -> None:
    """Closes all open nodes."""
    for depth in range(final - 2, TOP - 1, -1):
        _close(nodes, out, depth & 31, tail + final - 1 - depth)
    k.finish(nodes, out, TOP, tail + final - TOP)


@k._inlined
def _list_part(nodes: U64, state: I64, names: I64, listing: U8, final: int) -> bool:
    """Puts the lists that are left of the open leaf into rows; True if the rows are full and lists are left."""
    kept = np.uint64(state[k.LEFT])
    skipped = min(popcount(kept), state[SKIP])
    if skipped:
        kept ^= _highest_bits(kept, skipped)
        state[SKIP] -= skipped
    state[k.LISTS] += skipped
    if kept:
        base = NAMES if final - 2 >= state[NARROW_FROM] else 0
        last = (final - 1) & 31
        prefix = k._prefix(nodes, last)
        shift = np.uint64(8 * (last & 7))
        room = (len(listing) - k.SLACK) // final
        filled = state[FILLED]
        while kept and filled < room:
            label = highest(kept)
            kept ^= ONE << np.uint64(label)
            k._put(listing, filled * final, final, prefix, np.uint64(names[base + (label & 63)]) << shift)
            filled += 1
        state[k.LISTS] += filled - state[FILLED]
        state[FILLED] = filled
    state[k.LEFT] = _int(kept)
    return bool(kept)


@k._inlined
def _visit_leaves(
    nodes: U64,
    state: I64,
    out: U64,
    wide: U64,
    rows: U32,
    narrow: U32,
    names: I64,
    listing: U8,
    use: int,
    final: int,
    need: int,
    limit: int,
    is_narrow: bool,
) -> bool:
    """Counts, writes or lists all lists below the node of `final` - 2 cards; True if a batch or the rows are full."""
    depth = (final - 2) & 31
    remaining, ahead = nodes[depth, REMAINING], nodes[depth, AHEAD]
    while popcount(ahead) >= need + 2:
        label = highest(ahead) & 63
        bit = ONE << np.uint64(label)
        ahead ^= bit
        fitting = np.uint64(rows[NARROW * depth + (label & 31)]) if is_narrow else nodes[depth, label]
        left = fitting & remaining & (bit - ONE)
        kept = _kept(nodes, wide, rows, narrow, depth, label, left, need, is_narrow)
        if not kept:
            continue
        if use == COUNT:
            state[k.LISTS] += popcount(kept)
            continue
        nodes[depth, AHEAD] = ahead
        nodes[depth, LABEL] = np.uint64(label)
        nodes[depth, CHOSEN] = np.uint64(names[label + (NAMES if is_narrow else 0)])
        state[k.LEFT], state[k.LEAF] = _int(kept), _int(left)
        state[k.BUDGET] -= 1
        if use == LIST:
            if _list_part(nodes, state, names, listing, final):
                return True
        elif _write_part(nodes, state, out, final, limit, need):
            return True
    nodes[depth, AHEAD] = NONE
    return False


@k._inlined
def _count_or_write_many(
    nodes: U64, state: I64, out: U64, rows: U32, narrow: U32, under: U32, use: int, depth: int, final: int, limit: int
) -> bool:
    """Does the last three or four levels of the node at a depth at once, if that can be done; False otherwise."""
    rest = nodes[depth, AHEAD]
    if use == WRITE_BATCH:
        if depth != final - 3 or state[k.LISTS] + MOST_TRIPLES > limit:
            return False
        _write_triples(nodes, state, out, rows, narrow, under, depth)
        return True
    if use == LIST and state[SKIP] == 0:
        return False
    if depth == final - 3:
        found = _triples(rows, narrow, under, depth, rest)
    elif rest >> np.uint64(16):
        found = _quads(rows, narrow, under, depth, rest, rest, True)
    else:
        found = _quads(rows, narrow, under, depth, rest, rest, False)
    if use == LIST:
        if found > state[SKIP]:
            return False
        state[SKIP] -= found
    state[k.LISTS] += found
    nodes[depth, AHEAD] = NONE
    return True


MOST_TRIPLES = 32 * 31 * 30 // 6


@k._inlined
def _walk_below(
    nodes: U64,
    state: I64,
    source: U64,
    out: U64,
    wide: U64,
    rows: U32,
    narrow: U32,
    under: U32,
    bits: U64,
    names: I64,
    counts: I64,
    listing: U8,
    use: int,
    size: int,
    final: int,
    target: int,
    limit: int,
    tail: int,
) -> int:
    """Walks below the open list of TOP cards: RUNNING, FULL or CORRUPT. OPEN is 0 when all is done."""
    need = max(target - final, 0)
    whole = max(target, final)
    while state[k.BUDGET] > 0:
        state[k.BUDGET] -= 1
        depth = state[OPEN] & 31
        is_narrow = depth >= state[NARROW_FROM]
        ahead = nodes[depth, AHEAD]
        if ahead and is_narrow and need == 0 and depth >= size and (depth == final - 4 or depth == final - 3):
            if _count_or_write_many(nodes, state, out, rows, narrow, under, use, depth, final, limit):
                ahead = NONE
        if ahead and depth == final - 2:
            if is_narrow:
                full = _visit_leaves(
                    nodes, state, out, wide, rows, narrow, names, listing, use, final, need, limit, True
                )
            else:
                full = _visit_leaves(
                    nodes, state, out, wide, rows, narrow, names, listing, use, final, need, limit, False
                )
            if full:
                return FULL
            ahead = NONE
        opened = False
        if ahead:
            want = whole - depth - 1
            if is_narrow:
                opened = _open_narrow(nodes, state, rows, narrow, names, counts, depth, size, want, need == 0)
            else:
                opened = _open_wide(nodes, state, wide, names, counts, depth, size, want)
        if not opened:
            if use == WRITE_BATCH:
                _close(nodes, out, depth, need + final - 1 - depth)
            if depth == state[NARROW_FROM]:
                state[NARROW_FROM] = NO_DEPTH
            state[OPEN] = depth - 1 if depth > TOP else 0
            if depth == TOP:
                return RUNNING
            continue
        state[OPEN] = depth + 1
        if not _enter(nodes, state, source, wide, rows, narrow, bits, names, depth + 1, size, tail):
            return CORRUPT
    return RUNNING


@k._inlined
def _enter(
    nodes: U64,
    state: I64,
    source: U64,
    wide: U64,
    rows: U32,
    narrow: U32,
    bits: U64,
    names: I64,
    depth: int,
    size: int,
    tail: int,
) -> bool:
    """Makes the node at a depth, whose row and remaining cards are there, ready to be walked; False if corrupt."""
    nodes[depth, KEEP] = NONE
    if depth < state[NARROW_FROM] and popcount(nodes[depth, REMAINING]) <= NARROW and depth > TOP:
        _narrow_labels(nodes, wide, rows, narrow, bits, names, depth)
        state[NARROW_FROM] = depth
        nodes[depth, AHEAD] = nodes[depth, CANDIDATES] = nodes[depth, REMAINING]
    return depth >= size or _read_children(nodes, source, depth, tail + size - 1 - depth)


@k._kernel
def walk(
    nodes: U64,
    state: I64,
    source: U64,
    out: U64,
    spare: U64,
    thirds: U8,
    wide: U64,
    rows: U32,
    narrow: U32,
    under: U32,
    bits: U64,
    names: I64,
    counts: I64,
    listing: U8,
    use: int,
    size: int,
    final: int,
    target: int,
    limit: int,
    tail: int,
) -> int:
    """Walks from source lists of `size` (at least TOP) cards to lists of `final` (at least two more) cards, as far as
    the budget allows: RUNNING, FULL, DONE or CORRUPT.

    LISTS counts the lists. `counts[r]` is what it was at the start of run r. FULL means that a batch has `limit` lists
    and there is one more, or that all rows of `listing` are filled and there is one more: the caller takes them away,
    resets the state and calls again. `tail` is that of the source.

    The other arrays are tables and space of the walk: `thirds` has the third card of cards a and b at 128 a + b,
    `under` all bits below each bit.
    """
    need = max(target - final, 0)
    if state[k.LEFT]:
        if use == LIST:
            if _list_part(nodes, state, names, listing, final):
                return FULL
        elif _write_part(nodes, state, out, final, limit, need):
            return FULL
    while state[k.BUDGET] > 0:
        if state[OPEN] == 0:
            top_tail = tail + size - TOP
            outcome = k._advance(nodes, state, source, out, spare, TOP - 1, True, top_tail, need + final - 1 - TOP)
            if outcome != RUNNING:
                return outcome
            word = 0 if nodes[TOP - 1, AHEAD] else 1
            rest = nodes[TOP - 1, AHEAD + word]
            nodes[TOP - 1, AHEAD + word] = rest & (rest - ONE)
            if size == TOP and not _visit_source(state, counts):
                continue
            _label(nodes, thirds, wide, bits, names, lowest(rest) + k.LOW * word)
            nodes[TOP, AHEAD] = nodes[TOP, CANDIDATES] = nodes[TOP, REMAINING]
            state[OPEN], state[NARROW_FROM] = TOP, NO_DEPTH
            if not _enter(nodes, state, source, wide, rows, narrow, bits, names, TOP, size, tail):
                return CORRUPT
        outcome = _walk_below(
            nodes, state, source, out, wide, rows, narrow, under, bits, names, counts, listing, use, size, final,
            target, limit, tail,
        )  # fmt: skip
        if outcome != RUNNING:
            return outcome
    return RUNNING
