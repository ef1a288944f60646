"""Prints a SAT solver's answer to "are there K cards without a set?": the cards, or that there are none."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from setset.sat.encoding import Problem, dimacs_lines
from setset.sat.solving import Answer
from setset.show.cards.terminal import print_cards
from setset.show.formatting import how_many, number, print_json, print_line, spaced, to_json
from setset.show.hands import cards_as_json
from setset.show.saving import write_file
from setset.spaces import LARGEST_CAPS, Deck
from setset.symmetry import Classification, classify


def write_problem(problem: Problem, output: Path | None) -> None:
    """Writes a SAT problem to a file in DIMACS format. If `output` is None, prints the lines of the problem instead."""
    text = "\n".join(dimacs_lines(problem))
    if output is None:
        click.echo(text)
        return
    write_file(output, f"{text}\n".encode())
    print_line(f"{output}: {number(problem.variables)} variables, {number(len(problem.clauses))} clauses")


def show_answer(answer: Answer, proof: Path | None, as_json: bool) -> None:
    """Prints the answer of a SAT solver. If the solver proved that no such cards exist, writes the proof to `proof`."""
    if answer.proof is not None and proof is not None:
        write_file(proof, ("\n".join(answer.proof) + "\n").encode())
    problem = answer.problem
    if as_json:
        fixing = problem.fixing
        request = {
            "dimension": problem.dimension,
            "at_least": problem.cards,
            "fix": fixing.name,
            "fixed_cases": fixing.cases,
        }
        effort = {"encoding": problem.encoding, "solver": answer.solver, "cpu_seconds": round(answer.seconds, 3)}
        written = str(proof) if answer.proof is not None else None
        print_json({**request, **effort, "proof": written, **_as_json(answer.cards, problem.dimension)})
        return
    if answer.cards is None:
        click.echo(_none_text(problem))
    else:
        _show_cards(answer.cards, problem.dimension)
    click.echo(f"{_fixed_text(problem)}; {answer.solver}, {answer.seconds:.2f} s of CPU")
    if answer.proof is not None:
        print_line(f"{proof}: a DRAT proof of {how_many(len(answer.proof), 'line')}")
    elif proof is not None:
        click.echo("the solver found cards, so there is no proof to write")


def show_read(cards: Sequence[int] | None, as_json: bool, dimension: int = 4) -> None:
    """Prints the answer that setset read from the file of another solver."""
    if as_json:
        print_json(_as_json(cards, dimension))
    elif cards is None:
        click.echo("the solver says that there are no such cards (not checked here; only a DRAT proof can be checked)")
    else:
        _show_cards(cards, dimension)


def answer_line(line: int, cards: Sequence[int] | None, as_json: bool, dimension: int = 4) -> str:
    """Returns the output line for one of many answers: the class and the cards, or a dash if there are no cards."""
    if as_json:
        return to_json({"line": line, **_as_json(cards, dimension)})
    return "-" if cards is None else f"{_classify(cards, dimension).list_class!s:<8}{spaced(cards)}"


def _classify(cards: Sequence[int], dimension: int) -> Classification:
    return classify(cards) if dimension == 4 else Deck(dimension).classify(cards)


def _show_cards(cards: Sequence[int], dimension: int) -> None:
    classification = _classify(cards, dimension)
    print_cards(cards)
    click.echo(f"{how_many(len(cards), 'card')} without a set, checked")
    extensions = how_many(len(classification.extensions), "card")
    more = "no card can be added" if classification.complete else f"{extensions} can be added"
    click.echo(f"class {classification.list_class} of {how_many(classification.lists, 'list')}, {more}")


def _as_json(cards: Sequence[int] | None, dimension: int) -> dict[str, Any]:
    if cards is None:
        return {"found": False, "cards": None}
    classification = _classify(cards, dimension)
    return {
        "found": True,
        "cards": cards_as_json(cards),
        "class": str(classification.list_class),
        "lists_in_class": classification.lists,
        "canonical": classification.form,
        "complete": classification.complete,
    }


def _none_text(problem: Problem) -> str:
    if problem.fixing.least is None:
        held = spaced(problem.fixing.cases[0])
        return f"proved: any {problem.cards} cards that include {held} hold a set"
    largest = LARGEST_CAPS[problem.dimension]
    deck = "" if problem.dimension == 4 else f" of the {3**problem.dimension}"
    proved = f"proved: any {problem.cards} cards{deck} hold a set"
    return f"{proved}, so {largest} is the maximum without a set" if problem.cards == largest + 1 else proved


def _fixed_text(problem: Problem) -> str:
    cases = problem.fixing.cases
    if len(cases) > 1:
        return f"{len(cases)} cases with {len(cases[0])} cards fixed in each"
    return f"{how_many(len(cases[0]), 'card')} fixed"
