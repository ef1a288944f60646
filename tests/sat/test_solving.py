"""Problems, answers and proofs."""

from __future__ import annotations

import shutil
import subprocess
from itertools import combinations
from pathlib import Path

import pytest

from setset.cards import third
from setset.errors import BadInput
from setset.sat import (
    NoAnswer,
    Problem,
    WrongAnswer,
    dimacs_lines,
    encode,
    parse_answer,
    read_answer,
    solve,
)
from setset.sat.encoding import ENCODINGS, all_sets
from setset.sat.solving import PROVERS, SOLVERS, decode_model
from tests.sat import rup

pysat = pytest.importorskip("pysat.solvers", reason="the extra setset[sat] is not installed")


def satisfiable(clauses: list[list[int]]) -> bool:
    with pysat.Solver(name="minisat22", bootstrap_with=clauses) as solver:
        return bool(solver.solve())


def check_list(cards: tuple[int, ...] | None, count: int) -> None:
    assert cards is not None
    assert len(set(cards)) == len(cards) >= count
    assert not any(third(a, b) in cards for a, b in combinations(cards, 2))


@pytest.fixture(scope="module")
def impossible() -> Problem:
    return encode(21, "cases")


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("cards", [1, 2, 8, 20])
def test_every_encoding_counts_exactly(encoding: str, cards: int) -> None:
    """With exactly K cards of the deck true the count holds, with K - 1 it does not; sets left aside."""
    counting = [list(clause) for clause in encode(cards, encoding=encoding).clauses[1080:]]
    for held, expected in ((cards, True), (cards - 1, False)):
        chosen = [[variable if variable <= held else -variable] for variable in range(1, 82)]
        assert satisfiable(counting + chosen) is expected


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
        f"c variable {impossible.selectors[0]} = cards {' '.join(map(str, impossible.fixing.cases[0]))}"
        in lines
    )


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
    done = subprocess.run(
        ["drat-trim", "cnf", "drat"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert "s VERIFIED" in done.stdout


@pytest.mark.parametrize("name", ["minisat", "cadical"])
def test_other_solvers_take_the_file_and_their_answers_are_read(name: str, tmp_path: Path) -> None:
    program = shutil.which(name)
    if program is None:
        pytest.skip(f"{name} is not installed")
    for cards, fix in ((20, "none"), (21, "cases")):
        problem, answer = tmp_path / "cnf", tmp_path / "answer"
        problem.write_text("\n".join(dimacs_lines(encode(cards, fix))) + "\n")
        command = [program, problem] if name == "cadical" else [program, problem, answer]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if name == "cadical":
            answer.write_text(done.stdout)
        assert done.returncode == (10 if cards == 20 else 20)
        if cards == 20:
            check_list(read_answer(answer, 20), 20)
        else:
            assert read_answer(answer) is None


MODEL = " ".join(str(card + 1 if card in (0, 1, 3) else -card - 1) for card in range(81))


@pytest.mark.parametrize(
    "text",
    [
        f"SAT\n{MODEL} 0\n",
        f"c hello\ns SATISFIABLE\nv {MODEL}\nv 0\nc 12 conflicts\n",
        "s SATISFIABLE\nv " + MODEL.replace(" -40 ", "\nv -40 ") + " 0\n",
        f"{MODEL} 82 -83 0",
        f"SAT\r\n{MODEL} 0\r\n",
    ],
)
def test_dialects_of_answers(text: str) -> None:
    assert parse_answer(text, 3) == (0, 1, 3)


@pytest.mark.parametrize("text", ["UNSAT\n", "c so\ns UNSATISFIABLE\n"])
def test_answers_that_there_are_none(text: str) -> None:
    assert parse_answer(text) is None


@pytest.mark.parametrize("text", ["INDET\n", "s UNKNOWN\n"])
def test_answers_of_solvers_that_gave_up(text: str) -> None:
    with pytest.raises(NoAnswer):
        parse_answer(text)


@pytest.mark.parametrize("text", ["", "hello\n", "c only a comment\n", "p cnf 3 2\n", "SAT\n"])
def test_what_is_no_answer_is_refused(text: str) -> None:
    with pytest.raises(BadInput):
        parse_answer(text)


def test_wrong_answers_are_noticed() -> None:
    with pytest.raises(WrongAnswer, match="hold a set: 0 1 2"):
        decode_model([1, 2, 3])
    with pytest.raises(WrongAnswer, match="2 cards, not 3"):
        decode_model([1, 2, -3], 3)
    with pytest.raises(WrongAnswer, match="do not hold the fixed ones"):
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


@pytest.mark.parametrize("cards", [0, -1, 82])
def test_numbers_of_cards_out_of_range_are_refused(cards: int) -> None:
    with pytest.raises(BadInput, match="1 to 81"):
        encode(cards)


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
