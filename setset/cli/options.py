"""Options that several commands share, each defined once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]

workspace = click.option(
    "-w",
    "--workspace",
    type=click.Path(path_type=Path),
    envvar="SETSET_WORKSPACE",
    default=Path("setset-workspace"),
    show_default=True,
    show_envvar=True,
    help="The folder with the database and the batch files.",
)
as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")
json_lines = click.option("--json", "as_json", is_flag=True, help="Print each list as a JSON array.")
names = click.option("--names", is_flag=True, help="Names of cards instead of numbers.")
target = click.option(
    "--target",
    type=click.IntRange(4, 20),
    default=12,
    show_default=True,
    help="The size that the exploration is heading for.",
)


def size(required: bool = False, help: str = "Only this size.") -> Decorator:  # noqa: A002 (click's word)
    return click.option("--size", type=click.IntRange(3, 20), required=required, help=help)


cards = click.argument("cards", nargs=-1, metavar="CARDS...")
seed = click.option(
    "--seed", type=click.IntRange(0, 2**64 - 1), help="Deal the cards that this number fixes; else any."
)
instead = click.option(
    "--deal", "count", type=click.IntRange(1, 81), help="Deal this many cards instead of naming them."
)


def hand(texts: tuple[str, ...], count: int | None, seed: int | None) -> tuple[tuple[int, ...], int | None]:
    """The cards that a command line names, or those that it asks to be dealt and the seed they came from."""
    from setset.cards import parse_cards
    from setset.errors import BadInput
    from setset.table import deal, new_seed

    if texts and (count is not None or seed is not None):
        raise BadInput("give cards, or --deal with --seed, not both")
    if texts:
        return parse_cards(texts), None
    if count is None:
        raise BadInput("which cards? give some (0 to 80, names or codes), or --deal 12")
    chosen = new_seed() if seed is None else seed
    return deal(count, chosen), chosen


MINUS_IS_NO_OPTION = {"ignore_unknown_options": True}
"""For commands whose arguments are numbers: -1 is one to refuse, not an option that nobody knows."""


def named(texts: tuple[str, ...]) -> tuple[int, ...]:
    """The cards that a command line names, at least one."""
    from setset.cards import parse_cards
    from setset.errors import BadInput

    if not texts:
        raise BadInput("which cards? give some: 0 to 80, names or codes")
    return parse_cards(texts)


def whole_number(text: str, what: str) -> int:
    """A number of a command line, as people write it or as tables here print it: 1,234,567."""
    from setset.errors import BadInput

    try:
        return int(text.replace(",", ""))
    except ValueError:
        raise BadInput(f"not a {what}: {text!r}") from None
