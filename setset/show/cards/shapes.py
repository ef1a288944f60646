"""The three shapes on the cards (diamond, squiggle, oval) as SVG paths, and the distance of points from their outlines.

A shape stands upright around the origin, WIDTH wide and HEIGHT high; y grows downwards. Its outline is a closed chain
of cubic Bezier curves. A straight edge is a curve whose control points lie on the edge.
"""

from functools import cache
from typing import Final

import numpy as np
import numpy.typing as npt

WIDTH: Final = 34.0
HEIGHT: Final = 68.0
STROKE: Final = 3.0
STRIPE_STEP: Final = 5.0
STRIPE: Final = 1.5
"""Thickness of a stripe across a shape. `STRIPE_STEP` is the distance between the centres of neighbouring stripes."""

Point = tuple[float, float]
Curve = tuple[Point, Point, Point, Point]
Floats = npt.NDArray[np.float64]

_ARC: Final = 0.5523
"""A Bezier curve is nearly a quarter circle if its control points have this distance, in radii, from its ends."""


def curves(shape: int) -> tuple[Curve, ...]:
    """Outline of the diamond (0), squiggle (1) or oval (2) as curves. All three are symmetric about the origin."""
    half = _HALVES[shape]
    return (*half, *(tuple((-x, -y) for x, y in curve) for curve in half))  # type: ignore[arg-type]


def path(shape: int) -> str:
    """Outline of a shape as the `d` attribute of an SVG path."""
    outline = curves(shape)
    start = "M{:g},{:g}".format(*outline[0][0])
    steps = ["C" + " ".join(f"{x:g},{y:g}" for x, y in curve[1:]) for curve in outline]
    return " ".join([start, *steps, "Z"])


def stripes_path(shape: int) -> str:
    """Stripes inside a shape as the `d` attribute of an SVG path: horizontal lines, `STRIPE_STEP` apart."""
    corners = _corners(shape)
    lines = []
    for y in np.arange(-HEIGHT / 2 + STRIPE_STEP / 2, HEIGHT / 2, STRIPE_STEP):
        edges = zip(corners, np.roll(corners, -1, axis=0), strict=True)
        cuts = sorted(ax + (y - ay) / (by - ay) * (bx - ax) for (ax, ay), (bx, by) in edges if (ay > y) != (by > y))
        lines += [f"M{a:.1f} {y:g}H{b:.1f}" for a, b in zip(cuts[::2], cuts[1::2], strict=True)]
    return "".join(lines)


def distance(shape: int, x: Floats, y: Floats) -> Floats:
    """Distance of each point from the outline of a shape, negative inside the shape."""
    corners = _corners(shape)
    nearest = np.full(x.shape, np.inf)
    inside = np.zeros(x.shape, bool)
    for (ax, ay), (bx, by) in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        dx, dy = bx - ax, by - ay
        along = np.clip(((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy), 0, 1)
        nearest = np.minimum(nearest, np.hypot(x - ax - along * dx, y - ay - along * dy))
        if dy:
            inside ^= ((ay > y) != (by > y)) & (x < ax + (y - ay) / dy * dx)
    return np.where(inside, -nearest, nearest)


@cache
def _corners(shape: int, steps: int = 12) -> Floats:
    """Outline of a shape as the corners of a polygon with many short edges."""
    along = np.linspace(0, 1, steps, endpoint=False)[:, None]
    parts = []
    for curve in curves(shape):
        a, b, c, d = (np.array(point) for point in curve)
        rest = 1 - along
        parts.append(rest**3 * a + 3 * rest**2 * along * b + 3 * rest * along**2 * c + along**3 * d)
    return np.concatenate(parts)


def _straight(a: Point, b: Point) -> Curve:
    thirds = [(a[0] + (b[0] - a[0]) * part, a[1] + (b[1] - a[1]) * part) for part in (1 / 3, 2 / 3)]
    return a, thirds[0], thirds[1], b


_TOP, _BOTTOM, _RADIUS, _SIDE = -HEIGHT / 2, HEIGHT / 2, WIDTH / 2, HEIGHT / 2 - WIDTH / 2
_HALVES: Final[tuple[tuple[Curve, ...], ...]] = (
    # The diamond.
    (_straight((0.0, _TOP), (_RADIUS, 0.0)), _straight((_RADIUS, 0.0), (0.0, _BOTTOM))),
    # The squiggle, a wave: from the bottom of its left side to the top.
    (
        ((-11.0, 34.0), (-18.0, 34.0), (-17.0, 25.0), (-12.0, 18.0)),
        ((-12.0, 18.0), (-5.0, 8.0), (-8.0, 2.0), (-12.0, -5.0)),
        ((-12.0, -5.0), (-20.0, -20.0), (-18.0, -34.0), (11.0, -34.0)),
    ),
    # The oval, a pill: straight sides between two half circles.
    (
        ((0.0, _TOP), (_ARC * _RADIUS, _TOP), (_RADIUS, -_SIDE - _ARC * _RADIUS), (_RADIUS, -_SIDE)),
        _straight((_RADIUS, -_SIDE), (_RADIUS, _SIDE)),
        ((_RADIUS, _SIDE), (_RADIUS, _SIDE + _ARC * _RADIUS), (_ARC * _RADIUS, _BOTTOM), (0.0, _BOTTOM)),
    ),
)
"""Half of the outline of each shape; the other half is its reflection through the origin."""
