"""Tables and numbers for people on terminals, plain text for pipes, JSON for programs."""

from __future__ import annotations

import csv
import json
import os
import re
import shutil
import sys
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any

import click

from setset.show.columns import GAP, Column, Layout, block_lines, fit, fold, shorten, text_width

LEAST_VALUE = 12
"""A value of a query is not shortened to less; where there is no room for that, each row becomes a block."""


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


def print_json_line(value: Any) -> None:
    """One object of many, on a line of its own."""
    click.echo(to_json(value))


def print_csv(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(columns)
    if sys.stdout.isatty():  # a file gets the values as they are
        rows = ([printable(cell) if isinstance(cell, str) else cell for cell in row] for row in rows)
    writer.writerows(rows)


def print_rows(
    columns: Sequence[str],
    rows: Iterable[Sequence[Any]],
    as_csv: bool = False,
    as_json: bool = False,
    wide: bool = False,
) -> None:
    """Rows of a query, as a table, as CSV or as JSON."""
    if as_json:
        print_json([dict(zip(columns, row, strict=True)) for row in rows])
    elif as_csv:
        print_csv(columns, rows)
    else:
        cells = [["" if cell is None else str(cell) for cell in row] for row in rows]
        print_table("", [Column(title, least=LEAST_VALUE, left=True) for title in columns], cells, wide=wide)


def how_many(count: int, thing: str, things: str | None = None) -> str:
    """'no sets', '1 set', '1,080 sets'; `things` is for a plural without s."""
    return f"{number(count) if count else 'no'} {thing if count == 1 else things or thing + 's'}"


def terminal_width(wide: bool = False) -> int | None:
    """How many places a line on stdout has; None for any number: in a pipe, or if all columns are asked for."""
    return None if wide or not sys.stdout.isatty() else shutil.get_terminal_size().columns


def print_table(
    title: str,
    columns: Sequence[str | Column],
    rows: Iterable[Sequence[str]],
    left: int = 1,
    wide: bool = False,
) -> None:
    """A ruled table that fits the terminal, or aligned columns in a pipe.

    Args:
        title: a line above it.
        columns: the columns. Those that are given by their title alone are neither left out nor shortened.
        rows: the values.
        left: so many of the columns that are given by their title are aligned to the left.
        wide: show all columns, however narrow the terminal is.
    """
    click.echo("\n".join(table_lines(title, columns, rows, left, wide)))


def table_lines(
    title: str,
    columns: Sequence[str | Column],
    rows: Iterable[Sequence[str]],
    left: int = 1,
    wide: bool = False,
) -> list[str]:
    """The lines that `print_table` prints."""
    whole = [
        Column(printable(each), left=place < left) if isinstance(each, str) else each
        for place, each in enumerate(columns)
    ]
    titles = [printable(column.title) for column in whole]
    body = [[printable(cell) for cell in row] for row in rows]
    natural = [max(map(text_width, cells)) for cells in zip(titles, *body, strict=True)]
    room = terminal_width(wide)
    layout = fit(whole, natural, room)
    lines = [_styled(title, bold=True)] if title else []
    if not layout.widths:
        blocks = [block_lines(titles, row, room) for row in body]
        return lines + [line for block in blocks for line in ("", *block)][1:]
    rule = [_styled(_symbol("─", "-") * layout.total, dim=True)] if sys.stdout.isatty() else []
    lines += [_row(titles, whole, layout), *rule, *(_row(row, whole, layout, _COLOURS) for row in body)]
    return lines + [_styled(line, dim=True) for line in _what_is_missing(layout, room)]


def _row(
    cells: Sequence[str], columns: Sequence[Column], layout: Layout, colours: dict[str, str] | None = None
) -> str:
    shown = []
    for place, width in layout.widths.items():
        text = shorten(cells[place], width, _symbol("…", "~"))
        spaces = " " * (width - text_width(text))
        coloured = _styled(text, fg=colours[text]) if colours and text in colours else text
        shown.append(coloured + spaces if columns[place].left else spaces + coloured)
    return (" " * GAP).join(shown).rstrip()


def _what_is_missing(layout: Layout, room: int | None) -> list[str]:
    """A line on what a narrow terminal does not show."""
    if room is None or not (layout.left_out or layout.shortened):
        return []
    more = how_many(len(layout.left_out), "more column")
    what = f"{more}: {', '.join(layout.left_out)}" if layout.left_out else "whole values"
    return fold(f"--wide shows {what}", room)


def print_fields(fields: dict[str, str | None], wide: bool = False) -> None:
    """A line for each value behind its title; on a terminal long values go on below themselves."""
    click.echo("\n".join(block_lines(list(fields), list(fields.values()), terminal_width(wide))))


def print_pages(lines: Sequence[str]) -> None:
    """Lines, through a pager if there are more of them than a terminal has."""
    if sys.stdout.isatty() and len(lines) >= shutil.get_terminal_size().lines:
        click.echo_via_pager("\n".join(lines) + "\n")
    else:
        click.echo("\n".join(lines))


def _styled(text: str, **style: Any) -> str:
    """In a colour, bold or dim, where that is seen."""
    plain = not sys.stdout.isatty() or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return text if plain else click.style(text, **style)


def _symbol(symbol: str, plain: str) -> str:
    """A symbol that not every terminal can show, or a letter in its place."""
    return symbol if "utf" in (sys.stdout.encoding or "").lower() else plain


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
