"""`setset sat`: the search for cards without a set as a SAT problem."""

from pathlib import Path
from typing import TextIO

import click

from setset.cli import options
from setset.cli.groups import SuggestingGroup
from setset.cli.many import Hands

_number = options.size("Number of cards without a set", required=True, least=1, most=81, option="--cards")
_encoding = click.option(
    "--encoding",
    default="totalizer",
    show_default=True,
    help="Cardinality encoding of PySAT: totalizer, kmtotalizer, mtotalizer, seqcounter, sortnetwrk or cardnetwrk.",
)
_FIX = "Fixed cards of the hand: none, triangle (3 cards), frame (5), cases (a choice), or cards such as 0,1,3."


def _complete_solvers(_: click.Context, __: click.Parameter, typed: str) -> list[str]:
    solvers = (
        "cadical103",
        "cadical153",
        "cadical195",
        "glucose3",
        "glucose4",
        "glucose42",
        "lingeling",
        "maplechrono",
        "minicard",
        "minisat22",
    )
    return [name for name in solvers if name.startswith(typed)]


@click.group("sat", cls=SuggestingGroup)
def command() -> None:
    """Ask a SAT solver for cards without a set. Needs the extra setset[sat].

    \b
    Examples:
      setset sat solve 20
      setset sat solve 21 --proof 21.drat
    """


@command.command("encode")
@_number
@click.option("--fix", default="none", show_default=True, metavar="WHAT", help=_FIX)
@options.dimension
@_encoding
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    show_default="standard output",
    help="File to write.",
)
def encode_command(size: int, fix: str, dimension: int, encoding: str, output: Path | None) -> None:
    """Write the SAT problem in the format DIMACS, for any solver.

    \b
    Example:
      setset sat encode 20 -o 20.cnf && minisat 20.cnf answer; setset sat read answer
    """
    from setset.sat import encode
    from setset.show.answers import write_problem

    write_problem(encode(size, fix, encoding, dimension), output)


@command.command("solve")
@_number
@click.option("--fix", metavar="WHAT", show_default="the last of these names that loses no answer", help=_FIX)
@options.dimension
@_encoding
@click.option(
    "--solver",
    default="glucose4",
    show_default=True,
    help="Solver of PySAT, such as cadical153.",
    shell_complete=_complete_solvers,
)
@click.option("--at-least", is_flag=True, help="Print all cards of the solver's answer, even if more than N.")
@click.option("--timeout", type=click.FloatRange(0, min_open=True), help="Give up after this number of seconds.")
@click.option(
    "--proof",
    type=click.Path(dir_okay=False, path_type=Path),
    help="File for a DRAT proof; `encode` with the same --fix and --encoding writes its problem.",
)
@options.as_json
def solve_command(
    size: int,
    fix: str | None,
    dimension: int,
    encoding: str,
    solver: str,
    at_least: bool,
    timeout: float | None,
    proof: Path | None,
    as_json: bool,
) -> None:
    """Find N cards without a set, or prove that there are no such cards. Checks, draws and classifies the cards.

    Exit code 0 for either answer; 13 after a timeout, or if the solver gave up.

    \b
    Examples:
      setset sat solve 20
      setset sat solve 21 --solver cadical153 --timeout 60
      setset sat solve 10 --dimension 3
    """
    from setset.sat import encode, solve
    from setset.sat.fixing import strongest_fixing
    from setset.show.answers import show_answer

    strongest = strongest_fixing(size) if dimension == 4 else "none"
    problem = encode(size, strongest if fix is None else fix, encoding, dimension)
    answer = solve(problem, solver, timeout, proof is not None)
    show_answer(answer if at_least else answer.exactly(), proof, as_json)


@command.command("read")
@click.argument("answer", type=click.File(errors="replace"), required=False, metavar="[FILE]")
@click.option(
    "--file",
    type=click.File(errors="replace"),
    help="File with the literals of an answer per line, # for comments; - for standard input.",
)
@click.option("--cards", type=click.IntRange(1, 81), default=1, help="Minimum number of cards in an answer.")
@options.dimension
@options.as_json
@click.pass_context
def read_command(
    ctx: click.Context, answer: TextIO | None, file: TextIO | None, cards: int, dimension: int, as_json: bool
) -> None:
    """Read the output FILE of another solver (- for standard input), and check, draw and classify its cards.

    Exit code 0 for cards, or if the solver found that there are none; 13 if it gave up, 1 if its cards are wrong.

    \b
    Examples:
      setset sat read answer --cards 20
      minisat 20.cnf /dev/stdout | setset sat read -
    """
    from setset.errors import BadInput, SetsetError
    from setset.sat import parse_answer
    from setset.show.answers import answer_line, show_read

    if (answer is None) == (file is None):
        raise BadInput("give the FILE that a solver wrote, or --file with one answer per line")
    if answer is not None:
        show_read(parse_answer(answer.read(), cards, Path(answer.name).name), as_json, dimension)
        return
    assert file is not None
    answers = Hands(file)
    for line, text in answers.lines():
        try:
            click.echo(answer_line(line, parse_answer(text, cards, "the line"), as_json, dimension))
        except SetsetError as error:
            answers.report(line, error)
    ctx.exit(answers.exit_code)
