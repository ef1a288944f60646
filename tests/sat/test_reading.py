"""Answers that other solvers write."""

from __future__ import annotations

import shutil
import subprocess
from itertools import combinations
from pathlib import Path

import pytest

from setset.cards import third
from setset.errors import BadInput
from setset.sat import NoAnswer, dimacs_lines, encode, parse_answer, read_answer


def check_list(cards: tuple[int, ...] | None, count: int) -> None:
    assert cards is not None
    assert len(set(cards)) == len(cards) >= count
    assert not any(third(a, b) in cards for a, b in combinations(cards, 2))


MODEL = " ".join(str(card + 1 if card in (0, 1, 3) else -card - 1) for card in range(81))


@pytest.mark.parametrize("name", ["minisat", "cadical"])
def test_other_solvers_take_the_file_and_their_answers_are_read(name: str, tmp_path: Path) -> None:
    program = shutil.which(name)
    if program is None:
        pytest.skip(f"{name} is not installed")
    pytest.importorskip("pysat.card", reason="the extra setset[sat] is not installed")
    for cards, fix in ((20, "none"), (21, "cases")):
        problem, answer = tmp_path / "cnf", tmp_path / "answer"
        problem.write_text("\n".join(dimacs_lines(encode(cards, fix))) + "\n")
        command = [program, problem] if name == "cadical" else [program, problem, answer]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        if name == "cadical":
            answer.write_text(result.stdout)
        assert result.returncode == (10 if cards == 20 else 20)
        if cards == 20:
            check_list(read_answer(answer, 20), 20)
        else:
            assert read_answer(answer) is None


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
