"""Draws cards for pages: one card, a thumbnail of 81 dots, the grid of all cards. static/cards.js draws the same.

The drawings contain only numbers, names of cards and URLs of static files, no input of visitors. So they need no
escaping.
"""

from collections.abc import Iterable, Sequence

from markupsafe import Markup

from setset.cards import name
from setset.show.cards.layout import GRID_BOX, GRID_STEP, cell
from setset.web.classes import grid as grid_marks

PLACED = 'x="{}" y="{}" width="{}" height="{}"'.format(*GRID_BOX.split())


def card(sheet: str, number: int, label: bool = True) -> Markup:
    """Draws a card by its symbol in the sprite sheet."""
    label_attributes = f'role="img" aria-label="{name(number)}"' if label else 'aria-hidden="true"'
    return _markup(f'<svg class="card" viewBox="0 0 170 104" {label_attributes}><use href="{sheet}#c{number}"/></svg>')


def dots(cards: Iterable[int]) -> Markup:
    """Draws a thumbnail of a hand: its cards as dots in a grid of nine by nine, one path per colour."""
    paths = ["", "", ""]
    for number in cards:
        paths[number // 27] += f"M{number // 9 % 3 * 3 + number % 3} {number // 27 * 3 + number // 3 % 3}h0"
    drawn = "".join(f'<path d="{path}"/>' if path else "<path/>" for path in paths)
    return _markup(f'<svg class="dots" viewBox="-.5 -.5 9 9" aria-hidden="true">{drawn}</svg>')


def grid(sheet: str, cards: Sequence[int]) -> Markup:
    """Draws the grid of all 81 cards. Outlines the cards of the hand, and fades cards that would complete a set."""
    marks = grid_marks(cards)
    runs: dict[tuple[int, int], tuple[int, int]] = {}  # neighbours fade as one stroke, since pages have to be small
    for x, y in _corners(marks, "excluded"):
        start, width = runs.pop((x - GRID_STEP[0], y), (x, -12))
        runs[x, y] = start, width + GRID_STEP[0]
    faded = "".join(f"M{start} {y + 52}h{width}" for (_, y), (start, width) in runs.items())
    outlined = "".join(f"M{x} {y}h170v104h-170z" for x, y in _corners(marks, "chosen"))
    excluded, addable = marks.count("excluded"), marks.count("addable")
    label = f"The 81 cards: {len(cards)} of the hand, {excluded} excluded, {addable} addable"
    paths = f'<path class="excluded" d="{faded}"/><path class="chosen" d="{outlined}"/>'
    deck = f'<use href="{sheet}#deck" {PLACED}/>'
    return _markup(f'<svg class="deck" viewBox="{GRID_BOX}" role="img" aria-label="{label}">{deck}{paths}</svg>')


def _corners(marks: Sequence[str], wanted: str) -> list[tuple[int, int]]:
    return [cell(number) for number, mark in enumerate(marks) if mark == wanted]


def _markup(text: str) -> Markup:
    return Markup(text)  # noqa: S704 (no input of visitors)
