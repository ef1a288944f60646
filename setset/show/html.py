"""Text and tables in HTML, everything escaped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from setset.show.formatting import number, printable


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
            kind = f' class="{cell}"' if known else "" if isinstance(cell, str) else ' class="n"'
            shown = number(cell) if isinstance(cell, int) or cell is None else str(cell)
            cells.append(f"<td{kind}>{as_text(shown)}</td>")
        lines.append(f"<tr>{''.join(cells)}</tr>")
    return "\n".join([*lines, "</table>"])
