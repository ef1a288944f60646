"""Verification of caps in AG(n,3), up to dimension 10: a check of every pair of points."""

from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from setset.spaces.points import Points, as_points
from setset.symmetry.geometry import count_frames, pointwise_stabilizer_order

Point = tuple[int, ...]

LARGEST_CAPS: Final = (1, 2, 4, 9, 20, 45, 112)
"""Number of points of the largest caps in dimensions 0 to 6: OEIS A090245. Unknown for larger dimensions."""
CATALOGUED: Final = 4
"""Largest dimension of a space for which the catalogue has all classes of caps."""


@dataclass(frozen=True)
class Verification:
    """Result of verifying points of AG(n,3): whether they are a cap, and properties of the cap."""

    dimension: int
    points: int
    spans: int
    """Dimension of the flat (affine subspace) that the points span; -1 without points."""
    line: tuple[Point, Point, Point] | None
    """The first three points found on a line; None if the points are a cap."""
    extensions: int | None
    """Number of points that can be added to the cap; None if the points are not a cap."""
    list_class: str | None
    """Name of the cap's class in the catalogue, as SIZE/NUMBER. None in more than four dimensions, or if the points are
    not a cap."""
    symmetries: int | None
    """Number of affine maps of the space that keep the cap. None whenever `list_class` is None."""

    @property
    def cap(self) -> bool:
        """Whether the points are a cap: no three points are on a line."""
        return self.line is None

    @property
    def complete(self) -> bool:
        """Whether the points are a cap to which no point can be added."""
        return self.extensions == 0


def verify(points: Any, dimension: int | None = None) -> Verification:
    """Checks whether points are a cap, and whether the cap is complete.

    Args:
        points: Rows of digits 0, 1, 2. If a dimension is given, also integers, whose base-3 digits are the digits
            of the points.
        dimension: The number of digits, 1 to 10.

    Returns:
        The result. Only in at most four dimensions, it has the class and the number of symmetries.

    Raises:
        BadInput: the values are not points of one dimension, or a point is given twice.

    >>> verify([0, 1, 3, 4], dimension=2)
    Verification(dimension=2, points=4, spans=2, line=None, extensions=0, list_class='4/0', symmetries=8)
    >>> verify(["001", "002", "000"])
    Traceback (most recent call last):
        ...
    setset.errors.BadInput: not points: expected rows of digits 0, 1, 2, or integers
    """
    rows = as_points(points, dimension)
    size, digits = rows.shape
    spans = _span(rows)
    line, excluded = _find_line(rows)
    if line is not None:
        return Verification(digits, size, spans, line, None, None, None)
    list_class, symmetries = (None, None) if digits > CATALOGUED else _classify(rows, spans)
    return Verification(digits, size, spans, None, int((~excluded).sum()), list_class, symmetries)


def _find_line(rows: Points) -> tuple[tuple[Point, Point, Point] | None, Any]:
    """Returns the first three points found on a line, or None for a cap, and a mask over all points of the space. For a
    cap, the mask marks the points that cannot be added: points of the cap, and points that complete a line with two
    points of the cap."""
    weights = 3 ** np.arange(rows.shape[1] - 1, -1, -1)
    taken = np.zeros(3 ** rows.shape[1], np.bool_)
    taken[rows @ weights] = True
    excluded = taken.copy()
    for index, point in enumerate(rows):
        thirds = -(rows[:index] + point) % 3
        labels = thirds @ weights
        (held,) = np.nonzero(taken[labels])
        if len(held):
            first, third = rows[held[0]], thirds[held[0]]
            a, b, c = (tuple(row.tolist()) for row in (first, point, third))
            return (a, b, c), excluded
        excluded[labels] = True
    return None, excluded


def _span(rows: Points) -> int:
    """Computes the dimension of the flat (affine subspace) that points span, by Gaussian elimination modulo 3."""
    if not len(rows):
        return -1
    left = (rows[1:] - rows[0]) % 3
    rank = 0
    for column in range(rows.shape[1]):
        (pivots,) = np.nonzero(left[:, column])
        if len(pivots):
            pivot = left[pivots[0]] * left[pivots[0], column] % 3  # scaled, so that its first digit is 1
            left = (left - left[:, column : column + 1] * pivot) % 3
            rank += 1
    return rank


def _classify(rows: Points, spans: int) -> tuple[str, int]:
    """Returns the class of a cap of up to four dimensions, and the number of affine maps of its space that keep it.
    The card of a point has the digits of the point as its last digits, and 0 before them."""
    from setset.symmetry.classification import classify

    digits = rows.shape[1]
    list_class = classify((rows @ 3 ** np.arange(digits - 1, -1, -1)).tolist()).list_class
    return str(list_class), count_symmetries(list_class.stabilizer, spans, digits)


def count_symmetries(stabilizer: int, spans: int, dimension: int) -> int:
    """Number of affine maps of AG(dimension,3) that keep a cap, from the number of maps of AG(4,3) that keep it."""
    return stabilizer // pointwise_stabilizer_order(spans) * count_frames(dimension, spans + 1)
