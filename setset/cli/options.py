"""Options that several commands share, each defined once."""

from __future__ import annotations

import functools
import os
import re
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import click

from setset.cards import parse_cards
from setset.errors import BadInput
from setset.show.commands import DEFAULT_WORKSPACE, set_workspace

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


def _remember_workspace(_: click.Context, parameter: click.Parameter, path: Path | None) -> Path | None:
    """Keeps the workspace for commands that messages name. The variable of the environment names it for them too."""
    if path is not None and str(path) != os.environ.get("SETSET_WORKSPACE"):
        refuse_other_system(path, max(parameter.opts, key=len))
        set_workspace(path)
    return path


def refuse_other_system(path: Path, option: str) -> None:
    """Refuses a path of Windows on another system, which would become a folder of that name."""
    if os.name != "nt" and re.match(r"[A-Za-z]:[\\/]|\\\\", str(path)) and not path.exists():
        raise BadInput(
            f"{option} {path}: that is a path of Windows; give one of this system, or ./{path} if it is meant"
        )


def _check_output(_: click.Context, parameter: click.Parameter, path: Path | None) -> Path | None:
    if path is not None:
        refuse_other_system(path, max(parameter.opts, key=len))
    return path


workspace = click.option(
    "-w",
    "--workspace",
    type=click.Path(path_type=Path),
    envvar="SETSET_WORKSPACE",
    default=DEFAULT_WORKSPACE,
    show_default=True,
    show_envvar=True,
    callback=_remember_workspace,
    help="The folder with the database and the batch files.",
)
no_workspace = click.option("-w", "--workspace", expose_value=False, hidden=True)
"""Accepted from old scripts: once the classes came from a workspace, now they are always known."""
as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")
wide = click.option("--wide", is_flag=True, help="All columns and whole values, however narrow the terminal.")
json_lines = click.option("--json", "as_json", is_flag=True, help="Print JSON lines: an array of cards for each list.")
quiet = click.option("-q", "--quiet", is_flag=True, help="No progress.")
output = click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, file_okay=False),
    callback=_check_output,
    help="Folder for this run's files: another disk, a NAS. The database remembers it.",
)
limit = click.option("--limit", type=click.IntRange(0), default=10, show_default=True, help="Maximum number of lists.")
all_lists = click.option("--all", "all_lists", is_flag=True, help="All lists from there on, however many.")
from_classes = click.option(
    "--from-classes", is_flag=True, help="All lists of the size, class by class as in unrank, without any run."
)
names = click.option("--names", is_flag=True, help="Names of cards instead of numbers.")
target = click.option(
    "--target",
    type=click.IntRange(4, 20),
    help="Keep only hands that can still grow to this size.  [default: the only one of the workspace, or 12]",
)

prune = click.option(
    "--prune", is_flag=True, help="For targets 19 and 20: below the target keep only lists that may reach it."
)
only_target = click.option("--target", type=click.IntRange(4, 20), help="Only this target.")


dry_run = click.option("--dry-run", is_flag=True, help="Say what would be done, and do nothing.")
yes = click.option("-y", "--yes", is_flag=True, help="Do not ask.")
force = click.option("--force", is_flag=True, help="Replace a file that is there already.")


def confirm(question: str, yes: bool) -> None:
    """Asks on a terminal; elsewhere --yes is needed. Ends the command if the answer is no."""
    if yes:
        return
    if not (sys.stdin is not None and sys.stdin.isatty()):
        raise BadInput("not a terminal, cannot ask: add --yes")
    if not click.confirm(question):
        click.echo("nothing was changed")
        raise SystemExit(1)


def size(
    required: bool = False,
    help: str = "Only this size.",  # noqa: A002 (click's word)
    least: int = 3,
    most: int = 20,
    option: str = "--size",
    default: int | None = None,
) -> Decorator:
    """Number of cards: the first argument N of a command, or the option that it had before."""
    kind = click.IntRange(least, most)

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def merged(*positional: Any, n: int | None, size: int | None, **more: Any) -> Any:
            return function(*positional, size=one_number(n, size, option, required, default), **more)

        argument = click.argument("n", type=kind, required=False, metavar="[N]")
        return argument(click.option(option, "size", type=kind, help=f"{help} The same as N.")(merged))

    return decorate


def one_number(n: int | None, named: int | None, option: str, required: bool, default: int | None) -> int | None:
    """The number of cards that a command line gives as an argument or by an option."""
    if n is not None and named not in (None, n):
        raise BadInput(f"give the number of cards once: {n} or {option} {named}")
    found = n if named is None else named
    if found is None and required and default is None:
        raise click.UsageError(f"Missing argument 'N': how many cards? (the same as {option} N)")
    return default if found is None else found


cards = click.argument("cards", nargs=-1, metavar="CARDS...")
hands_file = click.option(
    "--file",
    type=click.File(lazy=False, errors="replace"),
    help="Many hands: a hand a line, - for standard input (so does - instead of CARDS). Blank lines and what is "
    "behind # are skipped; a bad line is reported and the rest goes on, exit code 1. With --json a line each.",
)
seed = click.option(
    "--seed", type=click.IntRange(0, 2**64 - 1), help="Random seed; the same seed deals the same cards."
)
deal_instead = click.option(
    "--deal", "count", type=click.IntRange(1, 81), help="Deal this many cards instead of naming them."
)


def named_or_dealt(texts: tuple[str, ...], count: int | None, seed: int | None) -> tuple[tuple[int, ...], int | None]:
    """The cards that a command line names; or cards dealt for it, and their seed."""
    from setset.table import deal, new_seed

    if texts and (count is not None or seed is not None):
        raise BadInput("give cards, or --deal with --seed, not both")
    if texts:
        return parse_cards(texts), None
    if count is None:
        raise BadInput("which cards? give some (0 to 80, names or codes), or --deal 12")
    chosen = new_seed() if seed is None else seed
    return deal(count, chosen), chosen


class SizeList(click.ParamType):  # type: ignore[type-arg]  # generic from click 8.3 on
    """Sizes with commas between them, such as 12,15,18."""

    name = "sizes"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, ...]:
        if isinstance(value, tuple):  # the default
            return value
        try:
            return tuple(sorted({int(word) for word in str(value).split(",")}))
        except ValueError:
            self.fail(f"{value!r}: expected sizes with commas between them, such as 12,15,18", param, ctx)


store = click.option(
    "--store", type=SizeList(), default=(), metavar="SIZES", help="Store only these sizes, such as 18 or 12,15,18."
)
count = click.option(
    "--count", type=SizeList(), default=(), metavar="SIZES", help="Count only these sizes, without files."
)
via = click.option("--via", type=click.IntRange(3), help="With --store or --count: the size that they are made from.")
batch_lists = click.option(
    "--batch-lists",
    type=click.IntRange(1),
    help="Most lists in a file [default: by size and target, for files of up to some MB].",
)
first = click.option(
    "--from", "first", type=click.IntRange(0), default=0, help="Expand only source batches from this number on."
)


def refuse_given(why: str, *names: str) -> None:
    """Refuses options that would have no effect, if the command line gives one.

    Args:
        why: what is said behind the option: `cannot be combined with --all`.
        names: the parameters of the options.
    """
    context = click.get_current_context()
    for parameter in context.command.params:
        given = context.get_parameter_source(parameter.name or "") is click.core.ParameterSource.COMMANDLINE
        if parameter.name in names and given:
            raise BadInput(f"{max(parameter.opts, key=len)} {why}")


NEGATIVE_NUMBERS_ARE_ARGUMENTS = {"ignore_unknown_options": True}
"""For commands whose arguments are numbers: -1 is one to refuse, not an unknown option."""


def parse_hand(texts: tuple[str, ...]) -> tuple[int, ...]:
    """The cards that a command line names, at least one."""
    refuse_options(texts)
    if not texts:
        raise BadInput("which cards? give some: 0 to 80, names or codes")
    return parse_cards(texts)


def whole_number(text: str, what: str) -> int:
    """A number of a command line, as people write it or as tables here print it: 1,234,567."""
    try:
        return int(text.replace(",", ""))
    except ValueError:
        raise BadInput(f"not a {what}: {text!r} (give a whole number)") from None


def parse_class(text: str) -> tuple[int, int]:
    """The size and number of a class such as 12/700."""
    size, slash, number = text.partition("/")
    if not slash or "/" in number:
        raise BadInput(f"not a class: {text!r} (give its size and number, such as 12/700)")
    return whole_number(size, "class"), whole_number(number, "class")


def complete_classes(_: click.Context, __: click.Parameter, typed: str) -> list[str]:
    """Names of classes that begin with what was typed: sizes first, then numbers."""
    from setset.symmetry import catalogue_in_memory

    size, slash, number = typed.partition("/")
    if not slash:
        return [f"{each}/" for each in range(21) if str(each).startswith(size)]
    known = len(catalogue_in_memory().classes(int(size))) if size.isdecimal() and int(size) <= 20 else 0
    return [f"{size}/{each}" for each in range(known) if str(each).startswith(number)]


def chunk(limit: int, all_lists: bool) -> int:
    """How many lists to read at a time: no more than are printed."""
    return 65_536 if all_lists else max(1, min(limit, 65_536))


def refuse_options(words: Iterable[str]) -> None:
    """Refuses what looks like an option where click takes everything that begins with - for an argument."""
    from setset.cli import suggest

    for word in words:
        if word.startswith("--"):
            ctx = click.get_current_context()
            known = [name for parameter in ctx.command.get_params(ctx) for name in parameter.opts]
            raise click.UsageError(f"No such option {word!r}.{suggest(word, known)}", ctx)


certificates = click.option(
    "--certificates",
    type=click.Path(path_type=Path, file_okay=False),
    envvar="SETSET_CERTIFICATES",
    metavar="DIR",
    help="Folder with the certificates of the cluster, the same on every node [default: $SETSET_CERTIFICATES].",
)
