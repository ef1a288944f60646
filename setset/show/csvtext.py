"""Formats rows as lines of CSV."""

import csv
from collections.abc import Iterable, Iterator
from typing import Any


def csv_lines(rows: Iterable[Iterable[Any]]) -> Iterator[str]:
    """Yields lines of CSV. Text that a spreadsheet would take for a formula gets an apostrophe; numbers do not."""
    # The writer quotes cells that contain a character of its line end. So this must include the carriage return.
    writer = csv.writer(_Line(), lineterminator="\r\n")
    for row in rows:
        line: str = writer.writerow(f"'{cell}" if _is_formula(cell) else cell for cell in row)
        yield line.removesuffix("\r\n") + "\n"


class _Line:
    """File-like object for a CSV writer: `write` returns the text, so that `writerow` also returns the text."""

    def write(self, text: str) -> str:
        return text


def _is_formula(cell: object) -> bool:
    if not isinstance(cell, str) or not cell.startswith(("=", "+", "-", "@", "\t", "\r")):
        return False
    try:
        float(cell)
    except ValueError:
        return True
    return False
