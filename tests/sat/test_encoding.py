"""The clauses say what they should."""

from __future__ import annotations

import pytest

from setset.cards import all_sets
from setset.errors import BadInput
from setset.sat import Problem, dimacs_lines, encode
from setset.sat.encoding import ENCODINGS

pysat = pytest.importorskip("pysat.solvers", reason="the extra setset[sat] is not installed")


def satisfiable(clauses: list[list[int]]) -> bool:
    with pysat.Solver(name="minisat22", bootstrap_with=clauses) as solver:
        return bool(solver.solve())


@pytest.fixture(scope="module")
def impossible() -> Problem:
    return encode(21, "cases")


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("cards", [1, 2, 8, 20])
def test_every_encoding_counts_exactly(encoding: str, cards: int) -> None:
    """With exactly K cards of the deck true the count holds, with K - 1 it does not; sets left aside."""
    counting = [list(clause) for clause in encode(cards, encoding=encoding).clauses[1080:]]
    for count, expected in ((cards, True), (cards - 1, False)):
        units = [[variable if variable <= count else -variable] for variable in range(1, 82)]
        assert satisfiable(counting + units) is expected


def test_the_problem_has_a_clause_for_each_set() -> None:
    problem = encode(20)
    assert len(all_sets()) == 1080
    assert problem.clauses[:1080] == tuple(tuple(-card - 1 for card in triple) for triple in all_sets())
    for clause in problem.clauses[1080:]:
        assert len(clause) < 81 or set(clause) == set(range(1, 82))


def test_auxiliary_variables_do_not_meet_the_cards(impossible: Problem) -> None:
    """Each counting clause has a variable above 81, and the cases have variables that nothing else uses."""
    assert min(impossible.selectors) > 81
    counting = impossible.clauses[1080 : -1 - 2 * 8]
    assert all(max(abs(x) for x in clause) > 81 for clause in counting if len(clause) > 1)
    assert not any(abs(x) in impossible.selectors for clause in counting for x in clause)
    assert max(abs(x) for clause in impossible.clauses for x in clause) == impossible.variables


def test_dimacs_is_what_it_says(impossible: Problem) -> None:
    lines = list(dimacs_lines(impossible))
    body = [line for line in lines if not line.startswith("c")]
    assert body[0] == f"p cnf {impossible.variables} {len(impossible.clauses)}"
    assert [tuple(map(int, line.split()[:-1])) for line in body[1:]] == list(impossible.clauses)
    assert all(line.endswith(" 0") for line in body[1:])
    assert "c variable 41 = card 40 g2hs green two striped squiggle" in lines
    assert (
        f"c variable {impossible.selectors[0]} = the fixed cards {' '.join(map(str, impossible.fixing.cases[0]))}"
        in lines
    )


@pytest.mark.parametrize("cards", [0, -1, 82])
def test_numbers_of_cards_out_of_range_are_refused(cards: int) -> None:
    with pytest.raises(BadInput, match="1 to 81"):
        encode(cards)
