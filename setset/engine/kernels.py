"""numba kernels that walk the tree of lists at the speed of C.

**The split.** A bitmask of cards is two words: `low` for the cards 0..16, `high` for the cards 17..80. The remaining
cards of a list lie above its highest card. So as soon as a card above 15 is chosen, the low word is empty, and all
work is done on one word.

**The invariant.** A *node* is the list of the cards chosen so far; a list is *below* it if it begins with these cards.
For each remaining card b of the node at depth d, `fits[d, b]` is a bitmask of the cards that make no set with b and any
chosen card. If a fits b, then b fits a. Choosing c gives

    remaining    = remaining & fits[d, c] & the cards above c
    fits[d+1, b] = fits[d, b] & ~third(c, b)    for each b in remaining

so a list costs one AND per remaining card, whatever its size.

**Enough.** A child is kept if it has at least `need` remaining cards. The kernel decides this for all children of a
list at once. The `need` highest remaining cards each have fewer than `need` cards above them, so none of them is kept.
The next lower card is kept if it fits all of them. A still lower card is kept if it fits at least `need` of these
`need` + 1 cards, which is true for nearly all. Two bitmasks show this: `every` has the cards that fit all cards seen so
far, and `but_one` the cards that fit all of them except at most one. The kernel examines the few cards outside
`but_one` one by one.

**The bits.** A batch is the tree of the prefixes of its lists. The children of a node are some of its remaining cards:
nearly always all but the highest few, because too few cards remain above these. Usually the `tail` highest remaining
cards have no child. So a node is written as a code of two bits: the number of cards without a child minus `tail`. If no
such code describes the node, the code is EXCEPT, and a second stream holds one bit per remaining card, ascending: 1 if
it has a child. The codes of all nodes of one depth, in order, make one stream, least significant bit first; the bits
of the exceptions make another. The argument `tail` is the tail of the last depth. The tail of any other depth is one
more than the tail of the next depth.

**The node row.** The row `nodes[d]` holds all that a walk knows about the open node at depth d (the first d chosen
cards), in the columns named below. So a walk can stop anywhere and resume later. The row `spare[c]` has the same first
columns: for each card b, all bits except the bit of third(c, b). Masks on depths and cards (`& 31`, `& 127`) tell the
compiler that an index is not negative. Arrays are passed only to inlined functions and never cut into views, because
numba would count references to them, which takes longer than the work itself. In a row, a bitmask has a bit per card of
the deck. In the streams, bit i stands for the i-th remaining card.

**The rule.** With a rule, `expand` keeps a child only if the hyperplanes allow it to reach the target; `pruning`
explains the rule and makes its tables. For each direction, one word holds the number of cards of the list in each of
the three hyperplanes, a field per hyperplane. Children of one list mostly fail in the same few directions. So a
direction in which a child fails moves forward in the order of the tests. The order does not change the result. For the
largest targets, the rule also demands a centre: see `_note_centres`. Each centre of a list is also a centre of its
parent.

All these kernels are in one module because numba's cache does not notice a change in another file. For the same reason
all tables are arguments.
"""

import platform
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numpy as np
import numpy.typing as npt
from llvmlite import binding as llvm
from llvmlite import ir
from numba import config, types
from numba.extending import intrinsic
from numba.np import arrayobj

from setset.compiler import njit

U64 = npt.NDArray[np.uint64]
I64 = npt.NDArray[np.int64]
U8 = npt.NDArray[np.uint8]
Pair = tuple[np.uint64, np.uint64]
"""Bitmask of cards as two words: the cards below `LOW`, then all other cards."""

LOW = 17
"""Cards below this number are in the low word."""

# Columns of a node row, as the docstring of this module describes it. `fits` of a high card needs only the high word,
# because only higher cards are added after it.
HIGH_OF_HIGH = 0  # + (b - 17): high word of fits[b], for b >= 17
HIGH_OF_LOW = 64  # + b: high word of fits[b], for b < 17
LOW_OF_LOW = 81  # + b: low word of fits[b], for b < 17
REMAINING = 98  # low, high: the remaining cards
AHEAD = 100  # low, high: children of the source not visited yet
KEEP = 102  # low, high: children in the batch that is being written
CHOSEN = 104  # card of the open child
READ, READ_END = 105, 106  # next position and end of the codes in the source, in bits
READ_BITS, READ_BITS_END = 107, 108  # the same for exceptions
WRITE, WRITE_BITS = 109, 110  # positions in the output: codes, exceptions
COLUMNS = 112

# Indexes in the array `state` of a walk.
# The open leaf is the list whose children are being written. LEFT: its children not written yet. LEAF: its remaining
# cards. Both as low and high word.
DEPTH, BUDGET, LISTS, LEFT, LEFT_HIGH, LEAF, LEAF_HIGH = range(7)

RUNNING, FULL, DONE, CORRUPT = range(4)

CODE_BITS = 2
EXCEPT = 3
"""Code of a node that no other code describes. The children of the node are in the stream of exceptions."""

# Offsets in the array `rule`, which has the tables of the rule.
DIRECTIONS = 40
FIELD, FIELD_BITS = np.uint64(16), np.uint64(0xFFFF)  # width and mask of the field of a hyperplane
ONE_MORE = 32  # amount that one card of the list adds to a field
PLACES = 10 * ONE_MORE  # number of table entries per hyperplane: 0 to 9 cards, each with up to 27 remaining cards
PLANE_LOW, PLANE_HIGH = 0, 80  # + 2 * direction: low and high words of the cards in the first two hyperplanes
ALLOWED = 160  # + PLACES * hyperplane + field + remaining cards in the hyperplane
STEP = ALLOWED + 3 * PLACES  # + 81 * direction + card: amount that a card adds to the word of a direction
# At this offset: one more than the maximum number of cards without a partner; 0 if the rule requires no centre.
UNPAIRED = STEP + 81 * DIRECTIONS
THIRDS = UNPAIRED + 1  # table of the third card of a set with cards a and b, in bytes
RULE_WORDS = THIRDS + (81 * 81 + 7) // 8

# Offsets in the array `notes`: results of the rule that persist from call to call.
ORDER = 0  # the directions, in the order of their tests
TOGETHER = 3  # number of directions tested on all children of a list at once
KNOWN = 40  # + depth: one more than the card for which the words were computed last
WORDS = 72  # + DIRECTIONS * cards + direction: word of a direction for the list of the first cards
CHILD, CHILD_LOW, CHILD_HIGH = 960, 1056, 1152  # the tested children: card, and remaining cards
CHOSEN_CARDS = 1248  # + 2 * cards: bitmask of the first cards, as low and high word
CENTRES = 1292  # + 2 * cards: bitmask of the centres of these cards, as low and high word
CENTRE = 1336  # + 3 * index: a centre of the expanded list, and the partners of its cards as two words
NOTE_WORDS = CENTRE + 3 * 81

SLACK = 48
"""Number of spare bytes after the last list of an array. Each list is stored in whole words, and its last word may run
past its end."""

ONE = np.uint64(1)
NONE = np.uint64(0)
ALL = np.uint64(0xFFFF_FFFF_FFFF_FFFF)
ALL_BUT_ONE = np.uint64(0xFFFF_FFFF_FFFF_FFFE)


_Function = TypeVar("_Function", bound=Callable[..., Any])
# `_nrt=False` turns off numba's reference counts. The kernels neither make nor keep arrays, so they need none.
_kernel: Callable[[_Function], _Function] = njit(cache=True, nogil=True, _nrt=False)
_inlined: Callable[[_Function], _Function] = njit(forceinline=True, _nrt=False)


def has_fast_extract() -> bool:
    """Whether the processor that numba compiles for has a fast PEXT instruction. On early AMD processors it is slow."""
    if platform.machine() not in ("x86_64", "AMD64"):
        return False
    name = vars(config)["CPU_NAME"] or llvm.get_host_cpu_name()
    features = vars(config)["CPU_FEATURES"]
    if features is not None:
        return "+bmi2" in features.split(",")
    return name not in ("generic", "znver1", "znver2") and llvm.get_host_cpu_features().get("bmi2", False)


def _popcount(_context: Any, word: Any) -> Any:
    def build(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.int64(word), build


def _lowest(_context: Any, word: Any) -> Any:
    def build(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 0))

    return types.int64(word), build


def _store_word(_context: Any, rows: Any, at: Any, word: Any) -> Any:
    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = arrayobj.make_array(signature.args[0])(context, builder, arguments[0])  # type: ignore[no-untyped-call]
        pointer = builder.bitcast(builder.gep(array.data, [arguments[1]]), ir.IntType(64).as_pointer())
        builder.store(arguments[2], pointer, align=1)
        return context.get_dummy_value()

    return types.void(rows, at, word), build


def _highest(_context: Any, word: Any) -> Any:
    def build(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        zeros = builder.ctlz(arguments[0], ir.Constant(ir.IntType(1), 1))
        return builder.xor(zeros, ir.Constant(ir.IntType(64), 63))

    return types.int64(word), build


def _make_two_words(name: str) -> Any:
    """Makes a numba intrinsic for a processor instruction that takes a word and a mask, like PEXT."""

    def on_two_words(_context: Any, word: Any, mask: Any) -> Any:
        def build(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
            i64 = ir.IntType(64)
            function = builder.module.declare_intrinsic(name, (), ir.FunctionType(i64, [i64, i64]))
            return builder.call(function, arguments)

        return types.uint64(word, mask), build

    return intrinsic(on_two_words)


popcount = cast(Callable[[np.uint64], int], intrinsic(_popcount))
"""The number of set bits in a word."""
lowest = cast(Callable[[np.uint64], int], intrinsic(_lowest))
"""The index of the lowest set bit of a word; 64 for the word 0."""
highest = cast(Callable[[np.uint64], int], intrinsic(_highest))
"""The index of the highest set bit of a word, which must not be 0."""
_int = cast(Callable[[Any], int], np.int64)
_store = cast(Callable[[U8, int, np.uint64], None], intrinsic(_store_word))
"""Stores the eight bytes of a word at any index of a flat byte array."""


@_inlined
def _read(words: U64, position: int, count: int) -> Pair:
    """Reads `count` (1 to 81) bits as two words. May read the two spare words after the last stream."""
    word = position >> 6
    shift = np.uint64(position & 63)
    left_shift = np.uint64(63) - shift
    first = (words[word] >> shift) | ((words[word + 1] << ONE) << left_shift)
    if count <= 64:
        return first & (ALL >> np.uint64(64 - count)), NONE
    second = (words[word + 1] >> shift) | ((words[word + 2] << ONE) << left_shift)
    return first, second & (ALL >> np.uint64(128 - count))


@_inlined
def _write(words: U64, position: int, bits: np.uint64) -> None:
    """Writes up to 64 bits at a position where all bits are 0. Bits that do not fit go to the next word, whose other
    bits become 0."""
    word = position >> 6
    shift = np.uint64(position & 63)
    words[word] |= bits << shift
    words[word + 1] = (bits >> ONE) >> (np.uint64(63) - shift)


def extract_by_steps(word: np.uint64, mask: np.uint64) -> np.uint64:
    """Moves the bits of a word that a mask selects to the lowest bits (PEXT). Takes a step per selected bit."""
    selected = NONE
    rest = word & mask
    while rest:
        selected |= ONE << np.uint64(popcount(mask & (rest ^ (rest - ONE))) - 1)
        rest &= rest - ONE
    return selected


def deposit_by_steps(bits: np.uint64, mask: np.uint64) -> np.uint64:
    """Keeps the i-th set bit of a mask if bit i of `bits` is set (PDEP). Takes a step per bit of the mask."""
    deposited = NONE
    rest = mask
    while rest and bits:
        deposited |= (rest & (~rest + ONE)) * (bits & ONE)
        rest &= rest - ONE
        bits >>= ONE
    return deposited


_TwoWords = Callable[[np.uint64, np.uint64], np.uint64]
extract: _TwoWords
"""Moves the bits of a word that a mask selects to the lowest bits, by one instruction if the processor has it."""
deposit: _TwoWords
"""The inverse of `extract`: keeps the i-th set bit of a mask if bit i of a word is set."""
if has_fast_extract():
    extract, deposit = (_make_two_words(f"llvm.x86.bmi.{name}.64") for name in ("pext", "pdep"))
else:
    extract, deposit = _inlined(extract_by_steps), _inlined(deposit_by_steps)


@_inlined
def _glance(nodes: U64, depth: int, card: int) -> int:
    """Opens a child like `_descend`, but computes only its remaining cards. This is enough for a child whose own
    children are not opened."""
    depth, card = depth & 31, card & 127
    low, high = _remaining(nodes, depth, card)
    nodes[depth + 1, REMAINING] = low
    nodes[depth + 1, REMAINING + 1] = high
    return popcount(low) + popcount(high)


@_inlined
def _remaining(nodes: U64, depth: int, card: int) -> Pair:
    """The remaining cards after `card` is added to the node at `depth`."""
    low, high = nodes[depth, REMAINING], nodes[depth, REMAINING + 1]
    if card < LOW:
        above = ALL_BUT_ONE << np.uint64(card)
        return low & above & nodes[depth, LOW_OF_LOW + card], high & nodes[depth, HIGH_OF_LOW + card]
    above = ALL_BUT_ONE << np.uint64((card - LOW) & 63)
    return NONE, high & above & nodes[depth, (HIGH_OF_HIGH + card - LOW) & 63]


@_inlined
def _descend(nodes: U64, spare: U64, depth: int, card: int) -> int:
    """Opens the child that adds `card` to the node at `depth`; returns the number of its remaining cards."""
    depth, card = depth & 31, card & 127
    below = depth + 1
    count = _glance(nodes, depth, card)
    rest = nodes[below, REMAINING]
    while rest:
        b = lowest(rest)
        rest &= rest - ONE
        nodes[below, LOW_OF_LOW + b] = nodes[depth, LOW_OF_LOW + b] & spare[card, LOW_OF_LOW + b]
        nodes[below, HIGH_OF_LOW + b] = nodes[depth, HIGH_OF_LOW + b] & spare[card, HIGH_OF_LOW + b]
    # The loop updates all high cards, not only the remaining ones, so the compiler makes vector code without a branch.
    for b in range(HIGH_OF_LOW):
        nodes[below, HIGH_OF_HIGH + b] = nodes[depth, HIGH_OF_HIGH + b] & spare[card, HIGH_OF_HIGH + b]
    return count


def _make_enough(steps: int | None) -> Callable[[U64, U64, int, int, np.uint64, int], np.uint64]:
    """Makes the kernel `_enough` for `need` = `steps`, with its loop unrolled. If `steps` is None, the kernel takes any
    `need`."""

    @_inlined
    def enough(nodes: U64, spare: U64, depth: int, card: int, high: np.uint64, need: int) -> np.uint64:
        every, but_one = ALL, ALL
        rest = high
        for _ in range(need if steps is None else steps):
            x = highest(rest)
            rest &= ~(ALL << np.uint64(x))
            fitting = nodes[depth, HIGH_OF_HIGH + x] & spare[card, HIGH_OF_HIGH + x]
            but_one = every | (but_one & fitting)
            every &= fitting
        x = highest(rest)
        rest &= ~(ALL << np.uint64(x))
        fitting = nodes[depth, HIGH_OF_HIGH + x] & spare[card, HIGH_OF_HIGH + x]
        but_one = every | (but_one & fitting)
        kept = rest | (every & (ONE << np.uint64(x)))
        few = rest & ~but_one
        while few:
            b = lowest(few)
            few &= few - ONE
            left = nodes[depth, HIGH_OF_HIGH + b] & spare[card, HIGH_OF_HIGH + b] & high
            kept ^= np.uint64(popcount(left & (ALL_BUT_ONE << np.uint64(b))) < need) << np.uint64(b)
        return kept

    return enough


_enough2, _enough3, _enough4, _enough5, _enough_any = map(_make_enough, (2, 3, 4, 5, None))


@_inlined
def _enough(nodes: U64, spare: U64, depth: int, card: int, high: np.uint64, need: int) -> np.uint64:
    """Kept children, as a high word, of the list that adds `card` to the node at `depth`. `high` is the high word of
    the list's remaining cards. A child is kept if it has at least `need` remaining cards."""
    if popcount(high) <= need:
        return high if need == 0 else NONE
    if need == 3:
        return _enough3(nodes, spare, depth, card, high, need)
    if need == 4:
        return _enough4(nodes, spare, depth, card, high, need)
    if need == 2:
        return _enough2(nodes, spare, depth, card, high, need)
    if need == 5:
        return _enough5(nodes, spare, depth, card, high, need)
    return _enough_any(nodes, spare, depth, card, high, need)


@_inlined
def _children(
    nodes: U64, spare: U64, depth: int, card: int, need: int
) -> tuple[np.uint64, np.uint64, np.uint64, np.uint64]:
    """Kept children and remaining cards of the list that adds `card` to the node at `depth`, as four words: low and
    high word of the children, then of the remaining cards. A child is kept if it has at least `need` remaining
    cards."""
    depth, card = depth & 31, card & 127
    low, high = _remaining(nodes, depth, card)
    keep_low = NONE
    rest = low
    while rest:
        b = lowest(rest)
        rest &= rest - ONE
        left = popcount(nodes[depth, LOW_OF_LOW + b] & spare[card, LOW_OF_LOW + b] & rest)
        left += popcount(nodes[depth, HIGH_OF_LOW + b] & spare[card, HIGH_OF_LOW + b] & high)
        keep_low |= np.uint64(left >= need) << np.uint64(b)
    return keep_low, _enough(nodes, spare, depth, card, high, need), low, high


@_inlined
def _are_lowest(kept: np.uint64, others: np.uint64) -> bool:
    """Whether each card in `kept` is lower than each card in `others`. Both are low words, or both are high words."""
    return bool(kept <= (others & (~others + ONE)) - ONE)


@_inlined
def _code(keep: Pair, remaining: Pair, tail: int) -> int:
    """Code of a node with the children `keep` and the remaining cards `remaining`; EXCEPT if no other code describes
    it."""
    others_low, others_high = remaining[0] ^ keep[0], remaining[1] ^ keep[1]
    more = popcount(others_low) + popcount(others_high) - tail
    are_lowest = _are_lowest(keep[0], others_low) and _are_lowest(keep[1], others_high)
    if not are_lowest or (others_low and keep[1]) or more < 0 or more >= EXCEPT:
        return EXCEPT
    return more


@_inlined
def _write_node(nodes: U64, out: U64, depth: int, keep: Pair, remaining: Pair, tail: int) -> None:
    """Appends the code of a node to the batch that is being written. If the code is EXCEPT, also appends the node's
    bits. `keep` has the children of the node."""
    code = _code(keep, remaining, tail)
    position = _int(nodes[depth, WRITE])
    _write(out, position, np.uint64(code))
    nodes[depth, WRITE] = np.uint64(position + CODE_BITS)
    if code == EXCEPT:
        _write_bits(nodes, out, depth, keep, remaining)


@_inlined
def _write_bits(nodes: U64, out: U64, depth: int, keep: Pair, remaining: Pair) -> None:
    """Appends the bits of a node to the exceptions of its depth: for each remaining card, 1 if the node has this
    child."""
    bits = extract(keep[1], remaining[1])
    shift = np.uint64(popcount(remaining[0]))
    count = popcount(remaining[0]) + popcount(remaining[1])
    position = _int(nodes[depth, WRITE_BITS])
    _write(out, position, extract(keep[0], remaining[0]) | (bits << shift))
    if count > 64:
        _write(out, position + 64, (bits >> ONE) >> (np.uint64(63) - shift))
    nodes[depth, WRITE_BITS] = np.uint64(position + count)


@_inlined
def _keep(nodes: U64, depth: int, card: int) -> None:
    """Marks the child `card` of the open node at a depth as a child in the batch that is being written."""
    if card < LOW:
        nodes[depth, KEEP] |= ONE << np.uint64(card)
    else:
        nodes[depth, KEEP + 1] |= ONE << np.uint64((card - LOW) & 63)


@_inlined
def _close(nodes: U64, out: U64, depth: int, tail: int) -> None:
    """Leaves the open node at `depth`: if it has a child in this batch, writes the node and marks it as a child of its
    parent."""
    depth &= 31
    keep = nodes[depth, KEEP], nodes[depth, KEEP + 1]
    if not (keep[0] | keep[1]):
        return
    _write_node(nodes, out, depth, keep, (nodes[depth, REMAINING], nodes[depth, REMAINING + 1]), tail)
    nodes[depth, KEEP] = NONE
    nodes[depth, KEEP + 1] = NONE
    if depth > 0:
        parent = (depth - 1) & 31
        _keep(nodes, parent, _int(nodes[parent, CHOSEN]))


@_inlined
def _set_ahead(nodes: U64, depth: int, first: np.uint64, second: np.uint64) -> None:
    """Fills the column AHEAD (children to visit) of the open node at a depth. The words `first` and `second` together
    have one bit per remaining card of the node, in ascending order: 1 for a child to visit."""
    low, high = nodes[depth, REMAINING], nodes[depth, REMAINING + 1]
    shift = np.uint64(popcount(low))
    nodes[depth, AHEAD] = deposit(first, low)
    nodes[depth, AHEAD + 1] = deposit((first >> shift) | ((second << ONE) << (np.uint64(63) - shift)), high)


@_inlined
def _read_node(nodes: U64, source: U64, depth: int, count: int, tail: int) -> bool:
    """Reads the children of the open node at `depth`, which has `count` remaining cards, from the source batch. Returns
    False if the bits are corrupt."""
    position = _int(nodes[depth, READ])
    if position + CODE_BITS > _int(nodes[depth, READ_END]):
        return False
    nodes[depth, READ] = np.uint64(position + CODE_BITS)
    code = _int((source[position >> 6] >> np.uint64(position & 63)) & np.uint64(EXCEPT))
    if code == EXCEPT:
        return _read_bits(nodes, source, depth, count)
    kept = count - tail - code
    if kept < 1:
        return False
    first, second = ALL >> np.uint64(64 - min(kept, 64)), (ONE << np.uint64(max(kept - 64, 0))) - ONE
    _set_ahead(nodes, depth, first, second)
    return True


@_inlined
def _read_bits(nodes: U64, source: U64, depth: int, count: int) -> bool:
    """Reads from the exceptions the children of an open node whose code is EXCEPT. Returns False if the bits are
    corrupt."""
    position = _int(nodes[depth, READ_BITS])
    if count == 0 or position + count > _int(nodes[depth, READ_BITS_END]):
        return False
    nodes[depth, READ_BITS] = np.uint64(position + count)
    first, second = _read(source, position, count)
    _set_ahead(nodes, depth, first, second)
    return bool(first | second)


@_kernel
def begin(nodes: U64, source: U64, size: int, tail: int) -> bool:
    """Starts a walk: reads the children of the root (the empty list) from the source batch. Returns False if the bits
    are corrupt."""
    return _read_node(nodes, source, 0, LOW + 64, tail + size - 1)


@_inlined
def _advance(
    nodes: U64, state: I64, source: U64, out: U64, spare: U64, last: int, deeper: bool, tail: int, need: int
) -> int:
    """Advances a walk to the next node at depth `last` that has children to visit.

    Returns RUNNING at such a node, DONE at the end of the source, or CORRUPT. Closes the nodes that it leaves. If not
    `deeper`, leaves out `fits` of the node at depth `last`. `tail` is the tail of the source batch. `need` is the tail
    of the batch that is being written, whose last depth is `last` + 1.
    """
    depth = state[DEPTH]
    while True:
        depth &= 31
        word = 0 if nodes[depth, AHEAD] else 1
        rest = nodes[depth, AHEAD + word]
        if not rest:
            _close(nodes, out, depth, need + last + 1 - depth)
            if depth == 0:
                return DONE
            depth -= 1
            continue
        if depth == last:
            state[DEPTH] = depth
            return RUNNING
        nodes[depth, AHEAD + word] = rest & (rest - ONE)
        card = lowest(rest) + LOW * word
        nodes[depth, CHOSEN] = np.uint64(card)
        if deeper or depth + 1 < last:
            count = _descend(nodes, spare, depth, card)
        else:
            count = _glance(nodes, depth, card)
        depth += 1
        if not _read_node(nodes, source, depth, count, tail + last - depth):
            return CORRUPT


@_kernel
def _lowest_bits(word: np.uint64, count: int) -> np.uint64:
    """The `count` lowest set bits of a word."""
    rest = word
    for _ in range(count):
        rest &= rest - ONE
    return word ^ rest


@_kernel
def finish(nodes: U64, out: U64, size: int, tail: int) -> None:
    """Completes the batch that is being written: writes its open nodes at the first `size` depths. `tail` is the tail
    of the last depth."""
    for depth in range(size - 1, -1, -1):
        _close(nodes, out, depth, tail + size - 1 - depth)


@_kernel
def _cut(nodes: U64, state: I64, out: U64, size: int, limit: int, tail: int) -> bool:
    """Adds the children of the open leaf (the source list that is being expanded) to the batch, except children written
    before.

    If some children do not fit, closes the batch, keeps these children for the next batch, and returns True.
    """
    first, second = np.uint64(state[LEFT]), np.uint64(state[LEFT_HIGH])
    room = limit - state[LISTS]
    in_first = popcount(first)
    full = bool(in_first + popcount(second) > room)
    if full:
        first = _lowest_bits(first, min(room, in_first))
        second = _lowest_bits(second, max(room - in_first, 0))
    state[LEFT] ^= _int(first)
    state[LEFT_HIGH] ^= _int(second)
    if first | second:
        leaf = np.uint64(state[LEAF]), np.uint64(state[LEAF_HIGH])
        _write_node(nodes, out, size, (first, second), leaf, tail)
        state[LISTS] += popcount(first) + popcount(second)
        _keep(nodes, size - 1, _int(nodes[size - 1, CHOSEN]))
    if full:
        finish(nodes, out, size, tail + 1)
    return full


@_inlined
def _allows(rule: U64, word: np.uint64, direction: int, card: int, low: np.uint64, high: np.uint64, total: int) -> bool:
    """Whether a child may reach the target, by its cards in the three hyperplanes of one direction.

    `word` has the numbers of the parent's cards in the hyperplanes. The child adds `card`, and its remaining cards are
    `low` and `high`. Looks up a table entry per hyperplane. If `total` is not 0, the sum of the entries must be at
    least `total`; otherwise the entries must have a bit in common.
    """
    first = popcount(high & rule[PLANE_HIGH + 2 * direction]) + popcount(low & rule[PLANE_LOW + 2 * direction])
    second = popcount(high & rule[PLANE_HIGH + 2 * direction + 1])
    second += popcount(low & rule[PLANE_LOW + 2 * direction + 1])
    third = (popcount(high) + popcount(low) - first - second) & 31
    here = word + rule[STEP + 81 * direction + (card & 127)]
    a = rule[ALLOWED + _int(here & FIELD_BITS) + first]
    b = rule[ALLOWED + PLACES + _int((here >> FIELD) & FIELD_BITS) + second]
    c = rule[ALLOWED + 2 * PLACES + _int((here >> (FIELD + FIELD)) & FIELD_BITS) + third]
    return bool(_int(a + b + c) >= total if total else (a & b & c) != 0)


@_inlined
def _move_forward(notes: U64, turn: int) -> None:
    """Moves a direction in which a child failed forward in the order of the tests, from index `turn` to half this
    index."""
    direction = notes[ORDER + turn]
    for behind in range(turn, turn >> 1, -1):
        notes[ORDER + (behind & 63)] = notes[ORDER + ((behind - 1) & 63)]
    notes[ORDER + (turn >> 1)] = direction


@_inlined
def _sift(rule: U64, notes: U64, words: int, count: int, total: int, with_low: bool) -> np.uint64:
    """Tests the first `count` children in `notes` by the pruning rule, in each of the 40 directions. Returns a bitmask
    of the children that may reach the target.

    In the first `TOGETHER` directions, tests all children at once, without a branch per child: most children fail, and
    no branch predictor can tell which. In the other directions, tests one child after the other: most children pass.
    """
    words &= 1023
    for turn in range(TOGETHER):
        direction = _int(notes[ORDER + turn]) & 63
        word = notes[words + direction]
        passing = 0
        for child in range(count):
            card, low, high = notes[CHILD + child], NONE, notes[CHILD_HIGH + child]
            if with_low:
                low = notes[CHILD_LOW + child]
                notes[CHILD_LOW + passing] = low
            notes[CHILD + passing], notes[CHILD_HIGH + passing] = card, high
            passing += _allows(rule, word, direction, _int(card), low, high, total)
        if passing < count:
            _move_forward(notes, turn)
        count = passing
        if count == 0:
            return NONE
    passing_cards = NONE
    failed = 0
    for child in range(count):
        card, high = _int(notes[CHILD + child]), notes[CHILD_HIGH + child]
        low = notes[CHILD_LOW + child] if with_low else NONE
        passes = True
        for turn in range(TOGETHER, DIRECTIONS):
            direction = _int(notes[ORDER + turn]) & 63
            if not _allows(rule, notes[words + direction], direction, card, low, high, total):
                failed, passes = turn, False
                break
        passing_cards |= np.uint64(passes) << np.uint64((card if with_low else card - LOW) & 63)
    if failed:  # only now, so that all children are tested in the same order
        _move_forward(notes, failed)
    return passing_cards


@_inlined
def _third(rule: U64, a: int, b: int) -> int:
    entry = 81 * (a & 127) + (b & 127)
    return _int((rule[THIRDS + (entry >> 3)] >> np.uint64(8 * (entry & 7))) & np.uint64(127))


@_inlined
def _add_card(low: np.uint64, high: np.uint64, card: int) -> Pair:
    """Sets the bit of a card in a bitmask of low and high word."""
    return (
        low | np.uint64(card < LOW) << np.uint64(card & 31),
        high | np.uint64(card >= LOW) << np.uint64((card - LOW) & 63),
    )


@_inlined
def _note_centres(rule: U64, notes: U64, cards: int, low: np.uint64, high: np.uint64) -> int:
    """Finds the centres of the list of the first `cards` chosen cards, and returns their number. A card c is a centre
    if third(c, a) is a chosen or remaining card for nearly all chosen cards a (see `pruning.UNPAIRED`).

    Tries only the centres of the list without its last card. Stores each centre in `notes`, with the cards third(c, a),
    the *partners* of the chosen cards. `low` and `high` are the remaining cards.
    """
    before, here = (2 * (cards - 1)) & 63, (2 * cards) & 63
    last = _int(notes[KNOWN + ((cards - 1) & 31)]) - 1
    chosen_low, chosen_high = _add_card(notes[CHOSEN_CARDS + before], notes[CHOSEN_CARDS + before + 1], last)
    notes[CHOSEN_CARDS + here], notes[CHOSEN_CARDS + here + 1] = chosen_low, chosen_high
    low, high = ~(low | chosen_low), ~(high | chosen_high)
    centres_low, centres_high = NONE, NONE
    centres = 0
    for word in range(2):
        rest = notes[CENTRES + before + word]
        while rest:
            centre = lowest(rest) + LOW * word
            rest &= rest - ONE
            with_low, with_high = NONE, NONE
            for index in range(cards):
                partner = _third(rule, centre, _int(notes[KNOWN + index]) - 1)
                with_low, with_high = _add_card(with_low, with_high, partner)
            if popcount(with_low & low) + popcount(with_high & high) < _int(rule[UNPAIRED]):
                at = CENTRE + 3 * centres
                notes[at], notes[at + 1], notes[at + 2] = np.uint64(centre), with_low, with_high
                centres_low, centres_high = _add_card(centres_low, centres_high, centre)
                centres += 1
    notes[CENTRES + here], notes[CENTRES + here + 1] = centres_low, centres_high
    return centres


@_inlined
def _keep_symmetric(rule: U64, notes: U64, cards: int, count: int, centres: int, with_low: bool) -> int:
    """Drops children without a centre from the first `count` children in `notes`. Returns the number of children left.
    `centres` is the number of centres that `_note_centres` found for their parent."""
    here = (2 * cards) & 63
    passing = 0
    for child in range(count):
        card = _int(notes[CHILD + child])
        left_low = notes[CHILD_LOW + child] if with_low else NONE
        left_high = notes[CHILD_HIGH + child]
        low, high = _add_card(notes[CHOSEN_CARDS + here] | left_low, notes[CHOSEN_CARDS + here + 1] | left_high, card)
        has_centre = False
        for index in range(centres):
            at = CENTRE + 3 * index
            partners_low, partners_high = _add_card(notes[at + 1], notes[at + 2], _third(rule, _int(notes[at]), card))
            missing = popcount(partners_low & ~low) + popcount(partners_high & ~high)
            if missing < _int(rule[UNPAIRED]):
                has_centre = True
                break
        notes[CHILD + passing], notes[CHILD_HIGH + passing] = np.uint64(card), left_high
        if with_low:
            notes[CHILD_LOW + passing] = left_low
        passing += has_centre
    return passing


@_inlined
def _prune(
    nodes: U64, spare: U64, depth: int, card: int, need: int, rule: U64, notes: U64, total: int
) -> tuple[np.uint64, np.uint64, np.uint64, np.uint64]:
    """Does the same as `_children`, but also drops the children that the pruning rule excludes."""
    depth, card = depth & 31, card & 127
    low, high = _remaining(nodes, depth, card)
    words = _add_words(rule, notes, depth, card)
    centres = _note_centres(rule, notes, depth + 1, low, high) if rule[UNPAIRED] else 0
    if rule[UNPAIRED] and centres == 0:
        return NONE, NONE, low, high
    count = 0
    rest = low
    while rest:
        b = lowest(rest)
        rest &= rest - ONE
        left_low = nodes[depth, LOW_OF_LOW + b] & spare[card, LOW_OF_LOW + b] & rest
        left_high = nodes[depth, HIGH_OF_LOW + b] & spare[card, HIGH_OF_LOW + b] & high
        notes[CHILD + count], notes[CHILD_LOW + count], notes[CHILD_HIGH + count] = (np.uint64(b), left_low, left_high)
        count += popcount(left_low) + popcount(left_high) >= need
    if centres:
        count = _keep_symmetric(rule, notes, depth + 1, count, centres, True)
    keep_low = _sift(rule, notes, words, count, total, True)
    count = 0
    rest = _enough(nodes, spare, depth, card, high, need)
    while rest:
        b = lowest(rest)
        rest &= rest - ONE
        left = high & (ALL_BUT_ONE << np.uint64(b)) & nodes[depth, HIGH_OF_HIGH + b]
        notes[CHILD + count] = np.uint64(b + LOW)
        notes[CHILD_HIGH + count] = left & spare[card, HIGH_OF_HIGH + b]
        count += 1
    if centres:
        count = _keep_symmetric(rule, notes, depth + 1, count, centres, False)
    keep_high = _sift(rule, notes, words, count, total, False)
    return keep_low, keep_high, low, high


@_inlined
def _add_words(rule: U64, notes: U64, depth: int, card: int) -> int:
    """Computes the words of the list that ends with `card` from the words of its parent. There is one word per
    direction, with the number of the list's cards in each of the three hyperplanes. Returns the words' offset in
    `notes`."""
    notes[KNOWN + (depth & 31)] = np.uint64(card + 1)
    words = (WORDS + DIRECTIONS * (depth + 1)) & 1023
    for direction in range(DIRECTIONS):
        notes[words + direction] = notes[(words - DIRECTIONS) + direction] + rule[STEP + 81 * direction + (card & 127)]
    return words


@_inlined
def _note_words(nodes: U64, rule: U64, notes: U64, depths: int) -> None:
    """Calls `_add_words` for each of the first `depths` chosen cards, from the first card on that has changed since the
    last call. If the rule requires a centre, also calls `_note_centres` for each of these cards."""
    same = True
    for depth in range(depths):
        card = _int(nodes[depth, CHOSEN])
        if same and _int(notes[KNOWN + depth]) == card + 1:
            continue
        same = False
        _add_words(rule, notes, depth, card)
        if rule[UNPAIRED]:
            below = (depth + 1) & 31
            _note_centres(rule, notes, below, nodes[below, REMAINING], nodes[below, REMAINING + 1])


@_kernel
def expand(
    nodes: U64,
    state: I64,
    source: U64,
    out: U64,
    spare: U64,
    size: int,
    need: int,
    limit: int,
    tail: int,
    rule: U64 | None,
    notes: U64,
    total: int,
) -> int:
    """Expands source lists of `size` cards by one card until all are done, a batch is full or the budget is used up.

    Returns RUNNING (out of budget), FULL, DONE or CORRUPT. A child is kept if it has at least `need` remaining cards.
    `need` is also the tail of the output; `tail` is the tail of the source. A batch is FULL when it has `limit` lists
    and there is one more list. Then the caller takes the bits, resets WRITE and LISTS, and calls again. Each expanded
    list takes 1 from the budget.

    If `rule` has the tables of the pruning rule, only children that pass the rule are kept. All calls of one walk take
    the same array `notes`. `total` is the target if table entries must be added up (`pruning.adds_up`), otherwise 0.
    numba compiles one version with a rule and one without.
    """
    last = (size - 1) & 31
    if (state[LEFT] | state[LEFT_HIGH]) and _cut(nodes, state, out, size, limit, need):
        return FULL
    while state[BUDGET] > 0:
        outcome = _advance(nodes, state, source, out, spare, last, True, tail, need)
        if outcome != RUNNING:
            return outcome
        if rule is not None:
            _note_words(nodes, rule, notes, last)
        lists = state[LISTS]
        position = _int(nodes[last + 1, WRITE])
        pending = out[position >> 6]
        for word in range(2):
            rest = nodes[last, AHEAD + word]
            state[BUDGET] -= popcount(rest)
            keep = nodes[last, KEEP + word]
            while rest:
                bit = lowest(rest)
                rest &= rest - ONE
                card = bit + LOW * word
                if rule is not None:
                    keep_low, keep_high, low, high = _prune(nodes, spare, last, card, need, rule, notes, total)
                else:
                    keep_low, keep_high, low, high = _children(nodes, spare, last, card, need)
                kept = popcount(keep_low) + popcount(keep_high)
                others = high ^ keep_high
                code = popcount(others) - need
                # Nearly all lists have no remaining low cards and no exception.
                plain = not low and code < EXCEPT and _are_lowest(keep_high, others)
                if kept and not (plain and lists + kept <= limit):
                    if lists + kept > limit:
                        nodes[last, AHEAD + word] = rest
                        state[BUDGET] += popcount(rest)  # gives back the budget of lists that are not visited yet
                        nodes[last, KEEP + word] = keep
                        nodes[last, CHOSEN] = np.uint64(card)
                        nodes[last + 1, WRITE] = np.uint64(position)
                        out[position >> 6] = pending
                        state[LISTS] = lists
                        state[LEFT], state[LEFT_HIGH] = _int(keep_low), _int(keep_high)
                        state[LEAF], state[LEAF_HIGH] = _int(low), _int(high)
                        _cut(nodes, state, out, size, limit, need)
                        return FULL
                    code = _code((keep_low, keep_high), (low, high), need)
                    if code == EXCEPT:
                        _write_bits(nodes, out, last + 1, (keep_low, keep_high), (low, high))
                if kept:
                    pending |= np.uint64(code) << np.uint64(position & 63)
                    out[position >> 6] = pending
                    position += CODE_BITS
                    pending = pending if position & 63 else NONE
                keep |= np.uint64(kept > 0) << np.uint64(bit)
                lists += kept
            nodes[last, AHEAD + word] = NONE
            nodes[last, KEEP + word] = keep
        nodes[last + 1, WRITE] = np.uint64(position)
        out[position >> 6] = pending
        state[LISTS] = lists
    return RUNNING


@_inlined
def _tally(nodes: U64, spare: U64, depth: int, card: int, need: int) -> tuple[int, int]:
    """Returns two numbers for the child that adds `card` to the node at a depth: the number of its children with at
    least `need` remaining cards, and the number of its grandchildren. If `need` is above 1, the second number is 0."""
    depth, card = depth & 31, card & 127
    low, high = _remaining(nodes, depth, card)
    kept = total = 0
    rest = low
    while rest:
        b = lowest(rest)
        rest &= rest - ONE
        left = popcount(nodes[depth, LOW_OF_LOW + b] & spare[card, LOW_OF_LOW + b] & rest)
        left += popcount(nodes[depth, HIGH_OF_LOW + b] & spare[card, HIGH_OF_LOW + b] & high)
        kept += left >= need
        total += left
    if need > 1:
        return kept + popcount(_enough(nodes, spare, depth, card, high, need)), 0
    kept += popcount(high) if need == 0 else 0
    rest = high
    while rest:
        b = lowest(rest)
        rest &= rest - ONE
        left = popcount(nodes[depth, HIGH_OF_HIGH + b] & spare[card, HIGH_OF_HIGH + b] & rest)
        kept += left >= 1 and need == 1
        total += left
    return kept, total


@_inlined
def _count_children(nodes: U64, spare: U64, depth: int, target: int, counts: I64) -> None:
    """Adds to `counts` the number of kept children of the open node, and the sums of the two numbers that `_tally`
    returns for them."""
    lists = kept = total = 0
    for word in range(2):
        rest = nodes[depth, AHEAD + word]
        nodes[depth, AHEAD + word] = NONE
        while rest:
            card = lowest(rest) + LOW * word
            rest &= rest - ONE
            low, high = _remaining(nodes, depth, card)
            if popcount(low) + popcount(high) < target - depth - 1:
                continue
            lists += 1
            more, all_remaining = _tally(nodes, spare, depth, card, max(target - depth - 2, 0))
            kept += more
            total += all_remaining
    counts[depth + 1] += lists
    counts[depth + 2] += kept
    counts[depth + 3] += total


@_inlined
def _count_below(nodes: U64, spare: U64, size: int, target: int, final: int, counts: I64) -> None:
    """Adds the numbers of lists below the open node at depth `size` to `counts`. Visits lists of fewer than `final`
    cards one by one, and calls `_count_children` for larger lists."""
    depth = size & 31
    nodes[depth, AHEAD], nodes[depth, AHEAD + 1] = nodes[depth, REMAINING], nodes[depth, REMAINING + 1]
    while True:
        if depth + 1 == final:
            _count_children(nodes, spare, depth, target, counts)
        word = 0 if nodes[depth, AHEAD] else 1
        rest = nodes[depth, AHEAD + word]
        if not rest:
            if depth == size:
                return
            depth = (depth - 1) & 31
            continue
        nodes[depth, AHEAD + word] = rest & (rest - ONE)
        card = lowest(rest) + LOW * word
        low, high = _remaining(nodes, depth, card)
        remaining = popcount(low) + popcount(high)
        if remaining < target - depth - 1:
            continue
        counts[depth + 1] += 1
        if remaining:
            _descend(nodes, spare, depth, card)
            depth = (depth + 1) & 31
            nodes[depth, AHEAD], nodes[depth, AHEAD + 1] = (nodes[depth, REMAINING], nodes[depth, REMAINING + 1])


@_kernel
def count(
    nodes: U64, state: I64, source: U64, spare: U64, size: int, target: int, final: int, counts: I64, tail: int
) -> int:
    """For each n up to `final` + 1, adds to `counts[n]` the number of kept lists of n cards that begin with a source
    list. Visits about as many source lists as the budget allows.

    If the target is at most `final` + 2, also adds the number of lists of `final` + 2 cards to `counts[final + 2]`:
    the total number of remaining cards of the lists of `final` + 1 cards.
    """
    last = (size - 1) & 31
    need = max(target - final - 1, 0)
    while state[BUDGET] > 0:
        outcome = _advance(nodes, state, source, source, spare, last, True, tail, 0)
        if outcome != RUNNING:
            return outcome
        for word in range(2):
            rest = nodes[last, AHEAD + word]
            state[BUDGET] -= popcount(rest)
            while rest:
                bit = lowest(rest)
                rest &= rest - ONE
                card = bit + LOW * word
                if size == final:
                    kept, total = _tally(nodes, spare, last, card, need)
                    counts[final + 1] += kept
                    counts[final + 2] += total
                else:
                    _descend(nodes, spare, last, card)
                    _count_below(nodes, spare, size, target, final, counts)
            nodes[last, AHEAD + word] = NONE
    return RUNNING


@_inlined
def _prefix(nodes: U64, depths: int) -> tuple[np.uint64, np.uint64, np.uint64]:
    """The first `depths` chosen cards as three words, one byte per card."""
    first, second, third = NONE, NONE, NONE
    for depth in range(depths):
        card = nodes[depth, CHOSEN] << np.uint64(8 * (depth & 7))
        if depth < 8:
            first |= card
        elif depth < 16:
            second |= card
        else:
            third |= card
    return first, second, third


@_inlined
def _put(rows: U8, at: int, size: int, prefix: tuple[np.uint64, np.uint64, np.uint64], card: np.uint64) -> None:
    """Stores a list at a byte index of `rows`, in whole words. The last word may run past the end of the list."""
    first, second, third = prefix
    if size <= 8:
        _store(rows, at, first | card)
        return
    _store(rows, at, first)
    if size <= 16:
        _store(rows, at + 8, second | card)
    else:
        _store(rows, at + 8, second)
        _store(rows, at + 16, third | card)


@_inlined
def _skip(nodes: U64, state: I64, source: U64, spare: U64, last: int, start: int, tail: int) -> int:
    """Skips the nodes at depth `last` whose lists all come before index `start`, without opening the nodes.

    Returns RUNNING at the parent of the next node, DONE if the source has no more lists, or CORRUPT.
    """
    above = (last - 1) & 31
    end, bits_end = _int(nodes[last, READ_END]), _int(nodes[last, READ_BITS_END])
    while True:
        outcome = _advance(nodes, state, source, source, spare, above, True, tail + 1, 0)
        if outcome != RUNNING:
            return outcome
        position, bits = _int(nodes[last, READ]), _int(nodes[last, READ_BITS])
        for word in range(2):
            rest = nodes[above, AHEAD + word]
            while rest:
                low, high = _remaining(nodes, above, lowest(rest) + LOW * word)
                count = popcount(low) + popcount(high)
                if position + CODE_BITS > end:
                    return CORRUPT
                code = _int((source[position >> 6] >> np.uint64(position & 63)) & np.uint64(EXCEPT))
                lists = count - tail - code
                if code == EXCEPT:
                    if count == 0 or bits + count > bits_end:
                        return CORRUPT
                    first, second = _read(source, bits, count)
                    lists = popcount(first) + popcount(second)
                if lists < 1:
                    return CORRUPT
                if state[LISTS] + lists > start:
                    nodes[above, AHEAD + word] = rest
                    nodes[last, READ], nodes[last, READ_BITS] = np.uint64(position), np.uint64(bits)
                    return RUNNING
                state[LISTS] += lists
                position += CODE_BITS
                bits += count if code == EXCEPT else 0
                rest &= rest - ONE
            nodes[above, AHEAD + word] = NONE
        nodes[last, READ], nodes[last, READ_BITS] = np.uint64(position), np.uint64(bits)


@_kernel
def unpack(
    nodes: U64, state: I64, source: U64, spare: U64, size: int, start: int, rows: U8, tail: int
) -> tuple[int, int]:
    """Fills `rows` with the next lists of the source. Skips all lists before index `start`.

    Returns RUNNING (the rows are full), DONE or CORRUPT, and the number of filled rows. `SLACK` bytes follow the last
    row.
    """
    last = (size - 1) & 31
    room = (len(rows) - SLACK) // size
    shift = np.uint64(8 * (last & 7))
    filled = 0
    if start > state[LISTS] == 0:
        outcome = _skip(nodes, state, source, spare, last, start, tail)
        if outcome != RUNNING:
            return outcome, filled
    while filled < room:
        outcome = _advance(nodes, state, source, source, spare, last, False, tail, 0)
        if outcome != RUNNING:
            return outcome, filled
        prefix = _prefix(nodes, last)
        for word in range(2):
            rest = nodes[last, AHEAD + word]
            if not rest:
                continue
            skipped = min(max(start - state[LISTS], 0), popcount(rest))
            rest ^= _lowest_bits(rest, skipped)
            left = room - filled
            late = rest ^ _lowest_bits(rest, left) if popcount(rest) > left else NONE
            rest ^= late
            state[LISTS] += skipped + popcount(rest)
            nodes[last, AHEAD + word] = late
            while rest:
                _put(rows, filled * size, size, prefix, np.uint64(lowest(rest) + LOW * word) << shift)
                filled += 1
                rest &= rest - ONE
    return RUNNING, filled


@_inlined
def _remains(nodes: U64, depth: int, card: int) -> bool:
    """Whether the number `card` (any byte) is a remaining card of the open node at a depth."""
    if card < LOW:
        return bool((nodes[depth, REMAINING] >> np.uint64(card)) & ONE)
    return bool(card < LOW + 64 and (nodes[depth, REMAINING + 1] >> np.uint64(card - LOW)) & ONE)


@_kernel
def pack(nodes: U64, state: I64, out: U64, spare: U64, rows: U8, size: int, limit: int, tail: int) -> tuple[int, int]:
    """Appends lists to a batch in lexicographic order; returns the outcome and the number of rows written.

    RUNNING: all rows are in the batch. FULL: the batch has `limit` lists, and more rows follow. CORRUPT: a row is not
    a list, or does not come after the row before it. The caller ends the last batch with `finish`.
    """
    for row in range(rows.shape[0]):
        if state[LISTS] == limit:
            finish(nodes, out, size, tail)
            return FULL, row
        depth = 0
        if state[LISTS] > 0:
            while depth < size and nodes[depth, CHOSEN] == rows[row, depth]:
                depth += 1
            if depth == size or nodes[depth, CHOSEN] > rows[row, depth]:
                return CORRUPT, row
            for below in range(size - 1, depth, -1):
                _close(nodes, out, below, tail + size - 1 - below)
        while True:
            card = _int(rows[row, depth])
            if not _remains(nodes, depth, card):
                return CORRUPT, row
            nodes[depth, CHOSEN] = np.uint64(card)
            if depth == size - 1:
                break
            _descend(nodes, spare, depth, card)
            depth += 1
        _keep(nodes, depth, card)
        state[LISTS] += 1
    return RUNNING, rows.shape[0]


@_inlined
def _go_to_end(nodes: U64, depth: int, read: int, end: int, count: int) -> None:
    """Moves the read position of a stream to its last `count` bits. The columns `read` and `end` of the node row hold
    the position and the end of the stream."""
    nodes[depth, read] = np.uint64(max(_int(nodes[depth, read]), _int(nodes[depth, end]) - count))


@_kernel
def edge(nodes: U64, source: U64, spare: U64, size: int, at_end: bool, cards: U8, tail: int) -> bool:
    """Writes the first or the last list of a batch to `cards`; returns False if the bits are corrupt."""
    for depth in range(size):
        count = popcount(nodes[depth, REMAINING]) + popcount(nodes[depth, REMAINING + 1])
        if at_end:
            _go_to_end(nodes, depth, READ, READ_END, CODE_BITS)
            _go_to_end(nodes, depth, READ_BITS, READ_BITS_END, count)
        if not _read_node(nodes, source, depth, count, tail + size - 1 - depth):
            return False
        low, high = nodes[depth, AHEAD], nodes[depth, AHEAD + 1]
        if at_end:
            card = LOW + highest(high) if high else highest(low)
        else:
            card = lowest(low) if low else LOW + lowest(high)
        cards[depth] = card
        if depth < size - 1:
            _descend(nodes, spare, depth, card)
    return True
