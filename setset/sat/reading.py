"""Reads the answers of other SAT solvers from their output files.

Reads three formats: `s SATISFIABLE` with `v` lines as in the SAT competitions, minisat's `SAT` with one line of
literals, and bare literals. Ignores comments and statistics around them.
"""

import re
from pathlib import Path

from setset.cards import Cards
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


def read_answer(path: Path, least: int = 1) -> Cards | None:
    """Reads and checks the cards in the output file of a solver.

    Args:
        path: the file.
        least: minimum number of cards.

    Returns:
        The cards; None if the output says that the problem has no solution.

    Raises:
        SetsetError: the file cannot be read.
        BadInput: the file is not an answer of a solver.
        NoAnswer: the solver gave up.
        WrongAnswer: the cards hold a set, or are fewer than `least`.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "answer"
    ...     _ = path.write_text("SAT\\n1 2 -3 4 0\\n")
    ...     read_answer(path)
    (0, 1, 3)
    """
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise SetsetError(f"cannot read {path}: {error.strerror}") from error
    return parse_answer(text, least, path.name)


def parse_answer(text: str, least: int = 1, source: str = "the output") -> Cards | None:
    """Parses and checks the cards in the output of a solver.

    Args:
        text: output of the solver.
        least: minimum number of cards.
        source: name of the output, for messages.

    Returns:
        The cards; None if the output says that the problem has no solution.

    Raises:
        BadInput: the text is not an answer of a solver.
        NoAnswer: the solver gave up.
        WrongAnswer: the cards hold a set, or are fewer than `least`.

    >>> parse_answer("SAT\\n1 2 -3 4 0\\n")
    (0, 1, 3)
    """
    if _is_proof(text):
        raise BadInput(
            f"{source} is a DRAT proof, not a solver's answer: check the proof with a program such as drat-trim, "
            "together with the problem that 'setset sat encode' writes"
        )
    verdicts: list[bool | None] = []
    literals: list[int] = []
    for line in text.splitlines():
        word = line.removeprefix("s ").strip()
        if word in _WORDS:
            verdicts.append(_WORDS[word])
        elif _LITERALS.fullmatch(body := line.removeprefix("v ").strip()):
            literals += map(int, body.split())
    if verdicts and verdicts[-1] is False:
        return None
    if verdicts and verdicts[-1] is None:
        raise NoAnswer(f"{source}: the solver gave up without an answer")
    if not literals:
        raise BadInput(f"{source} is not a solver's answer: no line SAT or UNSAT, and no literals")
    return decode_model(literals, least)


def _is_proof(text: str) -> bool:
    """Whether a text is a DRAT proof: only clauses, with some deletions (`d`) or with an empty clause at the end."""
    lines = [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("c")]
    clauses = all(_LITERALS.fullmatch(line.removeprefix("d ")) and line.endswith("0") for line in lines)
    return clauses and (lines[-1:] == ["0"] or any(line.startswith("d ") for line in lines))
