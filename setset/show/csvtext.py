"""Rows as lines of CSV."""

import csv
from collections.abc import Iterable, Iterator
from typing import Any


def csv_lines(rows: Iterable[Iterable[Any]]) -> Iterator[str]:
    """Lines of CSV. An apostrophe keeps spreadsheets from taking text for a formula. Numbers stay numbers."""
    # The writer quotes the letters of its line end, and a bare carriage return would begin a row.
    writer = csv.writer(_Line(), lineterminator="\r\n")
    for row in rows:
        line: str = writer.writerow(f"'{cell}" if _is_formula(cell) else cell for cell in row)
        yield line.removesuffix("\r\n") + "\n"


class _Line:
    """A file for a CSV writer, which returns what the file returns."""

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
