"""The structure of an SVG picture."""

from __future__ import annotations

from xml.etree import ElementTree

from setset.cards import VALUES, digits, name
from setset.show.cards import layout as at
from setset.show.cards.layout import lay_out
from setset.show.cards.svg import draw_svg
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
    references = {use.get("href", "")[1:] for use in root.iter(f"{SVG}use")}
    references |= {fill[5:-1] for use in root.iter(f"{SVG}use") if (fill := use.get("fill", "")).startswith("url(")}
    assert references == defined == {*VALUES[3], *(f"striped-{colour}" for colour in VALUES[0])}


def test_sets_are_outlined_in_their_own_colours() -> None:
    cards = deal(12, seed=7)
    sets = find_sets(cards)
    outlined = groups(draw_svg(lay_out(cards, sets=sets)), "set")
    assert [group.get("data-cards") for group in outlined] == [" ".join(map(str, triple)) for triple in sets]
    assert all(len(list(group.iter(f"{SVG}rect"))) == 3 for group in outlined)
    assert len({group.get("stroke") for group in outlined}) == len(sets)
    assert groups(draw_svg(lay_out(cards)), "set") == []
