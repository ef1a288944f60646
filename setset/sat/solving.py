"""Runs the solvers of PySAT and checks their answers."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection
from typing import Final

from setset import platform
from setset.cards import CARDS, Cards, first_set
from setset.errors import BadInput, SetsetError, require_extra
from setset.sat.encoding import Problem, variable
from setset.spawning import spawn_context

PROVERS: Final = ("glucose4", "glucose3", "glucose42", "cadical153", "cadical195", "lingeling", "maplechrono")
"""Solvers that can write a proof that a problem has no solution."""
SOLVERS: Final = (*PROVERS, "minisat22", "minisat-gh", "minicard", "maplecm", "maplesat", "mergesat3")


class NoAnswer(SetsetError):
    """The solver stopped, or was stopped, before it found an answer."""

    exit_code = 13


class WrongAnswer(SetsetError):
    """A solver gave cards that are not an answer to the problem."""


@dataclass(frozen=True)
class Answer:
    """The answer to a problem. `cards` is None if the solver proved that the problem has no solution.

    >>> from setset.sat.encoding import encode
    >>> solve(encode(21, "cases")).cards is None
    True
    """

    problem: Problem
    solver: str
    cards: Cards | None
    seconds: float
    """CPU time of the solver."""
    proof: tuple[str, ...] | None = None
    """The lines of a DRAT proof that the problem has no solution, if the caller requested a proof."""

    def exactly(self) -> Answer:
        """Drops surplus cards, so that the answer has exactly the number of cards that the problem asks for."""
        if self.cards is None or len(self.cards) <= self.problem.cards:
            return self
        fixed = set(self.problem.fixing.cases[0]) & set(self.cards)
        free = [card for card in self.cards if card not in fixed]
        kept = sorted([*fixed, *free[: self.problem.cards - len(fixed)]])
        return replace(self, cards=tuple(kept))


def solve(problem: Problem, solver: str = PROVERS[0], timeout: float | None = None, proof: bool = False) -> Answer:
    """Solves a problem, and checks the answer against the rules of the game.

    Args:
        problem: result of `encode`.
        solver: one of `SOLVERS`.
        timeout: seconds after which the solver is stopped; by default never.
        proof: whether to write a DRAT proof if the problem has no solution. Needs one of `PROVERS`.

    Returns:
        The cards, or None if the problem has no solution; the CPU time; and the proof.

    Raises:
        BadInput: there is no such solver, or it writes no proofs.
        MissingExtra: PySAT is not installed.
        NoAnswer: timeout, or the solver was killed.
        WrongAnswer: the solver's cards are not an answer.

    >>> from setset.sat.encoding import encode
    >>> len(solve(encode(20, "cases")).cards)
    20
    """
    if solver not in SOLVERS:
        raise BadInput(f"no solver {solver!r}; choose one of {', '.join(SOLVERS)}")
    if proof and solver not in PROVERS:
        raise BadInput(f"{solver} writes no proofs; choose one of {', '.join(PROVERS)}")
    with require_extra("sat", "the SAT solver"):
        import pysat.solvers  # noqa: F401 (fails here, before a process starts)
    if timeout is None:
        model, seconds, lines = _run_solver(problem, solver, proof)
    else:
        model, seconds, lines = _run_with_timeout(problem, solver, proof, timeout)
    if model is None:
        return Answer(problem, solver, None, seconds, lines)
    return Answer(problem, solver, decode_model(model, problem.cards, problem.fixing.cases), seconds)


def decode_model(model: list[int], least: int = 1, cases: tuple[Cards, ...] = ((),)) -> Cards:
    """Returns the cards whose variables are true in the solver's model.

    Raises WrongAnswer if the cards hold a set, are too few, or contain no whole case of `cases` (see `Fixing`).
    """
    true = set(model)
    cards = tuple(card for card in range(CARDS) if variable(card) in true)
    triple = first_set(cards)
    if triple is not None:
        raise WrongAnswer(f"the solver's cards hold a set: {' '.join(map(str, triple))}")
    if len(cards) < least:
        raise WrongAnswer(f"the solver's answer has {len(cards)} cards, expected at least {least}")
    if not any(set(case) <= set(cards) for case in cases):
        raise WrongAnswer("the solver's cards do not contain the fixed cards")
    return cards


_Result = tuple[list[int] | None, float, tuple[str, ...] | None]


def _run_solver(problem: Problem, solver: str, proof: bool) -> _Result:
    """Runs the solver; returns a model or None, the CPU seconds of the solver, and the proof if there is one."""
    from pysat.solvers import Solver

    start = time.process_time()
    with Solver(name=solver, bootstrap_with=problem.clauses, **({"with_proof": True} if proof else {})) as engine:
        try:
            satisfiable = engine.solve()
        except Exception as error:  # PySAT's own error class is not importable
            if "keyboard interrupt" in str(error):
                raise KeyboardInterrupt from error
            raise
        seconds = time.process_time() - start
        if satisfiable:
            return engine.get_model(), seconds, None
        return None, seconds, tuple(engine.get_proof()) if proof else None


def _run_with_timeout(problem: Problem, solver: str, proof: bool, timeout: float) -> _Result:
    """Runs the solver in its own process, because not every solver can be interrupted from outside."""
    spawn = spawn_context()
    receiver, sender = spawn.Pipe(duplex=False)
    process = spawn.Process(target=_run_in_child, args=(sender, problem, solver, proof, timeout), daemon=True)
    process.start()
    sender.close()
    try:
        if not receiver.poll(timeout):
            raise NoAnswer(f"no answer from {solver} within {timeout:g} s")
        result: _Result | None = receiver.recv()
    except EOFError as error:
        raise NoAnswer(f"{solver} ended without an answer") from error
    finally:
        process.kill()
        process.join()
    if result is None:
        raise KeyboardInterrupt
    return result


def _run_in_child(pipe: Connection, problem: Problem, solver: str, proof: bool, timeout: float) -> None:
    """Runs the solver and sends its result. A CPU time limit ends this process even if its parent was killed."""
    platform.limit_cpu_seconds(int(timeout) + 5)
    try:
        pipe.send(_run_solver(problem, solver, proof))
    except KeyboardInterrupt:
        pipe.send(None)
