"""`setset sat` as a user meets it."""

from __future__ import annotations

import json
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from tests.cli.conftest import Refuse
from tests.conftest import Run

needs_extra = pytest.mark.skipif(
    subprocess.run([sys.executable, "-c", "import pysat.solvers"], capture_output=True, check=False).returncode != 0,
    reason="the extra setset[sat] is not installed",
)


@pytest.fixture
def run(run: Run) -> Run:
    return partial(run, "sat")


@needs_extra
def test_solve_prints_cards_that_are_checked_and_classified(run: Run) -> None:
    code, out, _ = run("solve", "--cards", "20")
    assert code == 0
    assert "20 cards without a set, checked" in out
    assert "class 20/0 of 682,344 lists, no card can be added" in out
    assert "2 cases with 8 cards fixed in each" in out


@needs_extra
def test_solve_proves_that_there_are_none(run: Run, tmp_path: Path) -> None:
    proof = tmp_path / "21.drat"
    code, out, _ = run("solve", "--cards", "21", "--proof", str(proof))
    assert code == 0
    assert "proved: any 21 cards hold a set, so 20 is the maximum without a set" in out
    assert proof.read_text().endswith("\n0\n")


@needs_extra
def test_what_is_proved_about_fixed_cards_is_not_more_than_that(run: Run) -> None:
    code, out, _ = run("solve", "--cards", "21", "--fix", "0,1,3,4,9,10,12,13,27")
    assert code == 0
    assert "proved: any 21 cards that include 0 1 3 4 9 10 12 13 27 hold a set" in out


@needs_extra
def test_solve_as_json(run: Run) -> None:
    solution = json.loads(run("solve", "--cards", "20", "--json")[1])
    assert (solution["found"], solution["class"], solution["lists_in_class"]) == (True, "20/0", 682344)
    assert len(solution["cards"]) == 20
    failure = json.loads(run("solve", "--cards", "21", "--json")[1])
    assert (failure["found"], failure["cards"], len(failure["fixed_cases"])) == (False, None, 2)


@needs_extra
def test_a_proof_of_nothing_is_not_written(run: Run, tmp_path: Path) -> None:
    proof = tmp_path / "20.drat"
    code, out, _ = run("solve", "--cards", "20", "--proof", str(proof))
    assert code == 0
    assert "no proof to write" in out
    assert not proof.exists()


@needs_extra
def test_encode_writes_the_same_to_a_file_and_to_stdout(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "20.cnf"
    code, out, _ = run("encode", "--cards", "20", "--fix", "frame", "-o", str(path))
    assert code == 0
    assert out.startswith(f"{path}: ")
    assert run("encode", "--cards", "20", "--fix", "frame")[1] == path.read_text()
    lines = run("encode", "--cards", "20")[1].splitlines()
    assert len(lines) == len(path.read_text().splitlines()) - 5


def test_read_checks_and_classifies(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "answer"
    path.write_text("SAT\n1 2 -3 4 5 0\n")
    code, out, _ = run("read", str(path), "--cards", "4")
    assert code == 0
    assert "4 cards without a set, checked" in out
    assert json.loads(run("read", str(path), "--json")[1])["canonical"] == [0, 1, 3, 4]
    path.write_text("UNSAT\n")
    assert run("read", str(path))[0] == 0
    path.write_text("s UNKNOWN\n")
    assert run("read", str(path))[::2] == (13, "setset: answer: the solver gave up without an answer\n")
    path.write_text("SAT\n1 2 3 0\n")
    code, _, err = run("read", str(path))
    assert (code, err) == (1, "setset: the solver's cards hold a set: 0 1 2\n")


@needs_extra
@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["solve", "--cards", "20", "--fix", "0,1,2"], "the fixed cards hold a set: 0 1 2"),
        (["solve", "--cards", "20", "--fix", "0,0"], "given twice"),
        (["solve", "--cards", "20", "--fix", "99"], "not a card"),
        (["solve", "--cards", "12", "--fix", "cases"], "may lose answers with fewer than 19 cards"),
        (["solve", "--cards", "20", "--solver", "oracle"], "no solver 'oracle'"),
        (["encode", "--cards", "20", "--encoding", "ladder"], "no encoding 'ladder'"),
        (["solve", "--cards", "21", "--solver", "minisat22", "--proof", "x"], "writes no proofs"),
    ],
)
def test_bad_input_is_one_clear_line(refuse: Refuse, arguments: list[str], complaint: str) -> None:
    refuse(arguments, complaint)


@pytest.mark.parametrize("arguments", ["solve 0", "solve --cards 0", "encode 82", "encode --cards 82"])
def test_a_number_of_cards_that_there_is_not(run: Run, arguments: str) -> None:
    code, out, err = run(*arguments.split())
    assert (code, out) == (2, "")
    assert err.endswith(f"{arguments.split()[-1]}, expected a whole number from 1 to 81.\n")


@pytest.mark.parametrize("arguments", [["solve", "--cards", "20"], ["encode", "--cards", "20"]])
def test_without_the_extra_one_line_says_what_to_install(arguments: list[str]) -> None:
    program = "import sys; sys.modules['pysat'] = None; from setset.cli import main; main()"
    result = subprocess.run(
        [sys.executable, "-c", program, "sat", *arguments], capture_output=True, text=True, check=False
    )
    assert result.returncode == 14
    assert result.stderr.count("\n") == 1
    assert "pip install 'setset[sat]'" in result.stderr


@needs_extra
def test_a_time_out_has_an_exit_code_of_its_own(run: Run) -> None:
    code, out, err = run("solve", "--cards", "21", "--fix", "none", "--timeout", "0.1")
    assert (code, out, err) == (13, "", "setset: no answer from glucose4 within 0.1 s\n")


@pytest.mark.parametrize("proof", ["1 2 -3 0\n0\n", "d 4 5 0\n1 0\n", "c by a solver\n-1 -2 0\nd -1 -2 0\n0\n"])
def test_a_proof_is_not_taken_for_cards(refuse: Refuse, tmp_path: Path, proof: str) -> None:
    path = tmp_path / "21.drat"
    path.write_text(proof)
    refuse(["read", str(path)], "21.drat is a DRAT proof, not a solver's answer: ")


def test_many_answers_a_line_each(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "answers"
    path.write_text("v 1 2 -3 4 5 0\n\nUNSAT\n1 2 3 0  # a set\n")
    code, out, err = run("read", "--file", str(path))
    assert (code, out) == (1, "4/0     0 1 3 4\n-\n")
    assert err == f"setset: {path}, line 4: the solver's cards hold a set: 0 1 2\n"
    records = [json.loads(line) for line in run("read", "--file", str(path), "--json")[1].splitlines()]
    assert [(record["line"], record["found"]) for record in records] == [(1, True), (3, False)]


def test_an_answer_from_standard_input() -> None:
    words = [sys.executable, "-m", "setset", "sat", "read", "-", "--json"]
    result = subprocess.run(words, input="SAT\n1 2 -3 4 5 0\n", capture_output=True, text=True, check=True)
    assert json.loads(result.stdout)["class"] == "4/0"
