"""Layout of a picture of cards: the position of each card, and the coloured rings around the cards of each set."""

import colorsys
from collections import Counter
from collections.abc import Sequence
from typing import Final, NamedTuple

from setset.cards import Triple, check_cards
from setset.errors import BadInput

CARD_WIDTH: Final = 170.0
CARD_HEIGHT: Final = 104.0
CORNER: Final = 12.0
SYMBOL_STEP: Final = 47.0
"""Distance between the centres of neighbouring symbols."""
GAP: Final = 14.0
RING: Final = 4.0
RING_STEP: Final = 6.0
"""`RING` is the width of the line of a ring, `RING_STEP` the distance to the next ring around the same card."""

GRID_STEP: Final = (182, 116)
BLOCK_GAP: Final = 16
GRID_WIDTH: Final = round(8 * GRID_STEP[0] + 2 * BLOCK_GAP + CARD_WIDTH)
GRID_HEIGHT: Final = round(8 * GRID_STEP[1] + 2 * BLOCK_GAP + CARD_HEIGHT)
"""Measures of the grid of all 81 cards: step from card to card, gap between blocks of nine, total width and height."""
GRID_BOX: Final = f"-70 -60 {GRID_WIDTH + 76} {GRID_HEIGHT + 66}"
"""SVG viewBox around the grid of all 81 cards and its labels."""

BACKGROUND: Final = "#eef1ee"
FACE: Final = "#ffffff"
EDGE: Final = "#b9c0bb"
COLOURS: Final = ("#d8232f", "#128a43", "#6b2fa0")
"""Red, green and purple of the symbols. The three colours also differ in lightness."""
RING_COLOURS: Final = ("#0077bb", "#ee7733", "#111111", "#33bbee", "#c9a400", "#ee3377", "#7a4b1e", "#009988")


class Position(NamedTuple):
    """A card and the upper left corner of its face."""

    card: int
    x: float
    y: float


class Ring(NamedTuple):
    """A line around one card of a set, at distance `offset` from the face of the card."""

    position: Position
    offset: float


class Outline(NamedTuple):
    """A set in the picture: its cards, its colour, and a ring around each of the three cards."""

    cards: Triple
    colour: str
    rings: tuple[Ring, ...]


class Layout(NamedTuple):
    width: float
    height: float
    columns: int
    positions: tuple[Position, ...]
    outlines: tuple[Outline, ...]


def lay_out(cards: Sequence[int], columns: int | None = None, sets: Sequence[Triple] = ()) -> Layout:
    """Lays out cards in rows. The three cards of each set in `sets` get a ring in the colour of the set."""
    hand = check_cards(cards)
    if not hand:
        raise BadInput("there are no cards to draw")
    if columns is not None and columns < 1:
        raise BadInput(f"cannot draw in {columns} columns: give --columns 1 or more")
    across = min(columns or usual_columns(len(hand)), len(hand))
    deepest = max(Counter(card for triple in sets for card in triple).values(), default=0)
    gap = GAP + 2 * RING_STEP * deepest
    positions = tuple(
        Position(card, gap + index % across * (CARD_WIDTH + gap), gap + index // across * (CARD_HEIGHT + gap))
        for index, card in enumerate(hand)
    )
    rows = -(-len(hand) // across)
    width = gap + across * (CARD_WIDTH + gap)
    height = gap + rows * (CARD_HEIGHT + gap)
    return Layout(width, height, across, positions, _outlines(positions, sets))


def cell(card: int) -> tuple[int, int]:
    """Upper left corner of a card in the grid of all cards. The grid has a row of blocks per colour and a column of
    blocks per count. A block has a row per shading and a column per shape."""
    row, column = card // 27 * 3 + card // 3 % 3, card // 9 % 3 * 3 + card % 3
    return column * GRID_STEP[0] + column // 3 * BLOCK_GAP, row * GRID_STEP[1] + row // 3 * BLOCK_GAP


def usual_columns(count: int) -> int:
    """Default number of columns of a picture: one row up to 4 cards, three rows up to 21 (the largest table), otherwise
    nine columns."""
    if count <= 4:
        return count
    return -(-count // 3) if count <= 21 else 9


def ring_colour(number: int) -> str:
    """Colour of the rings of a set by its number: first the `RING_COLOURS`, then hues a golden angle apart."""
    if number < len(RING_COLOURS):
        return RING_COLOURS[number]
    parts = colorsys.hls_to_rgb(number * 0.618034 % 1, 0.45, 0.75)
    return "#" + "".join(f"{round(part * 255):02x}" for part in parts)


def symbol_centres(count: int) -> list[tuple[float, float]]:
    """Centres of one, two or three symbols, relative to the upper left corner of the card."""
    first = CARD_WIDTH / 2 - SYMBOL_STEP * (count - 1) / 2
    return [(first + SYMBOL_STEP * index, CARD_HEIGHT / 2) for index in range(count)]


def _outlines(positions: Sequence[Position], sets: Sequence[Triple]) -> tuple[Outline, ...]:
    at = {position.card: position for position in positions}
    rings: Counter[int] = Counter()
    outlines = []
    for number, triple in enumerate(sets):
        around = []
        for card in triple:
            around.append(Ring(at[card], RING_STEP * (rings[card] + 0.75)))
            rings[card] += 1
        outlines.append(Outline(triple, ring_colour(number), tuple(around)))
    return tuple(outlines)
