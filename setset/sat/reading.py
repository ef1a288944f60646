"""Answers of other solvers, from the files that they write.

Three dialects: the competition's `s SATISFIABLE` with `v` lines, minisat's `SAT` with one line of literals,
and bare literals. Comments and statistics around them are passed over.
"""

from __future__ import annotations

import re
from pathlib import Path

from setset.errors import BadInput, SetsetError
from setset.sat.solving import NoAnswer, decode_model

_WORDS = {
    "SATISFIABLE": True,
    "SAT": True,
    "UNSATISFIABLE": False,
    "UNSAT": False,
    "UNKNOWN": None,
    "INDETERMINATE": None,
    "INDET": None,
}
_LITERALS = re.compile(r"-?\d+(\s+-?\d+)*")


def read_answer(path: Path, least: int = 1) -> tuple[int, ...] | None:
    """The checked cards of a solver's output file; None if it says that there are none.

    NoAnswer if the solver gave up, WrongAnswer if its cards hold a set or are fewer than `least`.
    """
    try:
        text = path.read_text(errors="replace")
    except OSError as error:
        raise SetsetError(f"cannot read {path}: {error.strerror}") from error
    return parse_answer(text, least, path.name)


def parse_answer(text: str, least: int = 1, source: str = "the output") -> tuple[int, ...] | None:
    """`read_answer` for text that was read already."""
    said: list[bool | None] = []
    literals: list[int] = []
    for line in text.splitlines():
        word = line.removeprefix("s ").strip()
        if word in _WORDS:
            said.append(_WORDS[word])
        elif _LITERALS.fullmatch(body := line.removeprefix("v ").strip()):
            literals += map(int, body.split())
    if said and said[-1] is False:
        return None
    if said and said[-1] is None:
        raise NoAnswer(f"{source}: the solver did not find out")
    if not literals:
        raise BadInput(f"{source} is not a solver's answer: no line SAT or UNSAT, and no literals")
    return decode_model(literals, least)
