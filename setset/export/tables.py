"""Small tables as CSV, JSON, Parquet and GAP."""

from __future__ import annotations

import csv
import enum
import io
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from setset.export.parquet import require_arrow

Row = Mapping[str, Any]


class Kind(enum.Enum):
    """What a column holds. Any of them may also hold None."""

    NUMBER = enum.auto()
    FLAG = enum.auto()
    TEXT = enum.auto()
    CARDS = enum.auto()
    """A sequence of cards."""


Columns = Mapping[str, Kind]

SUFFIXES = {".csv": "csv", ".json": "json", ".parquet": "parquet", ".g": "gap", ".gap": "gap"}
"""The format that a suffix means, for tables."""


def encode_table(format: str, name: str, columns: Columns, rows: Sequence[Row]) -> bytes:  # noqa: A002
    """A table in one of the formats of `SUFFIXES`.

    Args:
        format: Its name.
        name: Of the table; in GAP it becomes the variable Setset and the name.
        columns: What the rows hold, in order.
        rows: The rows, with a value for each column.
    """
    encoders: dict[str, Callable[[str, Columns, Sequence[Row]], bytes]] = {
        "csv": _csv,
        "json": _json,
        "parquet": _parquet,
        "gap": _gap,
    }
    return encoders[format](name, columns, rows)


def _csv(_name: str, columns: Columns, rows: Sequence[Row]) -> bytes:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([_csv_cell(row[column]) for column in columns] for row in rows)
    return text.getvalue().encode()


def _csv_cell(value: Any) -> Any:
    if isinstance(value, bool):
        return str(value).lower()
    return " ".join(map(str, value)) if isinstance(value, tuple | list) else value


def _json(_name: str, columns: Columns, rows: Sequence[Row]) -> bytes:
    lines = (json.dumps({column: row[column] for column in columns}) for row in rows)
    return ("[\n" + ",\n".join(lines) + "\n]\n").encode()


def _parquet(name: str, columns: Columns, rows: Sequence[Row]) -> bytes:
    arrow = require_arrow()
    types = {
        Kind.NUMBER: arrow.int64(),
        Kind.FLAG: arrow.bool_(),
        Kind.TEXT: arrow.string(),
        Kind.CARDS: arrow.list_(arrow.uint8()),
    }
    schema = arrow.schema(
        [(column, types[kind]) for column, kind in columns.items()], metadata={"setset.table": name}
    )
    file = io.BytesIO()
    arrow.parquet.write_table(arrow.Table.from_pylist(list(rows), schema=schema), file, compression="zstd")
    return file.getvalue()


def _gap(name: str, columns: Columns, rows: Sequence[Row]) -> bytes:
    """A list of records, assigned to a variable: `Read("classes.g");` in GAP, and in Sage by `libgap`."""
    records = (
        "rec(" + ", ".join(f"{column} := {_gap_value(row[column])}" for column in columns) + ")"
        for row in rows
    )
    return (f"Setset{name.capitalize()} := [\n" + ",\n".join(records) + "\n];\n").encode()


def _gap_value(value: Any) -> str:
    match value:
        case None:
            return "fail"
        case bool():
            return str(value).lower()
        case str():
            return json.dumps(value)
        case tuple() | list():
            return f"[{', '.join(map(str, value))}]"
        case _:
            return str(value)
