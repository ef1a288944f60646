"""Draws cards on a terminal: coloured shapes made of Braille dots, or names if the terminal cannot show shapes."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Final

import numpy as np

from setset.cards import code, digits, name
from setset.show.cards.layout import usual_columns
from setset.show.cards.shapes import HEIGHT, WIDTH, distance

if TYPE_CHECKING:
    from rich.text import Text

COLUMNS: Final = 4
ROWS: Final = 4
"""Width and height of a symbol in characters. A character is 2 Braille dots wide and 4 high."""
CARD: Final = 3 * COLUMNS + 4
"""Width of a card without its edges, in characters."""
STYLES: Final = ("#ff4d57", "#2fbf63", "#b06cff")
_DOTS: Final = np.array([[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]])


def can_draw() -> bool:
    """Whether the output is a terminal that shows colours and symbols."""
    from rich.console import Console

    console = Console()
    return console.is_terminal and not console.is_dumb_terminal and "utf" in (sys.stdout.encoding or "").lower()


def print_cards(cards: Sequence[int], labels: Sequence[str] | None = None, height: int | None = None) -> int:
    """Draws cards in rows. If the terminal cannot show them, prints a line per card: number, code, name.

    If the rows take more than `height` lines, the cards have no lower edges. Returns the number of printed lines.
    """
    import click

    if not can_draw():
        for index, card in enumerate(cards):
            label = f"{labels[index]}  " if labels else ""
            click.echo(f"{label}{card:2}  {code(card)}  {name(card)}")
        return len(cards)
    from rich.console import Console

    console = Console(highlight=False)
    lines = rows_of_cards(cards, labels, console.width, height)
    for line in lines:
        console.print(line, no_wrap=True, overflow="crop", crop=False)
    return len(lines)


def rows_of_cards(
    cards: Sequence[int], labels: Sequence[str] | None = None, width: int = 80, height: int | None = None
) -> list[Text]:
    """Lines of a grid of cards that fits the given width. The upper edge of each card shows its label or, without
    labels, its code."""
    from rich.text import Text

    across = max(1, min(usual_columns(len(cards)), (width + 1) // (CARD + 3)))
    down = -(-len(cards) // across)
    closed = height is None or down * (ROWS + 2) <= height
    lines = []
    for start in range(0, len(cards), across):
        row = range(start, min(start + across, len(cards)))
        drawn = [card_lines(cards[index], labels[index] if labels else None) for index in row]
        whole = [Text(" ").join(parts) for parts in zip(*drawn, strict=True)]
        lines += whole if closed else whole[:-1]
    return lines


def card_lines(card: int, label: str | None = None) -> list[Text]:
    """Lines of the drawing of one card, with its edges. The symbols stand side by side in the middle."""
    from rich.text import Text

    colour, count, shading, shape = digits(card)
    title = f" {label} " if label else f" {code(card)} "
    used = (count + 1) * COLUMNS + count
    left = (CARD - used) // 2
    edge = "dim" if label is None else "bold"
    lines = [Text.assemble(("╭", "dim"), (title, edge), ("─" * (CARD - len(title)) + "╮", "dim"))]
    for part in symbol_rows(shape, shading):
        body = " ".join([part] * (count + 1))
        padded = " " * left + body + " " * (CARD - left - used)
        lines.append(Text.assemble(("│", "dim"), (padded, STYLES[colour]), ("│", "dim")))
    lines.append(Text("╰" + "─" * CARD + "╯", "dim"))
    return lines


@cache
def symbol_rows(shape: int, shading: int) -> tuple[str, ...]:
    """Braille characters of a symbol, line by line. The outline has dots; the inside is full (solid), striped or empty
    (open)."""
    across, down = 2 * COLUMNS, 4 * ROWS
    pixel = WIDTH / across
    x, y = np.meshgrid(
        (np.arange(across) - (across - 1) / 2) * pixel, (np.arange(down) - (down - 1) / 2) * HEIGHT / down
    )
    away = distance(shape, x, y)
    dots = away < 0
    if shading:
        edge = away > -1.05 * pixel
        stripe = (np.arange(down) % 2 == 0)[:, None] if shading == 1 else False
        dots &= edge | stripe
    cells = dots.reshape(ROWS, 4, COLUMNS, 2)
    patterns = np.einsum("rdcs,ds->rc", cells.astype(int), _DOTS)
    return tuple("".join(chr(0x2800 + int(pattern)) for pattern in row) for row in patterns)
