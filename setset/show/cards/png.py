"""Draws cards as a PNG picture with numpy and zlib alone, so that drawing needs no extra packages.

The colour of a pixel depends on the distance between the pixel and the outline of a shape. This distance is negative
inside the shape. Pixels near the outline are covered in part, so that edges are smooth.
"""

import struct
import zlib
from functools import cache

import numpy as np
import numpy.typing as npt

from setset.cards import digits, name
from setset.errors import BadInput
from setset.show.cards import layout as at
from setset.show.cards.layout import Layout
from setset.show.cards.shapes import HEIGHT, STRIPE, STRIPE_STEP, STROKE, WIDTH, Floats, distance

Pixels = npt.NDArray[np.uint8]
LARGEST_SIDE = 20_000


def draw_png(layout: Layout, scale: float = 2.0) -> bytes:
    """Draws a layout of cards as the content of a PNG file, with `scale` pixels per unit of the layout."""
    height, width = round(layout.height * scale), round(layout.width * scale)
    if not 0 < scale <= 20 or max(height, width) > LARGEST_SIDE:
        raise BadInput(
            f"cannot draw at scale {scale:g}: expected a scale up to 20, and sides of up to {LARGEST_SIDE:,} pixels"
        )
    canvas = np.empty((height, width, 3), np.uint8)
    canvas[:] = _rgb(at.BACKGROUND)
    for position in layout.positions:
        _paste(canvas, _box(0, scale), position.x, position.y, scale, at.FACE)
        _paste(canvas, _box(0, scale, 1.0), position.x, position.y, scale, at.EDGE)
        colour, count, shading, shape = digits(position.card)
        cover = _symbol(shape, shading, scale)
        for x, y in at.symbol_centres(count + 1):
            _paste(canvas, cover, position.x + x, position.y + y, scale, at.COLOURS[colour])
    for outline in layout.outlines:
        for ring in outline.rings:
            cover = _box(ring.offset, scale, at.RING)
            _paste(canvas, cover, ring.position.x, ring.position.y, scale, outline.colour)
    return _encode(canvas, ", ".join(name(position.card) for position in layout.positions))


Cover = tuple[Floats, float, float]
"""Rectangle of pixels around a shape: for each pixel the share that the shape covers, then x and y of the rectangle's
upper left corner, relative to the origin of the shape."""


@cache
def _symbol(shape: int, shading: int, scale: float) -> Cover:
    """Pixels of a symbol around its centre: the outline, and the inside full (solid), striped or empty (open)."""
    left, top = -WIDTH / 2 - STROKE, -HEIGHT / 2 - STROKE
    x, y = _grid(left, top, -2 * left, -2 * top, scale)
    away = distance(shape, x, y)
    outline = _within(np.abs(away) - STROKE / 2, scale)
    if shading == 2:
        return outline, left, top
    inside = _within(away, scale)
    if shading == 1:
        from_stripe = np.abs((y - STRIPE / 2 + STRIPE_STEP / 2) % STRIPE_STEP - STRIPE_STEP / 2) - STRIPE / 2
        inside = np.minimum(inside, _within(from_stripe, scale))
    return np.maximum(outline, inside), left, top


@cache
def _box(offset: float, scale: float, breadth: float | None = None) -> Cover:
    """Pixels of a box with round corners: a card that is enlarged by `offset` on each side. Without `breadth`, the box
    is filled. With `breadth`, only its edge is drawn, as a line of this breadth."""
    corner = -offset - at.RING
    x, y = _grid(corner, corner, at.CARD_WIDTH - 2 * corner, at.CARD_HEIGHT - 2 * corner, scale)
    round_by = at.CORNER + offset
    beyond_x = np.abs(x - at.CARD_WIDTH / 2) - at.CARD_WIDTH / 2 - offset + round_by
    beyond_y = np.abs(y - at.CARD_HEIGHT / 2) - at.CARD_HEIGHT / 2 - offset + round_by
    outside = np.hypot(np.maximum(beyond_x, 0), np.maximum(beyond_y, 0))
    away = outside + np.minimum(np.maximum(beyond_x, beyond_y), 0) - round_by
    return _within(away if breadth is None else np.abs(away) - breadth / 2, scale), corner, corner


def _grid(left: float, top: float, width: float, height: float, scale: float) -> tuple[Floats, Floats]:
    """Coordinates x and y of the centres of the pixels of a rectangle."""
    across = left + (np.arange(int(np.ceil(width * scale))) + 0.5) / scale
    down = top + (np.arange(int(np.ceil(height * scale))) + 0.5) / scale
    x, y = np.meshgrid(across, down)
    return x, y


def _within(away: Floats, scale: float) -> Floats:
    covered: Floats = np.clip(0.5 - away * scale, 0, 1)
    return covered


def _paste(canvas: Pixels, cover: Cover, x: float, y: float, scale: float, colour: str) -> None:
    """Paints the pixels of `cover` on the canvas, at x and y in layout units. Ignores parts outside the canvas."""
    share, left, top = cover
    column, row = round((x + left) * scale), round((y + top) * scale)
    share = share[max(-row, 0) :, max(-column, 0) :]
    region = canvas[max(row, 0) :, max(column, 0) :][: share.shape[0], : share.shape[1]]
    weight = share[: region.shape[0], : region.shape[1], None]
    region[:] = np.rint(region * (1 - weight) + np.array(_rgb(colour)) * weight).astype(np.uint8)


def _rgb(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def _encode(canvas: Pixels, title: str) -> bytes:
    """Encodes the canvas as a PNG file. Each row begins with a zero byte, which means no filter."""
    height, width, _ = canvas.shape
    rows = np.zeros((height, 1 + 3 * width), np.uint8)
    rows[:, 1:] = canvas.reshape(height, -1)
    return b"".join(
        [
            b"\x89PNG\r\n\x1a\n",
            _chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)),
            _chunk(b"tEXt", b"Title\0" + title.encode("latin-1")),
            _chunk(b"IDAT", zlib.compress(rows.tobytes(), 6)),
            _chunk(b"IEND", b""),
        ]
    )


def _chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
