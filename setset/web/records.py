"""Answers as JSON that a browser reads without loss, and as CSV."""

from __future__ import annotations

import csv
import dataclasses
import io
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any, Final

MOST_EXACT: Final = 2**53 - 1
"""The greatest integer that JavaScript has; larger ones are strings."""


def plain(value: Any) -> Any:
    """A value of what JSON has: records as objects, large integers, fractions and what is no number as strings."""
    if value is None or isinstance(value, bool | str):
        return value if not isinstance(value, str) else str(value)
    if isinstance(value, int):
        return int(value) if abs(value) <= MOST_EXACT else str(int(value))
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, Fraction):
        return f"{value.numerator}/{value.denominator}"
    if isinstance(value, bytes):
        return value.hex()
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {each.name: plain(getattr(value, each.name)) for each in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(key): plain(each) for key, each in value.items()}
    if isinstance(value, Iterable):
        return [plain(each) for each in value]
    return str(value)


def as_json(value: Any) -> bytes:
    """Never a bare < or &, so that it is harmless wherever a browser takes it for something else."""
    text = json.dumps(plain(value), ensure_ascii=True, allow_nan=False, indent=1)
    for letter in "<>&":
        text = text.replace(letter, f"\\u{ord(letter):04x}")
    return (text + "\n").encode()


def as_csv(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> bytes:
    """A line a row, the columns first."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    for row in rows:
        writer.writerow(
            " ".join(map(str, each)) if isinstance(each, list | tuple) else plain(each) for each in row
        )
    return text.getvalue().encode(errors="replace")
