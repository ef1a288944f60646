"""Makes HTML text and tables. All values are escaped."""

from collections.abc import Callable, Iterable, Sequence
from html import escape
from typing import Any

from setset.show.formatting import number, printable

LONG = 40
"""Minimum length of a word, such as a digest, that a browser may break anywhere."""


def as_text(value: object) -> str:
    """Converts a value to escaped text, so that text from a file name or a database cannot change a page."""
    return escape(printable(str(value)))


def table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Makes an HTML table. Numbers, and dashes for missing numbers, are aligned to the right, with their headers."""
    all_rows = list(rows)
    kinds = [' class="n"' if all_rows and not isinstance(cell, str) else "" for cell in (all_rows or [columns])[0]]
    heads = "".join(f"<th{kind}>{as_text(column)}</th>" for kind, column in zip(kinds, columns, strict=True))
    lines = ["<table>", f"<tr>{heads}</tr>"]
    for row in all_rows:
        cells = []
        for cell in row:
            is_verdict = str(cell) in ("OK", "WRONG", "defective", "failed")
            long = ' class="long"' if isinstance(cell, str) and len(cell) >= LONG and " " not in cell else ""
            kind = f' class="{cell}"' if is_verdict else long if isinstance(cell, str) else ' class="n"'
            shown = number(cell) if isinstance(cell, int) or cell is None else str(cell)
            cells.append(f"<td{kind}>{as_text(shown)}</td>")
        lines.append(f"<tr>{''.join(cells)}</tr>")
    return "\n".join([*lines, "</table>"])


Columns = Sequence[str | tuple[str, str | Callable[[Any], object]]]
"""Columns of a table of records. A column is a field name, or a pair of a title and a field name or a function that
makes the cell from a record."""


def record_table(columns: Columns, records: Iterable[Any]) -> str:
    """Makes an HTML table with a row per record. A column given as a field name has this name as title, with spaces for
    underscores."""
    pairs = [(column.replace("_", " "), column) if isinstance(column, str) else column for column in columns]

    def cell(record: Any, field: str | Callable[[Any], object]) -> object:
        if callable(field):
            return field(record)
        return record[field] if isinstance(record, dict) else getattr(record, field)

    return table([title for title, _ in pairs], [[cell(record, field) for _, field in pairs] for record in records])
