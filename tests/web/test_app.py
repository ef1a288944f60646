"""JSON that browsers read without loss."""

from __future__ import annotations

import json
from dataclasses import dataclass
from fractions import Fraction

from setset.web.app import as_csv, as_json


@dataclass(frozen=True)
class Pair:
    first: int
    second: object


def test_numbers_that_javascript_does_not_have_are_strings() -> None:
    data = json.loads(as_json({"a": 2**53 - 1, "b": 2**53, "c": -(2**53), "d": True, "e": float("inf"), "f": 0.5}))
    assert data == {"a": 2**53 - 1, "b": str(2**53), "c": str(-(2**53)), "d": True, "e": "inf", "f": 0.5}


def test_records_and_fractions() -> None:
    data = json.loads(as_json([Pair(1, (Fraction(1, 3), None)), {(1, 2): b"\xff"}]))
    fraction = {"numerator": 1, "denominator": 3, "decimal": 1 / 3}
    assert data == [{"first": 1, "second": [fraction, None]}, {"(1, 2)": "ff"}]


def test_no_markup_in_json() -> None:
    text = as_json({"x": "</script><b>&"})
    assert not set(b"<>&") & set(text)
    assert json.loads(text) == {"x": "</script><b>&"}


def test_csv() -> None:
    assert as_csv(["a", "b"], [[1, (2, 3)], ["x,y", None]]).decode() == 'a,b\n1,2 3\n"x,y",\n'
