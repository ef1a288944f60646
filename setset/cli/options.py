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
target = click.option(
    "--target",
    type=click.IntRange(4, 20),
    default=12,
    show_default=True,
    help="The size that the exploration is heading for.",
)


def size(required: bool = False, help: str = "Only this size.") -> Decorator:  # noqa: A002 (click's word)
    return click.option("--size", type=click.IntRange(3, 20), required=required, help=help)
