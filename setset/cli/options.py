"""Command-line options that several commands share."""

from __future__ import annotations

import functools
import os
import re
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import click

from setset.cards import check_deck, deck_cards, parse_cards
from setset.cli.settings import SETTINGS, read_settings
from setset.errors import BadInput
from setset.show.commands import DEFAULT_WORKSPACE, set_workspace

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


class Setting(click.Option):
    """An option whose default may come from the settings of the workspace."""

    def get_default(self, ctx: click.Context, call: bool = True) -> Any:
        workspace = ctx.params.get("workspace")  # parsed already, because the option is eager
        settings = read_settings(workspace) if workspace and (workspace / SETTINGS).is_file() else {}
        return settings[self.name] if self.name in settings else super().get_default(ctx, call)


def _remember_workspace(_: click.Context, parameter: click.Parameter, path: Path | None) -> Path | None:
    """Records the workspace, so that commands in messages name it. Does not record a workspace from $SETSET_WORKSPACE,
    because commands find that workspace without an option."""
    if path is not None and str(path) != os.environ.get("SETSET_WORKSPACE"):
        refuse_other_system(path, max(parameter.opts, key=len))
        set_workspace(path)
    return path


def refuse_other_system(path: Path, option: str) -> None:
    """Raises BadInput for a Windows path on another system. There the whole path would become the name of one
    folder."""
    if os.name != "nt" and re.match(r"[A-Za-z]:[\\/]|\\\\", str(path)) and not path.exists():
        raise BadInput(
            f"{option} {path} is a path of Windows: give a path of this system, or ./{path} for a folder of this name"
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
    is_eager=True,  # parsed first, because the settings of the workspace have defaults of other options
    help="Folder with the database and the batch files.",
)
ignored_workspace = click.option("-w", "--workspace", expose_value=False, hidden=True)
"""Option without effect, for old scripts: the command once read the classes from a workspace."""
as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")
wide = click.option("--wide", is_flag=True, help="Show all columns and whole values on any terminal.")
json_lines = click.option("--json", "as_json", is_flag=True, help="Print JSON lines: an array of cards for each list.")
quiet = click.option("-q", "--quiet", is_flag=True, help="Show no progress.")
output = click.option(
    "-o",
    "--output",
    cls=Setting,
    type=click.Path(path_type=Path, file_okay=False),
    callback=_check_output,
    show_default="from setset.toml, or in the workspace",
    help="Folder for the batch files of this run, such as a NAS.",
)
from_classes = click.option(
    "--from-classes", is_flag=True, help="Compute all lists from the classes, not from files, in the order of `unrank`."
)
names = click.option("--names", is_flag=True, help="Print cards by name, not by number.")
target = click.option(
    "--target",
    cls=Setting,
    type=click.IntRange(4, 20),
    show_default="from setset.toml, the only target in the workspace, or 12",
    help="Exploration of hands that can still grow to this size.",
)

workers = click.option(
    "--workers", cls=Setting, type=click.IntRange(1), show_default="all cores", help="Number of worker processes."
)
prune = click.option("--prune", is_flag=True, help="Drop lists that provably cannot reach the target (19 or 20 only).")
only_target = click.option("--target", type=click.IntRange(4, 20), help="Show only the exploration with this target.")


dry_run = click.option("--dry-run", is_flag=True, help="Print the planned work, and change nothing.")
yes = click.option("-y", "--yes", is_flag=True, help="Do not ask.")
force = click.option("--force", is_flag=True, help="Replace an existing file.")


def confirm(question: str, yes: bool) -> None:
    """Asks a question on the terminal, and ends the command if the answer is no. Without a terminal, requires --yes."""
    if yes:
        return
    if not (sys.stdin is not None and sys.stdin.isatty()):
        raise BadInput("not a terminal, cannot ask: add --yes")
    if not click.confirm(question):
        click.echo("nothing was changed")
        raise SystemExit(1)


def size(
    help: str,  # noqa: A002 (click's word)
    required: bool = False,
    least: int = 3,
    most: int = 20,
    option: str = "--size",
    default: int | None = None,
) -> Decorator:
    """Decorator that adds the number of cards to a command: as the first argument N, and as an option such as --size
    that is kept from earlier versions."""
    kind = click.IntRange(least, most)

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def merged(*positional: Any, n: int | None, size: int | None, **more: Any) -> Any:
            return function(*positional, size=one_number(n, size, option, required, default), **more)

        argument = click.argument("n", type=kind, required=False, metavar="[N]")
        return argument(click.option(option, "size", type=kind, help=f"{help} (same as N).")(merged))

    return decorate


def limit(noun: str = "lists", default: int = 10) -> Decorator:
    """Decorator that adds the options --limit and --all. The command gets one argument `limit`, None for all."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def merged(*positional: Any, limit: int, everything: bool, **more: Any) -> Any:
            if everything:
                refuse_given("{option} cannot be combined with --all", "limit")
            return function(*positional, limit=None if everything else limit, **more)

        everything_option = click.option("--all", "everything", is_flag=True, help=f"Print all {noun} from --start on.")
        limit_option = click.option(
            "--limit", type=click.IntRange(0), default=default, show_default=True, help=f"Maximum number of {noun}."
        )
        return limit_option(everything_option(merged))

    return decorate


def one_number(n: int | None, named: int | None, option: str, required: bool, default: int | None) -> int | None:
    """Returns the number of cards, from the argument N or the option. Raises BadInput if both are given and differ."""
    if n is not None and named not in (None, n):
        raise BadInput(f"give the number of cards once: {n} or {option} {named}")
    number = n if named is None else named
    if number is None and required and default is None:
        raise click.UsageError(f"Missing argument 'N': give the number of cards, as N or {option} N")
    return default if number is None else number


cards = click.argument("cards", nargs=-1, metavar="CARDS...")
hands_file = click.option(
    "--file",
    type=click.File(lazy=False, errors="replace"),
    help="File with a hand per line, # for comments; - for standard input, also in place of CARDS.",
)
seed = click.option(
    "--seed", type=click.IntRange(0, 2**64 - 1), help="Random seed; the same seed deals the same cards."
)


def _check_dimension(_: click.Context, __: click.Parameter, dimension: int) -> int:
    deck_cards(dimension)
    return dimension


dimension = click.option(
    "--dimension",
    type=int,
    default=4,
    show_default=True,
    callback=_check_dimension,
    help="Number of features: 3 for the Junior deck of 27 cards, 2 for a deck of 9.",
)
deal_instead = click.option(
    "--deal", "count", type=click.IntRange(1, 81), help="Number of cards to deal, in place of CARDS."
)


def named_or_dealt(
    texts: tuple[str, ...], count: int | None, seed: int | None, dimension: int = 4
) -> tuple[tuple[int, ...], int | None]:
    """Returns the cards of the command line and the seed that dealt them. The seed is None for named cards."""
    from setset.table import deal, new_seed

    if texts and (count is not None or seed is not None):
        raise BadInput("give cards, or --deal with --seed, not both")
    if texts:
        return check_deck(parse_cards(texts), dimension), None
    if count is None:
        raise BadInput("no cards: give numbers 0 to 80, names or codes, or --deal 12")
    chosen = new_seed() if seed is None else seed
    return deal(count, chosen, dimension), chosen


class SizeList(click.ParamType):  # type: ignore[type-arg]  # generic from click 8.3 on
    """Type of an option: sizes with commas between them, such as 12,15,18."""

    name = "sizes"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, ...]:
        if isinstance(value, tuple):  # the default
            return value
        try:
            return tuple(sorted({int(word) for word in str(value).split(",")}))
        except ValueError:
            self.fail(f"{value!r}, expected sizes with commas between them, such as 12,15,18", param, ctx)


store = click.option(
    "--store", type=SizeList(), default=(), metavar="SIZES", help="Store only these sizes, such as 18 or 12,15,18."
)
count = click.option(
    "--count", type=SizeList(), default=(), metavar="SIZES", help="Count only these sizes, without files."
)
via = click.option("--via", type=click.IntRange(3), help="Start --store or --count from the lists of this size.")
batch_lists = click.option(
    "--batch-lists",
    type=click.IntRange(1),
    show_default="for files of some MB",
    help="Maximum number of lists per file.",
)
first = click.option(
    "--from", "first", type=click.IntRange(0), default=0, help="Number of the first source batch to expand."
)
count_only = click.option(
    "--count-only", is_flag=True, help="Count sizes above the largest complete size, without files."
)


def plan(function: Callable[..., Any]) -> Callable[..., Any]:
    """Decorator that adds the options that a run and its estimate share. The command gets one argument `plan`."""
    shared = {
        "prune": prune,
        "store": store,
        "count": count,
        "via": via,
        "workers": workers,
        "batch_lists": batch_lists,
        "output": output,
        "first": first,
        "count_only": count_only,
    }

    @functools.wraps(function)
    def merged(*positional: Any, **values: Any) -> Any:
        return function(*positional, plan={name: values.pop(name) for name in shared}, **values)

    return functools.reduce(lambda command, option: option(command), reversed(shared.values()), merged)


def refuse_given(message: str, *names: str) -> None:
    """Raises BadInput if the command line has one of these options, which would have no effect.

    Args:
        message: message with the placeholder `{option}`.
        names: parameter names of the options.
    """
    context = click.get_current_context()
    for parameter in context.command.params:
        is_given = context.get_parameter_source(parameter.name or "") is click.core.ParameterSource.COMMANDLINE
        if parameter.name in names and is_given:
            raise BadInput(message.format(option=max(parameter.opts, key=len)))


NEGATIVE_NUMBERS_ARE_ARGUMENTS = {"ignore_unknown_options": True}
"""Context settings for commands with numbers as arguments, so that -1 is a bad number, not an unknown option."""


def parse_hand(texts: tuple[str, ...]) -> tuple[int, ...]:
    """Parses the cards that a command line names. Raises BadInput if it names none."""
    refuse_options(texts)
    if not texts:
        raise BadInput("no cards: give numbers 0 to 80, names or codes")
    return parse_cards(texts)


def whole_number(text: str, noun: str) -> int:
    """Parses a whole number, with or without thousands separators, such as 1,234,567."""
    try:
        return int(text.replace(",", ""))
    except ValueError:
        raise BadInput(f"not a {noun}: {text!r} (give a whole number)") from None


def parse_class(text: str) -> tuple[int, int]:
    """Parses a class such as 12/700 into its size and number."""
    size, slash, number = text.partition("/")
    if not slash or "/" in number:
        raise BadInput(f"not a class: {text!r} (give its size and number, such as 12/700)")
    return whole_number(size, "class"), whole_number(number, "class")


def complete_classes(_: click.Context, __: click.Parameter, typed: str) -> list[str]:
    """Completes a class name in the shell: sizes before the slash, numbers after it."""
    from setset.symmetry import catalogue_in_memory

    size, slash, number = typed.partition("/")
    if not slash:
        return [f"{candidate}/" for candidate in range(21) if str(candidate).startswith(size)]
    total = len(catalogue_in_memory().classes(int(size))) if size.isdecimal() and int(size) <= 20 else 0
    return [f"{size}/{candidate}" for candidate in range(total) if str(candidate).startswith(number)]


def chunk(limit: int | None) -> int:
    """Number of lists to read at a time: no more than the command prints."""
    return 65_536 if limit is None else max(1, min(limit, 65_536))


def refuse_options(words: Iterable[str]) -> None:
    """Raises UsageError for unknown options, in commands where click takes them for arguments."""
    from setset.cli.groups import suggest

    for word in words:
        if word.startswith("--"):
            ctx = click.get_current_context()
            names = [name for parameter in ctx.command.get_params(ctx) for name in parameter.opts]
            raise click.UsageError(f"No such option {word!r}.{suggest(word, names)}", ctx)


certificates = click.option(
    "--certificates",
    type=click.Path(path_type=Path, file_okay=False),
    envvar="SETSET_CERTIFICATES",
    show_envvar=True,
    metavar="DIR",
    help="Folder with the certificates of the cluster, the same on every node.",
)
