"""Selection of a format by file name and option."""

from __future__ import annotations

import pytest

from setset.errors import BadInput
from setset.export.formats import SUFFIXES, choose_content, choose_format
from setset.export.tables import SUFFIXES as TABLES


@pytest.mark.parametrize(
    ("name", "given", "expected"),
    [("a.csv", None, "csv"), ("A.NPY", None, "npy"), ("a", "jsonl", "jsonl"), ("a.csv", "csv", "csv")],
)
def test_the_option_or_the_suffix_says_it(name: str, given: str | None, expected: str) -> None:
    assert choose_format(name, given, SUFFIXES) == expected


def test_gap_has_two_suffixes() -> None:
    assert {choose_format(name, None, TABLES) for name in ("a.g", "a.gap")} == {"gap"}


@pytest.mark.parametrize(
    ("name", "given", "complaint"),
    [
        ("a", None, r"no format: give --format parquet\|npy\|csv\|jsonl"),
        ("a.csv", "npy", "--format npy contradicts the suffix of a.csv"),
        ("a.csv", "xls", "--format xls: expected one of parquet, npy, csv, jsonl"),
        ("-", None, "no format"),
    ],
)
def test_what_is_unclear_is_refused(name: str, given: str | None, complaint: str) -> None:
    with pytest.raises(BadInput, match=complaint):
        choose_format(name, given, SUFFIXES)


def test_columns() -> None:
    assert choose_content(3, "csv", "cards", 1).columns == ["c1", "c2", "c3"]
    vectors = choose_content(3, "parquet", "vectors", 1).columns
    assert vectors[:5] == ["c1_colour", "c1_count", "c1_shading", "c1_shape", "c2_colour"]
    assert len(vectors) == 12


@pytest.mark.parametrize(
    ("format_", "values", "rows", "complaint"),
    [
        ("npy", "names", 1, "--as names needs --format parquet, csv or jsonl"),
        ("csv", "words", 1, "--as words: expected one of cards, vectors, names"),
        ("csv", "cards", 0, "--row-group-size 0"),
    ],
)
def test_there_is_not_everything(format_: str, values: str, rows: int, complaint: str) -> None:
    with pytest.raises(BadInput, match=complaint):
        choose_content(5, format_, values, rows)
