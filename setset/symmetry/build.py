"""Builds all classes of one size from all classes of the size before.

Every list of size n + 1 is a list of size n and a card x, in n + 1 ways. If all classes of size n are known, so is the
number of lists of size n + 1 with a fingerprint h (see `fingerprints.py`):

    N(h) = sum over C of lists(C) * #{x : fingerprint(C + x) = h} / (n + 1),

where C is one list of each class of size n, and lists(C) is the number of lists in its class. Now find the canonical
form of one list with fingerprint h. Its stabilizer gives the number of lists in its class. If the class has N(h) lists,
all lists with this fingerprint are in the class, and no other list needs a search. Otherwise find the canonical forms
of C + x for all C and x with this fingerprint. The classes of these forms must have N(h) lists in total. So there are
hardly more searches than classes.

A double count checks the result. Remove each card from one list of each new class, and find the class of the remaining
cards. For each two classes, adding cards and removing cards must give the same number of pairs of a list of one class
inside a list of the other class.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from setset.cards import CARDS, check_size
from setset.errors import BadInput, SetsetError
from setset.symmetry.catalogue import make_classes
from setset.symmetry.classes import Level, Links, ListClass
from setset.symmetry.fingerprints import find_indices, fingerprint_rows
from setset.symmetry.geometry import GROUP_ORDER, CardArray, mark_extensions
from setset.symmetry.least import canonicalize_rows

Integers = npt.NDArray[np.int64]
Marks = npt.NDArray[np.bool_]

LAST_LEVEL = 21
"""Size of the last level: one more than the size of the largest list. The level is empty, which proves that there are
no larger lists."""


def build_level(size: int, previous: Sequence[ListClass] = ()) -> Level:
    """Builds all classes of a size from all classes of the size before.

    Args:
        size: 0 to 21. The level of size 21 is empty, which proves that there are no lists of 21 cards.
        previous: all classes of size `size` - 1, in order; nothing for size 0.

    Returns:
        The classes in the order of their canonical forms, and their links to `previous`.

    Raises:
        BadInput: `size` is out of range, or `previous` is not all classes of the size before, in order.
        SetsetError: a check of the counts fails, because `previous` lacks a class. The check notices a missing class
            if some list of the new size contains a list of the missing class and a list of another class.

    >>> zero = build_level(0)
    >>> one = build_level(1, zero.classes)
    >>> one.lists
    81
    """
    check_size(size, largest=LAST_LEVEL)
    if size == 0:
        return Level(0, (ListClass(0, 0, (), GROUP_ORDER, CARDS),), Links())
    in_order = all(
        list_class.size == size - 1 and list_class.number == number for number, list_class in enumerate(previous)
    )
    if not previous or not in_order:
        raise BadInput(f"expected all classes of size {size - 1}, in order, to build the classes of size {size}")
    lists = np.array([list_class.cards for list_class in previous], np.uint8).reshape(len(previous), size - 1)
    counts = np.array([list_class.lists for list_class in previous], np.int64)
    leasts, stabilizers, links = extend_classes(lists, counts, mark_extensions(lists))
    free = mark_extensions(leasts).sum(axis=1)
    return Level(size, make_classes(leasts, stabilizers, free), links)


def extend_classes(lists: CardArray, counts: Integers, free: Marks) -> tuple[CardArray, Integers, Links]:
    """Builds the classes of the next size from the classes of a size.

    Args:
        lists: one list of each class, a list per row.
        counts: the number of lists in each class.
        free: for each row, the cards that may be added, as 81 truth values.

    Returns:
        The canonical forms of the new classes in order, the orders of their stabilizers, and the links (see `Link`)
            between the two sizes.

    Raises:
        SetsetError: a check of the counts fails, because `lists` lacks a class.
    """
    leasts, stabilizers, extensions = _add_cards(lists, counts, free)
    deletions = _count_deletions(leasts, lists)
    return leasts, stabilizers, _check_double_count(extensions, deletions, counts, GROUP_ORDER // stabilizers)


def _add_cards(lists: CardArray, counts: Integers, free: Marks) -> tuple[CardArray, Integers, Integers]:
    """Adds each free card to each list of size n. Returns the canonical forms of size n + 1 in order, the orders of
    their stabilizers, and a row per link: smaller class, larger class, number of cards that lead to the larger
    class."""
    rows, cards = np.nonzero(free)
    longer = np.sort(np.column_stack([lists[rows], cards.astype(np.uint8)]), axis=1)
    _, first, kind = np.unique(fingerprint_rows(longer), return_index=True, return_inverse=True)
    flags = np.zeros(len(first), np.int64)  # number of pairs of a list with this fingerprint and one of its cards
    np.add.at(flags, kind, counts[rows])

    leasts, stabilizers = canonicalize_rows(longer[first])
    mixed = GROUP_ORDER // stabilizers * longer.shape[1] != flags
    more = np.flatnonzero(mixed[kind])
    more_leasts, more_stabilizers = canonicalize_rows(longer[more])

    all_leasts = np.concatenate([leasts, more_leasts])
    forms, first_rows, inverse = np.unique(all_leasts, axis=0, return_index=True, return_inverse=True)
    number = inverse.reshape(-1)  # NumPy 2.0.0 gives a column
    form_stabilizers = np.concatenate([stabilizers, more_stabilizers])[first_rows]
    form_kinds = np.concatenate([np.arange(len(first)), kind[more]])[first_rows]
    masses = np.zeros(len(first), np.int64)
    np.add.at(masses, form_kinds, GROUP_ORDER // form_stabilizers * longer.shape[1])
    if (masses != flags).any():
        raise SetsetError(f"the lists of size {longer.shape[1]} do not add up: classes of the size before are missing")

    larger = number[kind]
    larger[more] = number[len(first) :]
    return forms, form_stabilizers, _count_pairs(rows, larger)


def _count_deletions(lists: CardArray, shorter: CardArray) -> Integers:
    """Removes each card from each list. Returns a row per link: smaller class, larger class, number of cards whose
    removal leads to the smaller class."""
    size = lists.shape[1]
    kept = np.array([np.delete(np.arange(size), removed) for removed in range(size)], np.int64)
    left = lists[:, kept].reshape(len(lists) * size, size - 1)
    smaller, shared = find_indices(fingerprint_rows(shorter), fingerprint_rows(left))
    if (shared == 0).any():
        raise SetsetError(f"removing a card from a list of {size} cards leaves a list of no known class")
    ambiguous = np.flatnonzero(shared > 1)
    leasts, _ = canonicalize_rows(left[ambiguous])
    numbers = {bytes(cards): number for number, cards in enumerate(shorter)}
    # A list of no known class gets the number -1, with which the double count fails.
    smaller[ambiguous] = [numbers.get(bytes(cards), -1) for cards in leasts]
    return _count_pairs(smaller, np.repeat(np.arange(len(lists)), size))


def _count_pairs(smaller: Integers, larger: Integers) -> Integers:
    """Counts how often each pair of class numbers (`smaller[i]`, `larger[i]`) occurs. Returns sorted rows (smaller,
    larger, count)."""
    pairs, times = np.unique(smaller.astype(np.int64) << 32 | larger, return_counts=True)
    return np.column_stack([pairs >> 32, pairs & 0xFFFFFFFF, times])


def _check_double_count(extensions: Integers, deletions: Integers, smaller: Integers, larger: Integers) -> Links:
    """Compares two counts of the links: by the cards added to lists of the smaller class, and by the cards removed from
    lists of the larger class. Returns the links. Raises SetsetError if the two counts contradict each other."""
    agree = np.array_equal(extensions[:, :2], deletions[:, :2]) and np.array_equal(
        smaller[extensions[:, 0]] * extensions[:, 2], larger[deletions[:, 1]] * deletions[:, 2]
    )
    if not agree:
        raise SetsetError("the links between classes differ when counted by adding cards and by removing cards")
    return Links(np.column_stack([extensions, deletions[:, 2]]))
