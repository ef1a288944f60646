"""Answer of a SAT solver: cards, drawn and classified, or that there are none."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from setset.cards import LARGEST
from setset.sat.encoding import Problem, dimacs_lines
from setset.sat.solving import Answer
from setset.show.cards.terminal import print_cards
from setset.show.files import write_file
from setset.show.formatting import how_many, number, print_json, print_line, spaced, to_json
from setset.show.hands import cards_as_json
from setset.symmetry import classify


def write_problem(problem: Problem, output: Path | None) -> None:
    """The DIMACS file, or its lines on stdout."""
    text = "\n".join(dimacs_lines(problem))
    if output is None:
        click.echo(text)
        return
    write_file(output, f"{text}\n".encode())
    print_line(f"{output}: {number(problem.variables)} variables, {number(len(problem.clauses))} clauses")


def show_answer(answer: Answer, proof: Path | None, as_json: bool) -> None:
    """Prints the answer and writes the proof if there is one."""
    if answer.proof is not None and proof is not None:
        write_file(proof, ("\n".join(answer.proof) + "\n").encode())
    problem = answer.problem
    if as_json:
        fixing = problem.fixing
        asked = {"at_least": problem.cards, "fix": fixing.name, "fixed_cases": fixing.cases}
        how = {"encoding": problem.encoding, "solver": answer.solver, "cpu_seconds": round(answer.seconds, 3)}
        written = str(proof) if answer.proof is not None else None
        print_json({**asked, **how, "proof": written, **_as_json(answer.cards)})
        return
    if answer.cards is None:
        click.echo(_none_text(problem))
    else:
        _show_cards(answer.cards)
    click.echo(f"{_fixed_text(problem)}; {answer.solver}, {answer.seconds:.2f} s of CPU")
    if answer.proof is not None:
        print_line(f"{proof}: a DRAT proof of {how_many(len(answer.proof), 'line')}")
    elif proof is not None:
        click.echo("there is nothing to prove, so no proof was written")


def show_read(cards: Sequence[int] | None, as_json: bool) -> None:
    """Prints what another solver found."""
    if as_json:
        print_json(_as_json(cards))
    elif cards is None:
        click.echo("the solver says that there are none (its word is not checked here; a DRAT proof can be)")
    else:
        _show_cards(cards)


def answer_line(line: int, cards: Sequence[int] | None, as_json: bool) -> str:
    """One of many answers: the class and the cards, or a dash if there are none."""
    if as_json:
        return to_json({"line": line, **_as_json(cards)})
    return "-" if cards is None else f"{classify(cards).list_class!s:<8}{spaced(cards)}"


def _show_cards(cards: Sequence[int]) -> None:
    found = classify(cards)
    print_cards(cards)
    click.echo(f"{how_many(len(cards), 'card')} without a set, checked")
    extensions = how_many(len(found.extensions), "card")
    more = "no card can be added" if found.complete else f"{extensions} can be added"
    click.echo(f"class {found.list_class} of {how_many(found.lists, 'list')}, {more}")


def _as_json(cards: Sequence[int] | None) -> dict[str, Any]:
    if cards is None:
        return {"found": False, "cards": None}
    found = classify(cards)
    return {
        "found": True,
        "cards": cards_as_json(cards),
        "class": str(found.list_class),
        "lists_in_class": found.lists,
        "canonical": found.form,
        "complete": found.complete,
    }


def _none_text(problem: Problem) -> str:
    if problem.fixing.least is None:
        held = spaced(problem.fixing.cases[0])
        return f"proved: no {problem.cards} cards that hold {held} are without a set"
    most = f", so {LARGEST} is the most" if problem.cards == LARGEST + 1 else ""
    return f"proved: any {problem.cards} cards hold a set{most}"


def _fixed_text(problem: Problem) -> str:
    cases = problem.fixing.cases
    if len(cases) > 1:
        return f"{len(cases)} cases with {len(cases[0])} cards fixed in each"
    return f"{how_many(len(cases[0]), 'card')} fixed"
