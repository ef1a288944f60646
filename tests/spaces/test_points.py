"""Points as people write them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from setset.errors import BadInput
from setset.spaces import read_points

SAME = [[0, 1, 2], [2, 0, 0]]


@pytest.mark.parametrize(
    "text",
    [
        "012\n200\n",
        "# two points\n0 1 2\n\n2 0 0  # the last\n",
        "[0, 1, 2]\n[2, 0, 0]\n",
        "[[0,1,2],[2,0,0]]",
        "0,1,2\n(2,0,0)",
    ],
)
def test_digits(tmp_path: Path, text: str) -> None:
    (tmp_path / "cap.txt").write_text(text)
    assert read_points(tmp_path / "cap.txt").tolist() == SAME
    assert read_points(tmp_path / "cap.txt", 3).tolist() == SAME


def test_integers(tmp_path: Path) -> None:
    (tmp_path / "cap.txt").write_text("5 18\n")
    assert read_points(tmp_path / "cap.txt", 3, integers=True).tolist() == SAME


def test_arrays(tmp_path: Path) -> None:
    np.save(tmp_path / "rows.npy", np.array(SAME, np.uint8))
    np.save(tmp_path / "integers.npy", np.array([5, 18]))
    assert read_points(tmp_path / "rows.npy").tolist() == SAME
    assert read_points(tmp_path / "integers.npy", 3).tolist() == SAME


@pytest.mark.parametrize(
    ("data", "dimension", "complaint"),
    [
        (b"012\n20\n", None, "some points have more digits"),
        (b"012\n201\n", 4, "points have 3 digits, not 4"),
        (b"013\n", None, "expected 0, 1 or 2"),
        (b"012\n012\n", None, "given twice"),
        (b"0 1 x\n", None, "line 1: not a point: '0 1 x'"),
        (b"\xff\xfe\x00", None, "neither text nor a numpy array"),
        (b"\x93NUMPY nonsense", None, "not an array that numpy can load"),
        (b"0" * 11, None, "dimension 11: expected 1 to 10"),
        (b"[0.5, 1.5]", 2, "expected rows of digits"),
        (b"[1, 9]", 2, "expected integers from 0 to 8"),
        (b"[1, 2]", None, "need a dimension"),
        (b"# nothing\n", None, "has no points"),
        (b"[" * 100_000, None, "too many brackets"),
    ],
)
def test_what_is_no_list_of_points(tmp_path: Path, data: bytes, dimension: int | None, complaint: str) -> None:
    (tmp_path / "cap").write_bytes(data)
    with pytest.raises(BadInput, match=complaint):
        read_points(tmp_path / "cap", dimension)
