"""Pictures: the structure of the SVG, the pixels of the PNG, the dots of the terminal."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from setset.cards import VALUES, digits, name
from setset.errors import BadInput
from setset.show.cards import layout as at
from setset.show.cards.layout import lay_out, ring_colour, symbol_centres, usual_columns
from setset.show.cards.pictures import draw_cards
from setset.show.cards.png import draw_png
from setset.show.cards.shapes import HEIGHT, WIDTH, distance, path
from setset.show.cards.svg import draw_svg
from setset.show.cards.terminal import card_lines, rows_of_cards, symbol_rows
from setset.table import deal, find_sets

SVG = "{http://www.w3.org/2000/svg}"


def groups(svg: str, kind: str) -> list[ElementTree.Element]:
    root = ElementTree.fromstring(svg)
    return [group for group in root.iter(f"{SVG}g") if group.get("class") == kind]


def test_every_card_shows_its_count_shape_colour_and_shading() -> None:
    cards = groups(draw_svg(lay_out(range(81))), "card")
    assert [int(group.get("data-card", "")) for group in cards] == list(range(81))
    for card, group in enumerate(cards):
        colour, count, shading, shape = digits(card)
        symbols = list(group.iter(f"{SVG}use"))
        assert len(symbols) == count + 1
        paint = at.COLOURS[colour]
        fill = [paint, f"url(#striped-{VALUES[0][colour]})", "none"][shading]
        for symbol in symbols:
            assert symbol.get("href") == f"#{VALUES[3][shape]}"
            assert (symbol.get("fill"), symbol.get("stroke")) == (fill, paint)
        assert group.findtext(f"{SVG}title") == name(card)


def test_everything_that_an_svg_refers_to_is_defined() -> None:
    root = ElementTree.fromstring(draw_svg(lay_out(range(81))))
    defined = {element.get("id") for element in root.iter() if element.get("id")}
    used = {use.get("href", "")[1:] for use in root.iter(f"{SVG}use")}
    used |= {fill[5:-1] for use in root.iter(f"{SVG}use") if (fill := use.get("fill", "")).startswith("url(")}
    assert used == defined == {*VALUES[3], *(f"striped-{colour}" for colour in VALUES[0])}


def test_sets_are_outlined_in_their_own_colours() -> None:
    cards = deal(12, seed=7)
    sets = find_sets(cards)
    outlined = groups(draw_svg(lay_out(cards, sets=sets)), "set")
    assert [group.get("data-cards") for group in outlined] == [" ".join(map(str, triple)) for triple in sets]
    assert all(len(list(group.iter(f"{SVG}rect"))) == 3 for group in outlined)
    assert len({group.get("stroke") for group in outlined}) == len(sets)
    assert groups(draw_svg(lay_out(cards)), "set") == []


def test_rings_around_one_card_do_not_meet_each_other_or_the_neighbours() -> None:
    cards = range(27)
    layout = lay_out(cards, sets=find_sets(cards))
    for place in layout.places:
        offsets = [ring.offset for out in layout.outlines for ring in out.rings if ring.place == place]
        assert len(offsets) == 13, "a card of a hyperplane is in 13 sets of it"
        assert len(set(offsets)) == len(offsets)
        assert place.x - max(offsets) - at.RING > 0
    step = layout.places[1].x - layout.places[0].x
    assert step - at.CARD_WIDTH > 2 * (max(offsets) + at.RING / 2)


@pytest.mark.parametrize(
    ("count", "columns"), [(1, 1), (3, 3), (9, 3), (12, 4), (15, 5), (18, 6), (20, 7), (81, 9)]
)
def test_cards_lie_as_on_a_table(count: int, columns: int) -> None:
    assert usual_columns(count) == columns
    layout = lay_out(range(count))
    assert layout.columns == columns
    assert len({(place.x, place.y) for place in layout.places}) == count
    assert max(place.x for place in layout.places) + at.CARD_WIDTH < layout.width
    assert max(place.y for place in layout.places) + at.CARD_HEIGHT < layout.height


def test_columns_can_be_chosen() -> None:
    layout = lay_out(range(12), columns=6)
    assert len({place.x for place in layout.places}) == 6
    assert len({place.y for place in layout.places}) == 2


def test_ring_colours_differ() -> None:
    assert len({ring_colour(number) for number in range(100)}) == 100


def test_the_shapes_keep_to_their_box_and_differ() -> None:
    x, y = np.meshgrid(np.linspace(-WIDTH, WIDTH, 200), np.linspace(-HEIGHT, HEIGHT, 410))
    away = [distance(shape, x, y) for shape in range(3)]
    inside = [far < 0 for far in away]
    for far, area in zip(away, inside, strict=True):
        assert area.any()
        assert not area[(np.abs(x) > WIDTH / 2 + 0.5) | (np.abs(y) > HEIGHT / 2 + 0.5)].any()
        np.testing.assert_allclose(far, far[::-1, ::-1], atol=1e-9)  # each is symmetric about its middle
    for a, b in ((0, 1), (0, 2), (1, 2)):
        assert (inside[a] != inside[b]).mean() > 0.01
    np.testing.assert_allclose(away[0], away[0][:, ::-1], atol=1e-9)
    assert (inside[1] != inside[1][:, ::-1]).any(), "a squiggle has a left and a right"
    assert path(0).startswith("M0,-34 C")


def test_distance_to_a_pill_is_what_geometry_says() -> None:
    x, y = np.array([0.0, 0.0, WIDTH]), np.array([0.0, -HEIGHT / 2 - 5, 0.0])
    np.testing.assert_allclose(distance(2, x, y), [-WIDTH / 2, 5, WIDTH / 2], atol=0.05)


def pixels(png: bytes) -> np.ndarray:
    """A small independent reader of the kind of PNG that is written here; checks every chunk's sum."""
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    chunks, start = {}, 8
    while start < len(png):
        (length,) = struct.unpack(">I", png[start : start + 4])
        kind, body = png[start + 4 : start + 8], png[start + 8 : start + 8 + length]
        assert struct.unpack(">I", png[start + 8 + length : start + 12 + length])[0] == zlib.crc32(
            kind + body
        )
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
    for place in layout.places:
        left, top = round(place.x * scale), round(place.y * scale)
        face = image[top:, left:][: round(at.CARD_HEIGHT * scale), : round(at.CARD_WIDTH * scale)]
        colour, count, shading, _ = digits(place.card)
        inks = [(face == rgb(at.COLOURS[other])).all(axis=2).sum() for other in range(3)]
        assert inks[colour] > 0
        assert sum(inks) == inks[colour], "no other card colour"
        ink[place.card] = inks[colour]
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


def test_a_failed_drawing_leaves_the_old_picture(tmp_path: Path) -> None:
    path = tmp_path / "cards.png"
    draw_cards((1, 2), path)
    before = path.read_bytes()
    with pytest.raises(BadInput):
        draw_cards((1, 1), path)
    with pytest.raises(BadInput):
        draw_cards((), path)
    with pytest.raises(BadInput):
        draw_cards((1, 2), path, columns=0)
    assert path.read_bytes() == before
    assert [each.name for each in tmp_path.iterdir()] == ["cards.png"]


def test_all_cards_look_different_on_a_terminal() -> None:
    """81 pictures that differ in dots or in colour, all of one size."""
    drawn = set()
    for card in range(81):
        lines = card_lines(card)
        assert len(lines) == 6
        assert {len(line) for line in lines} == {18}
        drawn.add(tuple((line.plain, str(line.spans)) for line in lines[1:-1]))
    assert len(drawn) == 81


def test_terminal_symbols_hold_more_dots_the_fuller_they_are() -> None:
    for shape in range(3):
        dots = [
            sum((ord(cell) - 0x2800).bit_count() for row in symbol_rows(shape, shading) for cell in row)
            for shading in range(3)
        ]
        assert dots[0] > dots[1] > dots[2] > 0


def test_a_grid_fits_the_terminal() -> None:
    for width in (20, 40, 80, 120):
        lines = rows_of_cards(range(15), width=width)
        assert max(len(line) for line in lines) <= max(width, 18)
    assert len(rows_of_cards(range(15), width=80)) == 24
    assert len(rows_of_cards(range(15), width=80, height=21)) == 20
