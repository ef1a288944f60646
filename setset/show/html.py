"""Text and tables in HTML, everything escaped."""

from collections.abc import Callable, Iterable, Sequence
from html import escape
from typing import Any

from setset.show.formatting import number, printable

LONG = 40
"""Letters of a word, such as a digest, that may break anywhere."""


def as_text(value: object) -> str:
    """Harmless on a page, whatever a file name or a database says."""
    return escape(printable(str(value)))


def table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Numbers, dashes for missing ones, are aligned to the right."""
    lines = ["<table>", f"<tr>{''.join(f'<th>{as_text(column)}</th>' for column in columns)}</tr>"]
    for row in rows:
        cells = []
        for cell in row:
            known = str(cell) in ("OK", "WRONG", "defective", "failed")
            long = ' class="long"' if isinstance(cell, str) and len(cell) >= LONG and " " not in cell else ""
            kind = f' class="{cell}"' if known else long if isinstance(cell, str) else ' class="n"'
            shown = number(cell) if isinstance(cell, int) or cell is None else str(cell)
            cells.append(f"<td{kind}>{as_text(shown)}</td>")
        lines.append(f"<tr>{''.join(cells)}</tr>")
    return "\n".join([*lines, "</table>"])


Columns = Sequence[str | tuple[str, str | Callable[[Any], object]]]
"""Names of fields, or titles each with the name of its field or with a function of the record."""


def record_table(columns: Columns, records: Iterable[Any]) -> str:
    """A table with a row per record. The title of a field is its name with spaces."""
    pairs = [(each.replace("_", " "), each) if isinstance(each, str) else each for each in columns]

    def cell(record: Any, of: str | Callable[[Any], object]) -> object:
        if callable(of):
            return of(record)
        return record[of] if isinstance(record, dict) else getattr(record, of)

    return table([title for title, _ in pairs], [[cell(record, of) for _, of in pairs] for record in records])
