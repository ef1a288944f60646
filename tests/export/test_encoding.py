"""The bytes of NumPy, CSV and JSON-lines files, against a slow twin that goes card by card."""

from __future__ import annotations

import csv
import io
import json

import numpy as np
import numpy.typing as npt
import pytest

from setset.cards import digits, name
from setset.export.encoding import encode
from setset.export.formats import Content, Format, Values

RANDOM = np.random.default_rng(7)
BLOCKS = [RANDOM.integers(0, 81, (rows, 5)).astype(np.uint8) for rows in (1000, 1, 37)]
ROWS = np.concatenate(BLOCKS)

WORDS = {Values.CARDS: lambda card: card, Values.VECTORS: lambda card: list(digits(card)), Values.NAMES: name}


def encoded(format_: Format, values: Values, blocks: list[npt.NDArray[np.uint8]] = BLOCKS) -> bytes:
    lists = sum(map(len, blocks))
    return b"".join(encode(Content(format_, values, 5), lists, blocks))


@pytest.mark.parametrize("values", Values)
def test_json_lines_are_objects(values: Values) -> None:
    lines = encoded(Format.JSONL, values).decode().splitlines()
    expected = [{str(values): [WORDS[values](card) for card in row]} for row in ROWS.tolist()]
    assert [json.loads(line) for line in lines] == expected


@pytest.mark.parametrize("values", Values)
def test_csv_has_a_head_and_a_line_a_list(values: Values) -> None:
    head, *rows = csv.reader(io.StringIO(encoded(Format.CSV, values).decode()))
    assert head == Content(Format.CSV, values, 5).columns
    cells = [[WORDS[values](card) for card in row] for row in ROWS.tolist()]
    if values is Values.VECTORS:
        cells = [[digit for card in row for digit in card] for row in cells]
    assert rows == [[str(cell) for cell in row] for row in cells]


@pytest.mark.parametrize("values", [Values.CARDS, Values.VECTORS])
def test_npy_is_one_array(values: Values) -> None:
    array = np.load(io.BytesIO(encoded(Format.NPY, values)))
    assert array.dtype == np.uint8
    assert array.tolist() == [[WORDS[values](card) for card in row] for row in ROWS.tolist()]


def test_cards_of_all_widths() -> None:
    rows = np.arange(80, dtype=np.uint8).reshape(16, 5)
    assert encoded(Format.CSV, Values.CARDS, [rows]).decode() == "c1,c2,c3,c4,c5\n" + "".join(
        ",".join(map(str, row)) + "\n" for row in rows.tolist()
    )
