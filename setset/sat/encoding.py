"""The question "are there K cards without a set?" as clauses for any SAT solver.

Variable c + 1 is true if card c is one of the K cards. 1,080 clauses forbid the sets. A cardinality encoding of PySAT
says that at least K of the 81 variables are true. The encoding adds variables with numbers above 81. If the deck is
smaller, a clause of one literal makes the variable of each card outside the deck false.

A problem may fix cards. A *case* is a group of fixed cards, and the K cards must contain at least one whole case. If
there is only one case, a clause of one literal makes the variable of each of its cards true. If there are several
cases, each case has its own variable. If this variable is true, so are the variables of all cards of the case. A clause
says that at least one variable of a case is true.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from setset.cards import CARDS, all_sets, check_deck, code, deck_cards, name
from setset.errors import BadInput, require_extra
from setset.sat.fixing import NAMES, Fixing, fix_cards

ENCODINGS: Final = ("totalizer", "kmtotalizer", "mtotalizer", "seqcounter", "sortnetwrk", "cardnetwrk")
"""Cardinality encodings of PySAT. With each encoding, a solver needs well under a second for `encode(21, "cases")`."""

Clause = tuple[int, ...]


@dataclass(frozen=True)
class Problem:
    """A SAT problem. It has a solution if and only if some list of at least `cards` cards contains at least one whole
    case (see `Fixing`) of `fixing`.

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
    """Variables of the cases, one per case. Empty if there is only one case."""
    dimension: int = 4
    """Number of features of the deck."""


def encode(cards: int, fix: str = "none", encoding: str = ENCODINGS[0], dimension: int = 4) -> Problem:
    """Encodes the question "are there at least this many cards without a set?".

    Args:
        cards: 1 to the size of the deck (81, 27 or 9).
        fix: none, triangle, frame or cases (see `fix_cards`), or cards such as '0,1,3'.
        encoding: the cardinality encoding, one of `ENCODINGS`.
        dimension: the number of features: 4, or 3 for the Junior deck of 27 cards, or 2 for a deck of 9.

    Returns:
        The problem: its clauses, and the cards and cases that their variables stand for.

    Raises:
        BadInput: an argument is out of range, or the fixing is not sound for this number of cards.
        MissingExtra: PySAT is not installed.

    >>> encode(21, "cases").fixing.least
    19
    """
    deck = deck_cards(dimension)
    if not 1 <= cards <= len(deck):
        raise BadInput(f"cannot ask for {cards} cards: give 1 to {len(deck)}")
    if encoding not in ENCODINGS:
        raise BadInput(f"no encoding {encoding!r}; choose one of {', '.join(ENCODINGS)}")
    if dimension != 4 and fix in NAMES[1:]:
        raise BadInput(f"--fix {fix} is for the whole deck: with dimension {dimension} give none or cards of that deck")
    fixed = fix_cards(fix, cards)
    check_deck(fixed.cases[0] if dimension != 4 else (), dimension)
    clauses = [tuple(-variable(card) for card in triple) for triple in all_sets()]
    clauses += [(-variable(card),) for card in range(CARDS) if card not in deck]
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
    return Problem(cards, fixed, encoding, top + len(selectors), tuple(clauses), selectors, dimension)


def variable(card: int) -> int:
    """Number of the variable that says whether a card is chosen."""
    return card + 1


def dimacs_lines(problem: Problem) -> Iterator[str]:
    """The lines of a DIMACS file, with comments that name the card of each variable.

    Args:
        problem: result of `encode`.

    Returns:
        An iterator over the lines, without line ends.

    >>> next(dimacs_lines(encode(20)))
    'c at least 20 cards of SET without a set'
    """
    features = problem.dimension
    deck = "cards of SET" if features == 4 else f"of the {3**features} cards with {features} features"
    yield f"c at least {problem.cards} {deck} without a set"
    yield f"c fixed cards: {problem.fixing.name}; encoding of the number of cards: {problem.encoding}"
    for card in range(CARDS):
        yield f"c variable {variable(card)} = card {card} {code(card)} {name(card)}"
    for selector, case in zip(problem.selectors, problem.fixing.cases, strict=False):
        yield f"c variable {selector} = the fixed cards {' '.join(map(str, case))}"
    yield f"p cnf {problem.variables} {len(problem.clauses)}"
    for clause in problem.clauses:
        yield f"{' '.join(map(str, clause))} 0"


def _at_least(cards: int, encoding: str) -> tuple[list[Clause], int]:
    """Encodes "at least this many cards of the deck". Returns the clauses and the highest variable in use."""
    with require_extra("sat", "the SAT solver"):
        from pysat.card import CardEnc, EncType
    literals = [variable(card) for card in range(CARDS)]
    # Without top_id, PySAT's own variables could have the numbers of cards.
    constraint = CardEnc.atleast(literals, bound=cards, top_id=CARDS, encoding=getattr(EncType, encoding))
    return [tuple(clause) for clause in constraint.clauses], max(CARDS, constraint.nv)
