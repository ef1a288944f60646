"""Answers and proofs of the solvers of PySAT."""

from __future__ import annotations

import shutil
import subprocess
from itertools import combinations
from pathlib import Path

import pytest

from setset.cards import third
from setset.errors import BadInput
from setset.sat import NoAnswer, Problem, WrongAnswer, dimacs_lines, encode, solve
from setset.sat.encoding import ENCODINGS
from setset.sat.solving import PROVERS, SOLVERS, decode_model
from tests.sat import rup

pytest.importorskip("pysat.solvers", reason="the extra setset[sat] is not installed")


def check_list(cards: tuple[int, ...] | None, count: int) -> None:
    assert cards is not None
    assert len(set(cards)) == len(cards) >= count
    assert not any(third(a, b) in cards for a, b in combinations(cards, 2))


@pytest.fixture(scope="module")
def impossible() -> Problem:
    return encode(21, "cases")


@pytest.mark.parametrize("solver", SOLVERS)
def test_every_solver_finds_twenty_cards(solver: str) -> None:
    check_list(solve(encode(20, "cases"), solver).cards, 20)


@pytest.mark.parametrize("fix", ["none", "triangle", "frame", "cases"])
def test_twenty_cards_whatever_is_fixed(fix: str) -> None:
    answer = solve(encode(20, fix))
    check_list(answer.cards, 20)
    assert any(set(case) <= set(answer.cards or ()) for case in answer.problem.fixing.cases)


@pytest.mark.parametrize("solver", ["glucose4", "cadical153", "minisat22"])
def test_twenty_one_cards_are_impossible(solver: str, impossible: Problem) -> None:
    assert solve(impossible, solver).cards is None


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_twenty_one_cards_are_impossible_in_every_encoding(encoding: str) -> None:
    assert solve(encode(21, "cases", encoding)).cards is None


def test_cards_that_a_user_fixes_are_in_the_answer() -> None:
    answer = solve(encode(12, "5,50,77"))
    check_list(answer.cards, 12)
    assert {5, 50, 77} <= set(answer.cards or ())


def test_small_and_huge_numbers_of_cards() -> None:
    check_list(solve(encode(1)).cards, 1)
    assert solve(encode(81, "cases")).cards is None


def test_the_proof_of_21_holds_for_an_independent_checker(impossible: Problem) -> None:
    answer = solve(impossible, proof=True)
    assert answer.proof is not None
    assert rup.refutes(impossible.clauses, answer.proof)


def test_the_checker_refuses_what_does_not_follow(impossible: Problem) -> None:
    """Without the clause that one of the cases holds the same lines prove nothing; nor do wrong lines."""
    proof = solve(impossible, proof=True).proof
    assert proof is not None
    assert not rup.refutes([c for c in impossible.clauses if c != impossible.selectors], proof)
    assert not rup.refutes(impossible.clauses, ["0"])
    assert not rup.refutes(impossible.clauses, proof[:-2000])
    assert rup.refutes([(1, 2), (-1, 2), (1, -2), (-1, -2)], ["1 0", "0"])
    assert not rup.refutes([(1, 2), (-1, 2), (1, -2)], ["1 0", "0"])


@pytest.mark.skipif(shutil.which("drat-trim") is None, reason="drat-trim is not installed")
def test_the_proof_of_21_holds_for_drat_trim(impossible: Problem, tmp_path: Path) -> None:
    (tmp_path / "cnf").write_text("\n".join(dimacs_lines(impossible)) + "\n")
    proof = solve(impossible, proof=True).proof
    (tmp_path / "drat").write_text("\n".join(proof or ()) + "\n")
    result = subprocess.run(["drat-trim", "cnf", "drat"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert "s VERIFIED" in result.stdout


def test_wrong_answers_are_noticed() -> None:
    with pytest.raises(WrongAnswer, match="hold a set: 0 1 2"):
        decode_model([1, 2, 3])
    with pytest.raises(WrongAnswer, match="2 cards, expected at least 3"):
        decode_model([1, 2, -3], 3)
    with pytest.raises(WrongAnswer, match="do not contain the fixed cards"):
        decode_model([1, 2, -3], 2, ((0, 5), (1, 5)))
    assert decode_model([1, 2, 82, 83], 2, ((0, 5), (0, 1))) == (0, 1)


def test_a_solver_that_takes_too_long_is_stopped() -> None:
    """Without fixed cards 21 keeps glucose busy for over two minutes."""
    with pytest.raises(NoAnswer, match=r"within 0\.2 s"):
        solve(encode(21, "none"), timeout=0.2)


def test_an_answer_in_time_is_the_same_answer(impossible: Problem) -> None:
    answer = solve(impossible, timeout=600, proof=True)
    assert answer.cards is None
    assert answer.proof == solve(impossible, proof=True).proof
    check_list(solve(encode(20), timeout=600).cards, 20)


def test_unknown_names_are_refused(impossible: Problem) -> None:
    with pytest.raises(BadInput, match="no encoding"):
        encode(20, encoding="pairwise")
    with pytest.raises(BadInput, match="no solver"):
        solve(impossible, "oracle")
    with pytest.raises(BadInput, match="writes no proofs"):
        solve(impossible, "minisat22", proof=True)


@pytest.mark.parametrize("solver", PROVERS)
def test_provers_end_with_the_empty_clause(solver: str) -> None:
    """On a small problem: two cards with a third that is forbidden by each of them."""
    problem = encode(21, "cases")
    small = Problem(2, problem.fixing, problem.encoding, 2, ((1, 2), (-1, 2), (1, -2), (-1, -2)), ())
    proof = solve(small, solver, proof=True).proof
    assert proof is not None
    assert rup.refutes(small.clauses, proof)
