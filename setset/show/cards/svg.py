"""Draws cards as an SVG picture, which any browser shows at any size."""

from setset.cards import CARDS, VALUES, digits, name
from setset.show.cards import layout as at
from setset.show.cards.layout import Layout, Outline, Position
from setset.show.cards.shapes import STRIPE, STRIPE_STEP, STROKE, path, stripes_path


def draw_svg(layout: Layout) -> str:
    """Draws a layout as an SVG file. Each card is a `<g class="card">`, each outlined set a `<g
    class="set">`."""
    width, height = f"{layout.width:g}", f"{layout.height:g}"
    size = f'width="{width}" height="{height}"'
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} viewBox="0 0 {width} {height}">',
        f"  <title>{', '.join(name(position.card) for position in layout.positions)}</title>",
        f"  <defs>\n{_definitions()}\n  </defs>",
        f'  <rect class="background" {size} fill="{at.BACKGROUND}"/>',
        *map(_card, layout.positions),
        *map(_set, layout.outlines),
        "</svg>\n",
    ]
    return "\n".join(lines)


def draw_sprite_sheet() -> str:
    """Returns an SVG file of symbols that web pages use by id: one per card, such as `c40`, and `deck` with all cards.

    A page sets the colours as CSS variables `--red`, `--green`, `--purple`, `--face` and `--edge`. Stripes are lines,
    because an SVG pattern does not inherit these colours.
    """
    shapes = [f'<path id="{shape}" d="{path(n)}" stroke-linejoin="round"/>' for n, shape in enumerate(VALUES[3])]
    stripes = [f'<path id="{shape}s" d="{stripes_path(n)}"/>' for n, shape in enumerate(VALUES[3])]
    box = f'viewBox="0 0 {at.CARD_WIDTH:g} {at.CARD_HEIGHT:g}"'
    symbols = [f'<symbol id="c{card}" {box}>{_themed_face(card)}</symbol>' for card in range(CARDS)]
    size = f'width="{at.CARD_WIDTH:g}" height="{at.CARD_HEIGHT:g}"'
    deck = "".join(
        f'<use href="#c{card}" x="{x}" y="{y}" {size}/>' for card in range(CARDS) for x, y in [at.cell(card)]
    )
    words = "".join(
        f'<text x="{at.cell(9 * n + 1)[0] + 85}" y="-18">{across}</text>'
        f'<text transform="translate(-26 {at.cell(27 * n + 3)[1] + 52}) rotate(-90)">{down}</text>'
        for n, (down, across) in enumerate(zip(*VALUES[:2], strict=True))
    )
    whole = f'<symbol id="deck" viewBox="{at.GRID_BOX}">{deck}{words}</symbol>'
    return "\n".join(
        [
            '<svg xmlns="http://www.w3.org/2000/svg">',
            "<defs>",
            *shapes,
            *stripes,
            "</defs>",
            *symbols,
            whole,
            "</svg>\n",
        ]
    )


def _themed_face(card: int) -> str:
    """Draws a card in the colours that a web page sets as CSS variables (see `draw_sprite_sheet`)."""
    colour, count, shading, shape = digits(card)
    paint, outline = f"var(--{VALUES[0][colour]},{at.COLOURS[colour]})", VALUES[3][shape]
    fill = paint if shading == 0 else "none"
    symbols = []
    for x, y in at.symbol_centres(count + 1):
        if shading == 1:
            symbols.append(f'<use href="#{outline}s" x="{x:g}" y="{y:g}" stroke="{paint}" stroke-width="{STRIPE:g}"/>')
        attributes = f'fill="{fill}" stroke="{paint}" stroke-width="{STROKE:g}"'
        symbols.append(f'<use href="#{outline}" x="{x:g}" y="{y:g}" {attributes}/>')
    size = f'x="1" y="1" width="{at.CARD_WIDTH - 2:g}" height="{at.CARD_HEIGHT - 2:g}" rx="{at.CORNER:g}"'
    edge = f'fill="var(--face,{at.FACE})" stroke="var(--edge,{at.EDGE})" stroke-width="2"'
    return "".join([f"<rect {size} {edge}/>", *symbols])


def _definitions() -> str:
    """SVG definitions of the shapes and of the striped fills."""
    shapes = [
        f'    <path id="{shape}" d="{path(n)}" stroke-width="{STROKE:g}" stroke-linejoin="round"/>'
        for n, shape in enumerate(VALUES[3])
    ]
    step = f'width="{STRIPE_STEP:g}" height="{STRIPE_STEP:g}" patternUnits="userSpaceOnUse"'
    stripe = f'width="{STRIPE_STEP:g}" height="{STRIPE:g}"'
    stripes = [
        f'    <pattern id="striped-{colour}" {step}><rect {stripe} fill="{at.COLOURS[n]}"/></pattern>'
        for n, colour in enumerate(VALUES[0])
    ]
    return "\n".join([*shapes, *stripes])


def _card(position: Position) -> str:
    attributes = f'data-card="{position.card}" transform="translate({position.x:g} {position.y:g})"'
    return f'  <g class="card" {attributes}>\n    <title>{name(position.card)}</title>\n{_face(position.card)}\n  </g>'


def _face(card: int) -> str:
    """Draws the white rectangle and the symbols of a card."""
    colour, count, shading, shape = digits(card)
    paint = at.COLOURS[colour]
    fill = (paint, f"url(#striped-{VALUES[0][colour]})", "none")[shading]
    symbols = [
        f'    <use class="symbol" href="#{VALUES[3][shape]}" transform="translate({x:g} {y:g})"'
        f' fill="{fill}" stroke="{paint}"/>'
        for x, y in at.symbol_centres(count + 1)
    ]
    size = f'width="{at.CARD_WIDTH:g}" height="{at.CARD_HEIGHT:g}" rx="{at.CORNER:g}"'
    return "\n".join([f'    <rect class="face" {size} fill="{at.FACE}" stroke="{at.EDGE}"/>', *symbols])


def _set(outline: Outline) -> str:
    rings = [
        f'    <rect x="{ring.position.x - ring.offset:g}" y="{ring.position.y - ring.offset:g}"'
        f' width="{at.CARD_WIDTH + 2 * ring.offset:g}" height="{at.CARD_HEIGHT + 2 * ring.offset:g}"'
        f' rx="{at.CORNER + ring.offset:g}"/>'
        for ring in outline.rings
    ]
    style = f'fill="none" stroke="{outline.colour}" stroke-width="{at.RING:g}"'
    head = f'  <g class="set" data-cards="{" ".join(map(str, outline.cards))}" {style}>'
    return "\n".join([head, *rings, "  </g>"])
