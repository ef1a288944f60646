"""The question "are there K cards without a set?" as clauses for any SAT solver.

Variable c + 1 is true if card c is among them. 1,080 clauses forbid the sets. A cardinality encoding of
PySAT says that at least K of the 81 are true; it has variables of its own, above 81. If cards are fixed in
one case, each is a clause of one literal; of several cases, each with a variable, one must hold.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from setset.cards import CARDS, all_sets, code, name
from setset.errors import BadInput, require_extra
from setset.sat.fixing import Fixing, fix_cards

ENCODINGS: Final = ("totalizer", "kmtotalizer", "mtotalizer", "seqcounter", "sortnetwrk", "cardnetwrk")
"""Cardinality encodings of PySAT. With each of them solvers need well under a second for 21 cards in two cases."""

Clause = tuple[int, ...]


@dataclass(frozen=True)
class Problem:
    """Satisfiable if and only if there are this many cards, the fixed ones among them, without a set.

    >>> problem = encode(20)
    >>> problem.variables, len(problem.clauses)
    (601, 4841)
    """

    cards: int
    fixing: Fixing
    encoding: str
    variables: int
    clauses: tuple[Clause, ...]
    selectors: tuple[int, ...]
    """The variables of the cases, if there are several."""


def encode(cards: int, fix: str = "none", encoding: str = ENCODINGS[0]) -> Problem:
    """The problem for at least this many cards without a set.

    Args:
        cards: 1 to 81.
        fix: none, triangle, frame or cases (see `fix_cards`), or cards such as '0,1,3'.
        encoding: the cardinality encoding, one of `ENCODINGS`.

    Returns:
        The clauses, and what they mean.

    Raises:
        BadInput: an argument is out of range, or the fixing could lose an answer.
        MissingExtra: PySAT is not installed.

    >>> encode(21, "cases").fixing.least
    19
    """
    if not 1 <= cards <= CARDS:
        raise BadInput(f"cannot ask for {cards} cards: give 1 to {CARDS}")
    if encoding not in ENCODINGS:
        raise BadInput(f"no encoding {encoding!r}; choose one of {', '.join(ENCODINGS)}")
    fixed = fix_cards(fix, cards)
    clauses = [tuple(-variable(card) for card in triple) for triple in all_sets()]
    counting, top = _at_least(cards, encoding)
    clauses += counting
    selectors = tuple(range(top + 1, top + 1 + len(fixed.cases))) if len(fixed.cases) > 1 else ()
    if selectors:
        clauses.append(selectors)
        clauses += [
            (-selector, variable(card)) for selector, case in zip(selectors, fixed.cases, strict=True) for card in case
        ]
    else:
        clauses += [(variable(card),) for card in fixed.cases[0]]
    return Problem(cards, fixed, encoding, top + len(selectors), tuple(clauses), selectors)


def variable(card: int) -> int:
    """The variable of a card."""
    return card + 1


def dimacs_lines(problem: Problem) -> Iterator[str]:
    """The lines of a DIMACS file, with comments that say which variable is which card.

    Args:
        problem: what `encode` returned.

    Returns:
        An iterator over the lines, without line ends.

    >>> next(dimacs_lines(encode(20)))
    'c 20 cards of SET without a set'
    """
    yield f"c {problem.cards} cards of SET without a set"
    yield f"c fixed: {problem.fixing.name}; at least {problem.cards}: {problem.encoding}"
    for card in range(CARDS):
        yield f"c variable {variable(card)} = card {card} {code(card)} {name(card)}"
    for selector, case in zip(problem.selectors, problem.fixing.cases, strict=False):
        yield f"c variable {selector} = cards {' '.join(map(str, case))}"
    yield f"p cnf {problem.variables} {len(problem.clauses)}"
    for clause in problem.clauses:
        yield f"{' '.join(map(str, clause))} 0"


def _at_least(cards: int, encoding: str) -> tuple[list[Clause], int]:
    """The clauses of a cardinality constraint on the cards, and the highest variable in use."""
    with require_extra("sat", "the SAT solver"):
        from pysat.card import CardEnc, EncType
    literals = [variable(card) for card in range(CARDS)]
    # Without top_id PySAT numbers its own variables from the highest literal that it happens to see.
    found = CardEnc.atleast(literals, bound=cards, top_id=CARDS, encoding=getattr(EncType, encoding))
    return [tuple(clause) for clause in found.clauses], max(CARDS, found.nv)
