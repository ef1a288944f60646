"""Points of AG(n,3) from a file: digits, integers, JSON or a numpy array."""

import io
import json
import re
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from setset.errors import BadInput, require_between

Points = npt.NDArray[np.int64]
"""Array of points. A row has the digits (0, 1 or 2) of one point."""

MOST_DIMENSIONS: Final = 10
MOST_BYTES: Final = 100_000_000


def read_points(path: str | Path, dimension: int | None = None, integers: bool = False) -> Points:
    """Reads points from a file.

    Args:
        path: A text file with a point per line, JSON, or an array that numpy saved. In text, blanks, commas or brackets
            may separate the digits 0, 1, 2 of a point, and # begins a comment.
        dimension: The number of digits of a point, 1 to 10; by default the number of digits of the first point.
        integers: If True, each number in the file is a point. The base-3 digits of the number are the digits of the
            point, most significant first.

    Returns:
        An array with a row of digits per point, in the order of the file.

    Raises:
        BadInput: the file does not hold points of this dimension.
    """
    data = _read(Path(path))
    if data.startswith(b"\x93NUMPY"):
        return as_points(_load(path, data), dimension)
    try:
        text = data.decode()
        if text.lstrip().startswith("["):
            return as_points(json.loads(text), dimension)
    except UnicodeDecodeError:
        raise BadInput(f"{path}: not a list of points: neither text nor a numpy array") from None
    except RecursionError:
        raise BadInput(f"{path}: not a list of points: too many brackets") from None
    except ValueError:  # lines of Python lists, for example
        pass
    rows: list[int | list[int]] = []
    for number, line in enumerate(text.splitlines(), 1):
        words = re.sub(r"[][(){},;]", " ", line.partition("#")[0]).split()
        if not all(word.isascii() and word.isdecimal() and len(word) < 20 for word in words):
            raise BadInput(f"{path}, line {number}: not a point: {line.strip()[:40]!r}")
        if integers:
            rows += [int(word) for word in words]
        elif words:
            rows.append([int(digit) for digit in "".join(words)])
    if not rows and dimension is None:
        raise BadInput(f"{path} has no points: to verify an empty cap, add --dimension")
    return as_points(rows, dimension)


def _read(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
    except IsADirectoryError:
        raise BadInput(f"{path} is a folder, expected a file of points") from None
    if len(data) > MOST_BYTES:
        raise BadInput(f"{path} is larger than {MOST_BYTES // 1_000_000} MB, the limit for a file of points")
    return data


def _load(path: str | Path, data: bytes) -> object:
    try:
        return np.load(io.BytesIO(data), allow_pickle=False)
    except (ValueError, EOFError):
        raise BadInput(f"{path} is not an array that numpy can load") from None


def as_points(values: object, dimension: int | None = None) -> Points:
    """Converts values to an array of points. Values are rows of digits or, if `dimension` is given, also integers.

    Raises:
        BadInput: the values are not points of one dimension (1 to 10), or a point is given twice.
    """
    if dimension is not None:
        require_between("dimension", dimension, 1, MOST_DIMENSIONS)
    try:
        array = np.asarray(values)
    except ValueError:
        raise BadInput("not points: some points have more digits than others") from None
    if array.size == 0:
        return np.zeros((0, dimension or 1), np.int64)
    if array.dtype.kind not in "iu" or array.ndim > 2:
        raise BadInput("not points: expected rows of digits 0, 1, 2, or integers")
    if array.ndim == 1:
        if dimension is None:
            raise BadInput("points given as integers need a dimension: add --dimension")
        if array.min() < 0 or array.max() >= 3**dimension:
            raise BadInput(f"not a point of dimension {dimension}: expected integers from 0 to {3**dimension - 1:,}")
        array = array[:, None] // 3 ** np.arange(dimension - 1, -1, -1) % 3
    require_between("dimension", array.shape[1], 1, MOST_DIMENSIONS)
    if dimension not in (None, array.shape[1]):
        raise BadInput(f"points have {array.shape[1]} digits, not {dimension}")
    if array.min() < 0 or array.max() > 2:
        raise BadInput("not a digit of a point: expected 0, 1 or 2 (for integers add --integers and --dimension)")
    points: Points = array.astype(np.int64)
    if len(np.unique(points, axis=0)) < len(points):
        raise BadInput("a point is given twice")
    return points
