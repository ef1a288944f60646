"""The pixels of a PNG picture."""

from __future__ import annotations

import struct
import zlib

import numpy as np
import pytest

from setset.cards import digits
from setset.errors import BadInput
from setset.show.cards import layout as at
from setset.show.cards.layout import lay_out, ring_colour, symbol_centres
from setset.show.cards.png import draw_png
from setset.table import deal, find_sets


def pixels(png: bytes) -> np.ndarray:
    """A small independent reader of the kind of PNG that is written here; checks every chunk's sum."""
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    chunks, start = {}, 8
    while start < len(png):
        (length,) = struct.unpack(">I", png[start : start + 4])
        kind, body = png[start + 4 : start + 8], png[start + 8 : start + 8 + length]
        assert struct.unpack(">I", png[start + 8 + length : start + 12 + length])[0] == zlib.crc32(kind + body)
        chunks[kind] = body
        start += 12 + length
    width, height, depth, colour = struct.unpack(">IIBB", chunks[b"IHDR"][:10])
    assert (depth, colour) == (8, 2)
    rows = np.frombuffer(zlib.decompress(chunks[b"IDAT"]), np.uint8).reshape(height, 1 + 3 * width)
    assert not rows[:, 0].any()
    return rows[:, 1:].reshape(height, width, 3)


def rgb(colour: str) -> tuple[int, ...]:
    return tuple(bytes.fromhex(colour[1:]))


@pytest.mark.parametrize("scale", [1.0, 2.7])
def test_every_card_of_a_png_has_its_colour_and_more_ink_the_fuller_it_is(scale: float) -> None:
    layout = lay_out(range(81))
    image = pixels(draw_png(layout, scale))
    assert image.shape == (round(layout.height * scale), round(layout.width * scale), 3)
    ink = {}
    for position in layout.positions:
        left, top = round(position.x * scale), round(position.y * scale)
        face = image[top:, left:][: round(at.CARD_HEIGHT * scale), : round(at.CARD_WIDTH * scale)]
        colour, count, shading, _ = digits(position.card)
        inks = [(face == rgb(at.COLOURS[index])).all(axis=2).sum() for index in range(3)]
        assert inks[colour] > 0
        assert sum(inks) == inks[colour], "no other card colour"
        ink[position.card] = inks[colour]
        middle = [face[round(y * scale), round(x * scale)] for x, y in symbol_centres(count + 1)]
        if shading == 0:
            assert all(tuple(pixel) == rgb(at.COLOURS[colour]) for pixel in middle)
        elif shading == 2:
            assert all(tuple(pixel) == rgb(at.FACE) for pixel in middle)
    for card in range(81):
        if digits(card)[2] < 2:
            assert ink[card] > ink[card + 3], "solid has more ink than striped, striped more than open"


def test_a_png_outlines_sets() -> None:
    cards = deal(12, seed=7)
    plain = pixels(draw_png(lay_out(cards)))
    outlined = pixels(draw_png(lay_out(cards, sets=find_sets(cards))))
    for number in range(3):
        assert (outlined == rgb(ring_colour(number))).all(axis=2).sum() > 1000
        assert not (plain == rgb(ring_colour(number))).all(axis=2).any()


@pytest.mark.parametrize("scale", [0.0, -1.0, 21.0])
def test_pictures_of_no_or_monstrous_size_are_refused(scale: float) -> None:
    with pytest.raises(BadInput):
        draw_png(lay_out(range(3)), scale)
