"""A small checker of DRAT proofs, independent of every solver: each line must follow by unit propagation.

A clause has the RUP property if assuming all its literals false leads unit propagation, over the clauses
known so far, to a conflict. Then it is implied and is known from there on. Deletions are ignored, which
only leaves more clauses to propagate over: whatever passes here is implied by the problem.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numba import njit


def refutes(clauses: Iterable[Sequence[int]], proof: Iterable[str]) -> bool:
    """Whether the proof's lines follow, each from what is before it, and lead to a contradiction."""
    axioms = [list(clause) for clause in clauses]
    lemmas = [[int(word) for word in line.split()[:-1]] for line in proof if not line.startswith("d")]
    all_clauses = axioms + lemmas
    starts = np.cumsum([0, *map(len, all_clauses)])
    literals = np.array([2 * abs(x) + (x < 0) for clause in all_clauses for x in clause], np.int64)
    variables = max((abs(x) for clause in all_clauses for x in clause), default=0)
    return bool(_check(literals, starts, len(axioms), variables))


@njit
def _assign(literal: Any, value: Any, trail: Any, size: Any) -> Any:
    value[literal], value[literal ^ 1] = 1, -1
    trail[size] = literal
    return size + 1


@njit
def _propagate(literals: Any, starts: Any, value: Any, trail: Any, head: Any, size: Any, first: Any, after: Any) -> Any:
    """Follows all consequences of trail[head:]; the trail's new size, or -1 on a conflict.

    A clause watches its first two literals. `first[x]` begins the chain of watches on literal x; watch
    2 c + w is the one of clause c on its literal w, and `after` links the chain.
    """
    while head < size:
        false = trail[head] ^ 1
        head += 1
        watch, first[false] = first[false], -1
        while watch >= 0:
            following = after[watch]
            clause = watch // 2
            begin, end = starts[clause], starts[clause + 1]
            watched = begin + watch % 2
            partner = literals[begin + 1 - watch % 2]
            has_moved = False
            if value[partner] != 1:
                for index in range(begin + 2, end):
                    if value[literals[index]] != -1:
                        literals[watched], literals[index] = literals[index], literals[watched]
                        after[watch], first[literals[watched]] = first[literals[watched]], watch
                        has_moved = True
                        break
            if not has_moved:
                after[watch], first[false] = first[false], watch
                if value[partner] == -1:
                    while following >= 0:
                        next_watch = after[following]
                        after[following], first[false] = first[false], following
                        following = next_watch
                    return -1
                if value[partner] == 0:
                    size = _assign(partner, value, trail, size)
            watch = following
    return size


@njit
def _learn(clause: Any, literals: Any, starts: Any, value: Any, trail: Any, size: Any, first: Any, after: Any) -> Any:
    """Makes a clause known: watches two literals that are not false, or assigns the only one; -1 if none."""
    begin, free = starts[clause], 0
    for index in range(begin, starts[clause + 1]):
        if value[literals[index]] != -1 and free < 2:
            literals[begin + free], literals[index] = literals[index], literals[begin + free]
            free += 1
    if free == 0:
        return -1
    if free == 1:
        if value[literals[begin]] == 1:
            return size
        return _propagate(
            literals, starts, value, trail, size, _assign(literals[begin], value, trail, size), first, after
        )
    for watch in range(2):
        literal = literals[begin + watch]
        after[2 * clause + watch], first[literal] = first[literal], 2 * clause + watch
    return size


@njit
def _follows(clause: Any, literals: Any, starts: Any, value: Any, trail: Any, size: Any, first: Any, after: Any) -> Any:
    """Whether assuming the clause false leads to a conflict; values are then as they were before."""
    top = size
    for index in range(starts[clause], starts[clause + 1]):
        if value[literals[index]] == 0:
            top = _assign(literals[index] ^ 1, value, trail, top)
        elif value[literals[index]] == 1:
            top = -1
            break
    conflict = top < 0 or _propagate(literals, starts, value, trail, size, top, first, after) < 0
    value[:] = 0
    for index in range(size):
        value[trail[index]], value[trail[index] ^ 1] = 1, -1
    return conflict


@njit
def _check(literals: Any, starts: Any, axioms: Any, variables: Any) -> Any:
    count = len(starts) - 1
    value = np.zeros(2 * variables + 2, np.int8)
    trail = np.empty(variables + 1, np.int64)
    first = np.full(2 * variables + 2, -1)
    after = np.full(2 * count, -1)
    size = 0
    for clause in range(count):
        if clause >= axioms and not _follows(clause, literals, starts, value, trail, size, first, after):
            return False
        size = _learn(clause, literals, starts, value, trail, size, first, after)
        if size < 0:
            return True
    return False
