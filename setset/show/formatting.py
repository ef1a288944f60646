"""Formats and prints numbers, tables and JSON: tables with colours on a terminal, plain text in a pipe."""

import dataclasses
import json
import math
import os
import re
import shutil
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import chain, islice
from typing import Any

import click

from setset.show.columns import GAP, Column, Layout, block_lines, fit, fold, shorten, text_width
from setset.show.commands import pasteable
from setset.show.csvtext import csv_lines

MOST_PADDED = 60
"""Maximum width of padded cells if the output is a pipe. Longer cells get no padding."""
LEAST_VALUE = 12
"""Minimum width to which values of an SQL query are shortened. On a narrower terminal, each row takes several lines."""


def number(value: int | float | None, digits: int = 0) -> str:
    """Formats a number with thousands separators; a dash for None."""
    return "-" if value is None else f"{value:,.{digits}f}"


def share(part: int, whole: int | None) -> str:
    """Formats a part of a whole as '12.3 %'. Never rounds a smaller part to 100 %. A dash if `whole` is None or 0."""
    if not whole:
        return "-"
    return f"{min(part / whole * 100, 100.0 if part >= whole else 99.9):.1f} %"


def byte_count(count: int | None) -> str:
    """Formats a number of bytes in decimal units, such as '4.9 MB'."""
    if count is None:
        return "-"
    value = float(count)
    for unit in ("B", "kB", "MB", "GB"):
        if value < 1000:
            return f"{value:.0f} {unit}" if unit == "B" else f"{value:.1f} {unit}"
        value /= 1000
    return f"{value:.1f} TB"


def duration(seconds: float | None) -> str:
    """Formats a number of seconds as '41 s', '12 min', '3.4 h' or '2.1 d'; a dash for None."""
    if seconds is None:
        return "-"
    for unit, length in (("d", 86400), ("h", 3600)):
        if seconds >= 2 * length:
            return f"{seconds / length:.1f} {unit}"
    return f"{seconds / 60:.0f} min" if seconds >= 120 else f"{seconds:.0f} s"


def millions(value: float | None, digits: int = 1) -> str:
    """Formats a number in millions, such as '1.5' for 1,500,000; a dash for None or zero."""
    return number(value / 1e6, digits) if value else "-"


def spaced(values: Iterable[object]) -> str:
    """Joins values with spaces, such as '0 1 3 9'."""
    return " ".join(map(str, values))


def printable(text: str) -> str:
    """Escapes control characters in a text, such as \\x1b, so that a terminal does not execute them."""
    if text.isprintable():
        return text
    return "".join(
        letter if letter.isprintable() else letter.encode("unicode_escape", "surrogatepass").decode() for letter in text
    )


def print_line(text: str, err: bool = False) -> None:
    """Prints a line, with control characters escaped and commands such as 'setset repair' ready to paste."""
    click.echo(printable(pasteable(text)), err=err)


MOST_EXACT = 2**53 - 1
"""Largest integer that every JSON reader reads exactly. JavaScript and jq round larger integers."""
_NEEDS_CONVERSION = re.compile(r"[0-9]{16}|NaN|Infinity").search
"""Fast pre-check whether JSON text needs `plain`: finds 16 digits in a row, NaN or infinity. Most text has none."""


def plain(value: Any) -> Any:
    """Converts a value, with all its parts, to types that JSON has.

    Dataclasses and fractions become objects. Integers beyond `MOST_EXACT`, infinity and NaN become strings. Bytes
    become hexadecimal digits.
    """
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, int):
        return value if abs(value) <= MOST_EXACT else str(int(value))
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return plain(_as_json_type(value))


def _as_json_type(value: Any) -> Any:
    """Converts a value of a type that JSON lacks, such as a fraction. Does not convert the items of the value."""
    if dataclasses.is_dataclass(value):
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    if isinstance(value, Fraction):
        return {"numerator": value.numerator, "denominator": value.denominator, "decimal": float(value)}
    if isinstance(value, bytes):
        return value.hex()
    return list(value) if isinstance(value, Iterable) else str(value)


# Made once, because making an encoder for each of many short lines would be slow.
_encode_line = json.JSONEncoder(default=_as_json_type, check_circular=False).encode


def to_json(value: Any, indent: int | None = None) -> str:
    """Converts any value to JSON text that every JSON reader reads without loss (see `plain`)."""
    encode = json.JSONEncoder(default=_as_json_type, indent=indent).encode if indent else _encode_line
    text = encode(value)
    return encode(plain(value)) if _NEEDS_CONVERSION(text) else text


def fields(record: object, *names: str) -> dict[str, Any]:
    """Returns the named attributes of a record as a dictionary."""
    return {name: getattr(record, name) for name in names}


def print_json(value: Any) -> None:
    click.echo(to_json(value, indent=2))


def print_result(value: Any, as_json: bool, show: Callable[..., object], *arguments: Any) -> None:
    """Prints a value as JSON, or calls `show` to print it for people."""
    print_json(value) if as_json else show(value, *arguments)


def print_lines(lines: Iterable[str]) -> None:
    """Prints many lines in blocks, because printing each line alone is slow."""
    waiting = iter(lines)
    while block := list(islice(waiting, 500)):
        click.echo("\n".join(block))


def print_json_line(value: Any) -> None:
    """Prints a value as JSON on a single line."""
    click.echo(to_json(value))


def print_rows(
    columns: Sequence[str],
    rows: Iterable[Sequence[Any]],
    as_csv: bool = False,
    as_json: bool = False,
    wide: bool = False,
) -> None:
    """Prints the rows of an SQL query as a table, as CSV or as JSON."""
    if as_json:
        print_json([dict(zip(columns, row, strict=True)) for row in rows])
    elif as_csv:
        if sys.stdout.isatty():  # a file gets the values unescaped
            rows = ([printable(cell) if isinstance(cell, str) else cell for cell in row] for row in rows)
        sys.stdout.writelines(csv_lines(chain([columns], rows)))
    else:
        cells = [["" if cell is None else str(cell) for cell in row] for row in rows]
        print_table("", [Column(title, least=LEAST_VALUE, left=True) for title in columns], cells, wide=wide)


def how_many(count: int, noun: str, plural: str | None = None) -> str:
    """Formats a number with its noun, such as 'no sets', '1 set' or '1,080 sets'. `plural` is needed only for an
    irregular plural."""
    return f"{number(count) if count else 'no'} {noun if count == 1 else plural or noun + 's'}"


def terminal_width(wide: bool = False) -> int | None:
    """Width of the terminal on stdout. None (no limit) if the output is a pipe, or with `wide`."""
    return None if wide or not sys.stdout.isatty() else shutil.get_terminal_size().columns


def print_records(
    columns: Mapping[Column, Callable[[Any], str]],
    records: Iterable[Any],
    title: str = "",
    wide: bool = False,
    pages: bool = False,
) -> None:
    """Prints a table with a row per record. `columns` maps each column to a function that makes the cell from a
    record."""
    rows = [[cell(record) for cell in columns.values()] for record in records]
    print_table(title, list(columns), rows, wide=wide, pages=pages)


def print_table(
    title: str,
    columns: Sequence[str | Column],
    rows: Iterable[Sequence[str]],
    left: int = 1,
    wide: bool = False,
    pages: bool = False,
) -> None:
    """Prints a ruled table that fits the terminal, or aligned columns in a pipe.

    Args:
        title: Line above the table; empty for none.
        columns: The columns. A column given as a string is never left out or shortened.
        rows: The cells of each row.
        left: Columns given as strings are aligned to the left if their index is below this number.
        wide: Show all columns, however narrow the terminal is.
        pages: Use a pager if the terminal has fewer lines than the table.
    """
    table_columns = [
        Column(column, left=index < left) if isinstance(column, str) else column for index, column in enumerate(columns)
    ]
    titles = [printable(column.title) for column in table_columns]
    body = [[printable(cell) for cell in row] for row in rows]
    room = terminal_width(wide)
    # In a pipe values are not shortened. Padding is limited, so that one long value does not fill all rows with spaces.
    natural = [
        _column_width(cells, None if room or sys.stdout.isatty() else MOST_PADDED)
        for cells in zip(titles, *body, strict=True)
    ]
    layout = fit(table_columns, natural, room)
    lines = [_styled(title, bold=True)] if title else []
    if layout.widths:
        rule = [_styled(_symbol("─", "-") * layout.total, dim=True)] if sys.stdout.isatty() else []
        lines += [
            _row(titles, table_columns, layout),
            *rule,
            *(_row(row, table_columns, layout, _COLOURS) for row in body),
        ]
        lines += [_styled(line, dim=True) for line in _describe_missing(layout, room)]
    else:
        blocks = [block_lines(titles, row, room) for row in body]
        lines += [line for block in blocks for line in ("", *block)][1:]
    if pages and sys.stdout.isatty() and len(lines) >= shutil.get_terminal_size().lines:
        click.echo_via_pager("\n".join(lines) + "\n")
    else:
        click.echo("\n".join(lines))


def _column_width(cells: Iterable[str], most: int | None) -> int:
    """Width of the widest cell of a column. Ignores cells wider than `most`, if given."""
    widths = list(map(text_width, cells))
    return max((width for width in widths if most is None or width <= most), default=most or 0)


def _row(cells: Sequence[str], columns: Sequence[Column], layout: Layout, colours: dict[str, str] | None = None) -> str:
    shown = []
    for index, width in layout.widths.items():
        text = shorten(cells[index], width, _symbol("…", "~")) if sys.stdout.isatty() else cells[index]
        spaces = " " * max(width - text_width(text), 0)
        coloured = _styled(text, fg=colours[text]) if colours and text in colours else text
        shown.append(coloured + spaces if columns[index].left else spaces + coloured)
    return (" " * GAP).join(shown).rstrip()


def _describe_missing(layout: Layout, room: int | None) -> list[str]:
    """Names the columns or values that a narrow terminal hides, and the option --wide that shows them."""
    if room is None or not (layout.left_out or layout.shortened):
        return []
    more = how_many(len(layout.left_out), "more column")
    hidden = f"{more}: {', '.join(layout.left_out)}" if layout.left_out else "whole values"
    return fold(f"--wide shows {hidden}", room)


def print_fields(fields: dict[str, str | None], wide: bool = False) -> None:
    """Prints a line per field (title and value), except fields with None. On a terminal long values wrap with a hanging
    indent."""
    click.echo("\n".join(block_lines(list(fields), list(fields.values()), terminal_width(wide))))


def _styled(text: str, **style: Any) -> str:
    """Styles a text (colour, bold, dim) if the terminal shows styles."""
    plain = not sys.stdout.isatty() or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return text if plain else click.style(text, **style)


def _symbol(symbol: str, plain: str) -> str:
    """Returns a symbol, or the text `plain` if the terminal cannot show the symbol."""
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
