"""Cards as an SVG picture: text that any browser shows at any size."""

from __future__ import annotations

from setset.cards import CARDS, VALUES, digits, name
from setset.show.cards import layout as at
from setset.show.cards.layout import Layout, Outline, Place
from setset.show.cards.shapes import STRIPE, STRIPE_STEP, STROKE, path

_HEAD = """<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{height:g}" viewBox="0 0 {width:g} {height:g}">
  <title>{title}</title>
  <defs>
{definitions}
  </defs>
  <rect class="background" width="{width:g}" height="{height:g}" fill="{background}"/>
"""  # noqa: E501 (one tag)
_SHAPE = '    <path id="{name}" d="{path}" stroke-width="{stroke:g}" stroke-linejoin="round"/>'
_STRIPES = (
    '    <pattern id="striped-{name}" width="{step:g}" height="{step:g}" patternUnits="userSpaceOnUse">'
    '<rect width="{step:g}" height="{stripe:g}" fill="{colour}"/></pattern>'
)
_CARD = """  <g class="card" data-card="{card}" transform="translate({x:g} {y:g})">
    <title>{name}</title>
{face}
  </g>
"""
_FACE = """\
    <rect class="face" width="{width:g}" height="{height:g}" rx="{corner:g}" fill="{face}" stroke="{edge}"/>
{symbols}"""
_SYMBOL = (
    '    <use class="symbol" href="#{shape}" transform="translate({x:g} {y:g})"'
    ' fill="{fill}" stroke="{colour}"/>'
)
_SET = """  <g class="set" data-cards="{cards}" fill="none" stroke="{colour}" stroke-width="{breadth:g}">
{rings}
  </g>
"""
_RING = '    <rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="{corner:g}"/>'


def draw_svg(layout: Layout) -> str:
    """The whole picture. Each card is a group of class `card`, each outlined set one of class `set`."""
    head = _HEAD.format(
        width=layout.width,
        height=layout.height,
        title=", ".join(name(place.card) for place in layout.places),
        definitions=_definitions(),
        background=at.BACKGROUND,
    )
    cards = [_card(place) for place in layout.places]
    return "".join([head, *cards, *(_set(outline) for outline in layout.outlines), "</svg>\n"])


def draw_sprites() -> str:
    """An SVG that shows nothing, but has each card as the symbol `card-40`, for a page to use as often as it likes."""
    symbols = "".join(
        f'<symbol id="card-{card}" viewBox="0 0 {at.CARD_WIDTH:g} {at.CARD_HEIGHT:g}">{_face(card)}</symbol>\n'
        for card in range(CARDS)
    )
    definitions = f"<defs>\n{_definitions()}\n</defs>"
    return f'<svg class="sprites" width="0" height="0" aria-hidden="true">\n{definitions}\n{symbols}</svg>'


def _definitions() -> str:
    """The shapes and the stripes that cards are made of."""
    shapes = [_SHAPE.format(name=shape, path=path(n), stroke=STROKE) for n, shape in enumerate(VALUES[3])]
    stripes = [
        _STRIPES.format(name=colour, step=STRIPE_STEP, stripe=STRIPE, colour=at.COLOURS[n])
        for n, colour in enumerate(VALUES[0])
    ]
    return "\n".join([*shapes, *stripes])


def _card(place: Place) -> str:
    return _CARD.format(card=place.card, name=name(place.card), x=place.x, y=place.y, face=_face(place.card))


def _face(card: int) -> str:
    """What is to be seen on a card."""
    colour, count, shading, shape = digits(card)
    paint = at.COLOURS[colour]
    symbols = [
        _SYMBOL.format(
            shape=VALUES[3][shape],
            x=x,
            y=y,
            fill=(paint, f"url(#striped-{VALUES[0][colour]})", "none")[shading],
            colour=paint,
        )
        for x, y in at.symbol_centres(count + 1)
    ]
    return _FACE.format(
        width=at.CARD_WIDTH,
        height=at.CARD_HEIGHT,
        corner=at.CORNER,
        face=at.FACE,
        edge=at.EDGE,
        symbols="\n".join(symbols),
    )


def _set(outline: Outline) -> str:
    rings = [
        _RING.format(
            x=ring.place.x - ring.offset,
            y=ring.place.y - ring.offset,
            width=at.CARD_WIDTH + 2 * ring.offset,
            height=at.CARD_HEIGHT + 2 * ring.offset,
            corner=at.CORNER + ring.offset,
        )
        for ring in outline.rings
    ]
    return _SET.format(
        cards=" ".join(map(str, outline.cards)),
        colour=outline.colour,
        breadth=at.RING,
        rings="\n".join(rings),
    )
