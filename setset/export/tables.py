"""Export of small tables (classes, links and counts) as CSV, JSON, Parquet and GAP."""

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO

from setset import durable
from setset.export.formats import choose_format, refuse_existing
from setset.export.parquet import require_arrow

Output = str | Path | BinaryIO
"""Output of an export: the name of a file, or an open binary file."""
Row = Mapping[str, Any]

SUFFIXES = {".csv": "csv", ".json": "json", ".parquet": "parquet", ".g": "gap", ".gap": "gap"}
"""Format of a table by the suffix of its file."""
COLUMNS = {
    "classes": (
        *("size", "number", "cards", "lists", "stabilizer", "extensions", "complete", "dimension", "structure"),
        *("orbits", "extension_orbits", "hyperplanes", "exclusions", "game_classes"),
    ),
    "links": ("size", "smaller", "larger", "extensions", "deletions"),
    "counts": (
        *("target", "size", "lists", "complete", "origin", "reference"),
        *("class_sum", "counts", "agree", "verdict"),
    ),
}
"""Names of the columns of each table. Any value in a table may be None."""
FLAGS, CARDS = ("complete", "agree"), ("cards",)
TEXTS = (*("origin", "counts", "verdict"), *("structure", "orbits", "extension_orbits", "hyperplanes", "exclusions"))
"""Names of columns: FLAGS have truth values, CARDS have sequences of cards, TEXTS have texts. All other columns have
integers."""


def write_table(name: str, rows: Iterable[Row], output: Output, format: str | None, overwrite: bool) -> int:  # noqa: A002
    """Writes one of the tables in `COLUMNS` to a file, and returns its number of rows. Checks all options before it
    reads the rows."""
    destination = Path(output) if isinstance(output, str) else output
    chosen = choose_format(destination.name if isinstance(destination, Path) else "-", format, SUFFIXES)
    if isinstance(destination, Path):
        refuse_existing(destination, overwrite)
    if chosen == "parquet":
        require_arrow()
    all_rows = list(rows)
    data = encode_table(chosen, name, COLUMNS[name], all_rows)
    if isinstance(destination, Path):
        durable.save(destination, data)
    else:
        destination.write(data)
    return len(all_rows)


def encode_table(format: str, name: str, columns: Sequence[str], rows: Sequence[Row]) -> bytes:  # noqa: A002
    """Encodes a table in one of the formats of `SUFFIXES`. In GAP the table `classes` is the variable
    `SetsetClasses`."""
    encoders = {"csv": _csv, "json": _json, "parquet": _parquet, "gap": _gap}
    return encoders[format](name, columns, rows)


def _csv(_name: str, columns: Sequence[str], rows: Sequence[Row]) -> bytes:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([_csv_cell(row[column]) for column in columns] for row in rows)
    return text.getvalue().encode()


def _csv_cell(value: Any) -> Any:
    if isinstance(value, bool):
        return str(value).lower()
    return " ".join(map(str, value)) if isinstance(value, tuple | list) else value


def _json(_name: str, columns: Sequence[str], rows: Sequence[Row]) -> bytes:
    lines = (json.dumps({column: row[column] for column in columns}) for row in rows)
    return ("[\n" + ",\n".join(lines) + "\n]\n").encode()


def _parquet(name: str, columns: Sequence[str], rows: Sequence[Row]) -> bytes:
    arrow = require_arrow()
    types = {
        **dict.fromkeys(columns, arrow.int64()),
        **dict.fromkeys(FLAGS, arrow.bool_()),
        **dict.fromkeys(TEXTS, arrow.string()),
        **dict.fromkeys(CARDS, arrow.list_(arrow.uint8())),
    }
    schema = arrow.schema([(column, types[column]) for column in columns], metadata={"setset.table": name})
    file = io.BytesIO()
    arrow.parquet.write_table(arrow.Table.from_pylist(list(rows), schema=schema), file, compression="zstd")
    return file.getvalue()


def _gap(name: str, columns: Sequence[str], rows: Sequence[Row]) -> bytes:
    """Encodes a table as a GAP variable with a list of records, for `Read("classes.g");` in GAP or `libgap` in Sage."""
    records = ("rec(" + ", ".join(f"{column} := {_gap_value(row[column])}" for column in columns) + ")" for row in rows)
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
