"""Tables and numbers for people on terminals, plain text for pipes, JSON for programs."""

from __future__ import annotations

import csv
import json
import re
import shutil
import sys
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any

import click


def number(value: int | float | None, digits: int = 0) -> str:
    """With thousands separators; a dash for what is not known."""
    return "-" if value is None else f"{value:,.{digits}f}"


def share(part: int, whole: int | None) -> str:
    """'12.3 %', never rounded up to 100 while something is missing; a dash for what is not known."""
    if not whole:
        return "-"
    return f"{min(part / whole * 100, 100.0 if part >= whole else 99.9):.1f} %"


def byte_count(count: int | None) -> str:
    """A number of bytes in decimal units, as disks are sold."""
    if count is None:
        return "-"
    value = float(count)
    for unit in ("B", "kB", "MB", "GB"):
        if value < 1000:
            return f"{value:.0f} {unit}" if unit == "B" else f"{value:.1f} {unit}"
        value /= 1000
    return f"{value:.1f} TB"


def duration(seconds: float | None) -> str:
    """'41 s', '12 min', '3.4 h' or '2.1 d'; a dash for what is not known."""
    if seconds is None:
        return "-"
    for unit, length in (("d", 86400), ("h", 3600)):
        if seconds >= 2 * length:
            return f"{seconds / length:.1f} {unit}"
    return f"{seconds / 60:.0f} min" if seconds >= 120 else f"{seconds:.0f} s"


def printable(text: str) -> str:
    """Text without what a terminal would obey: escape sequences, newlines and the like, as \\x1b."""
    if text.isprintable():
        return text
    return "".join(
        letter if letter.isprintable() else letter.encode("unicode_escape", "surrogatepass").decode()
        for letter in text
    )


def print_line(text: str, err: bool = False) -> None:
    """One line of text that may come from a file name or a database."""
    click.echo(printable(text), err=err)


MOST_EXACT = 2**53 - 1
"""The largest integer that every reader of JSON takes as it is: JavaScript and jq round what is above."""


_LONG = re.compile(r"\d{16}")
"""Whatever may hold such an integer; most values are seen at once not to."""


def to_json(value: Any, indent: int | None = None) -> str:
    """JSON text that is safe everywhere: an integer above `MOST_EXACT` is a string of its digits."""
    text = json.dumps(value, indent=indent, default=str)
    return json.dumps(_safe(value), indent=indent, default=str) if _LONG.search(text) else text


def _safe(value: Any) -> Any:
    """The value, its large integers as strings, wherever they are in it."""
    if isinstance(value, int):
        return value if -MOST_EXACT <= value <= MOST_EXACT else str(value)
    if isinstance(value, dict):
        return {key: _safe(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_safe(each) for each in value]
    return value


def print_json(value: Any) -> None:
    click.echo(to_json(value, indent=2))


def print_lines(lines: Iterable[str]) -> None:
    """Many lines, some hundred at once: an echo each would take most of the time."""
    waiting = iter(lines)
    while block := list(islice(waiting, 500)):
        click.echo("\n".join(block))


def print_csv(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(columns)
    if sys.stdout.isatty():  # a file gets the values as they are
        rows = ([printable(cell) if isinstance(cell, str) else cell for cell in row] for row in rows)
    writer.writerows(rows)


def print_rows(
    columns: Sequence[str], rows: Iterable[Sequence[Any]], as_csv: bool = False, as_json: bool = False
) -> None:
    """Rows of a query, as a table, as CSV or as JSON."""
    if as_json:
        print_json([dict(zip(columns, row, strict=True)) for row in rows])
    elif as_csv:
        print_csv(columns, rows)
    else:
        cells = [["" if cell is None else str(cell) for cell in row] for row in rows]
        print_table("", columns, cells, left=len(columns))


def how_many(count: int, thing: str) -> str:
    """'no sets', '1 set', '1,080 sets'"""
    return f"{number(count) if count else 'no'} {thing}{'' if count == 1 else 's'}"


def print_table(title: str, columns: Sequence[str], rows: Iterable[Sequence[str]], left: int = 1) -> None:
    """A ruled table on a terminal that is wide enough, aligned columns elsewhere.

    All but the first `left` columns are aligned to the right. Nothing is ever cut off.
    """
    body = [[printable(cell) for cell in row] for row in rows]
    widths = [max(len(cell) for cell in column) for column in zip(columns, *body, strict=True)]
    if sys.stdout.isatty() and sum(widths) + 2 * len(widths) <= shutil.get_terminal_size().columns:
        _print_rich(title, columns, body, left)
        return
    if title:
        click.echo(title)
    for row in [list(columns), *body]:
        cells = [
            cell.ljust(width) if place < left else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        click.echo("  ".join(cells).rstrip())


def _print_rich(title: str, columns: Sequence[str], body: list[list[str]], left: int) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    style = {"title_justify": "left", "title_style": "bold", "pad_edge": False}
    table = Table(title=title or None, box=box.SIMPLE_HEAD, padding=(0, 1), collapse_padding=True, **style)  # type: ignore[arg-type]
    for place, column in enumerate(columns):
        table.add_column(column, justify="left" if place < left else "right", no_wrap=True)
    for row in body:
        table.add_row(*(Text(cell, style=_COLOURS.get(cell, "")) for cell in row))
    Console().print(table)


_COLOURS = {
    "OK": "green",
    "complete": "green",
    "running": "cyan",
    "incomplete": "yellow",
    "stopped": "yellow",
    "failed": "red",
    "defective": "red",
    "WRONG": "red",
}
