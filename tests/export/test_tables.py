"""Small tables in every format, read back by the programs that they are for."""

from __future__ import annotations

import csv
import io
import json
import shutil
import subprocess
from pathlib import Path

import pyarrow.parquet
import pytest

import setset
from setset.export.tables import encode_table

COLUMNS = ("number", "agree", "origin", "cards")
ROWS = [
    {"number": 4_217_827_554_720, "agree": True, "origin": 'a "word"', "cards": (0, 80)},
    {"number": None, "agree": None, "origin": None, "cards": ()},
    {"number": -1, "agree": False, "origin": "", "cards": (7,)},
]
GAP = shutil.which("gap")
needs_gap = pytest.mark.skipif(GAP is None, reason="GAP is not installed: apt-get install gap-core")


def test_csv() -> None:
    records = list(csv.DictReader(io.StringIO(encode_table("csv", "rows", COLUMNS, ROWS).decode())))
    assert records == [
        {"number": "4217827554720", "agree": "true", "origin": 'a "word"', "cards": "0 80"},
        {"number": "", "agree": "", "origin": "", "cards": ""},
        {"number": "-1", "agree": "false", "origin": "", "cards": "7"},
    ]


def test_json() -> None:
    records = json.loads(encode_table("json", "rows", COLUMNS, ROWS))
    assert records == [{**row, "cards": list(row["cards"])} for row in ROWS]  # type: ignore[call-overload]


def test_parquet() -> None:
    table = pyarrow.parquet.read_table(io.BytesIO(encode_table("parquet", "rows", COLUMNS, ROWS)))
    assert table.to_pylist() == [{**row, "cards": list(row["cards"])} for row in ROWS]  # type: ignore[call-overload]
    assert table.schema.metadata[b"setset.table"] == b"rows"


@pytest.mark.parametrize("format_", ["csv", "json", "parquet", "gap"])
def test_a_table_may_be_empty(format_: str) -> None:
    data = encode_table(format_, "rows", COLUMNS, [])
    if format_ == "json":
        assert json.loads(data) == []
    assert data


def gap(program: str, folder: Path) -> list[str]:
    """Lines that GAP prints."""
    (folder / "program.g").write_text(program + "\nQUIT;\n")
    assert GAP is not None
    result = subprocess.run(
        [GAP, "-q", "program.g"], cwd=folder, capture_output=True, text=True, check=True, stdin=subprocess.DEVNULL
    )
    assert result.stderr == ""
    return result.stdout.splitlines()


@needs_gap
def test_gap_reads_every_kind_of_value(tmp_path: Path) -> None:
    (tmp_path / "rows.g").write_bytes(encode_table("gap", "rows", COLUMNS, ROWS))
    lines = gap(
        'Read("rows.g");\n'
        'for row in SetsetRows do Print(row.number, ";", row.agree, ";", row.origin, ";", row.cards, "\\n"); od;',
        tmp_path,
    )
    assert lines == ['4217827554720;true;a "word";[ 0, 80 ]', "fail;fail;fail;[  ]", "-1;false;;[ 7 ]"]


@needs_gap
def test_gap_finds_the_sums_of_the_catalogue(tmp_path: Path) -> None:
    classes = setset.export_classes(tmp_path / "classes.g")
    setset.export_links(tmp_path / "links.g", size=12)
    lines = gap(
        'Read("classes.g"); Read("links.g");\n'
        'Print(Length(SetsetClasses), "\\n");\n'
        'Print(Sum(Filtered(SetsetClasses, c -> c.size = 12), c -> c.lists), "\\n");\n'
        "smaller := Filtered(SetsetClasses, c -> c.size = 11);;\n"
        "larger := Filtered(SetsetClasses, c -> c.size = 12);;\n"
        # From both ends of each link the same number of pairs of lists.
        "Print(ForAll(SetsetLinks, l -> smaller[l.smaller + 1].lists * l.extensions ="
        ' larger[l.larger + 1].lists * l.deletions), "\\n");',
        tmp_path,
    )
    assert lines == [str(classes), "2284535476080", "true"]
