"""Drawings of cards for pages: one card, a thumbnail of 81 dots, the grid of all cards, as static/cards.js has them.

Everything in them is ours: numbers, names of cards and addresses of static files.
"""

from collections.abc import Iterable, Sequence

from markupsafe import Markup

from setset.cards import name
from setset.show.cards.layout import GRID_BOX, cell
from setset.web.classes import grid as grid_marks

PLACED = 'x="{}" y="{}" width="{}" height="{}"'.format(*GRID_BOX.split())


def card(sheet: str, number: int, label: bool = True) -> Markup:
    """A card, by its symbol in the sprite sheet."""
    said = f'role="img" aria-label="{name(number)}"' if label else 'aria-hidden="true"'
    return _markup(f'<svg class="card" viewBox="0 0 170 104" {said}><use href="{sheet}#c{number}"/></svg>')


def dots(cards: Iterable[int]) -> Markup:
    """A thumbnail of a hand: its cards as dots in the grid of nine by nine, a path per colour."""
    paths = ["", "", ""]
    for each in cards:
        paths[each // 27] += f"M{each // 9 % 3 * 3 + each % 3} {each // 27 * 3 + each // 3 % 3}h0"
    drawn = "".join(f'<path d="{path}"/>' if path else "<path/>" for path in paths)
    return _markup(f'<svg class="dots" viewBox="-.5 -.5 9 9" aria-hidden="true">{drawn}</svg>')


def grid(sheet: str, cards: Sequence[int]) -> Markup:
    """All 81 cards: the hand outlined, cards that would complete a set faded."""
    marks = grid_marks(cards)
    faded = "".join(f"M{x} {y + 52}h170" for x, y in _corners(marks, "excluded"))
    outlined = "".join(f"M{x} {y}h170v104h-170z" for x, y in _corners(marks, "chosen"))
    excluded, addable = marks.count("excluded"), marks.count("addable")
    said = f"The 81 cards: {len(cards)} of the hand, {excluded} excluded, {addable} addable"
    paths = f'<path class="excluded" d="{faded}"/><path class="chosen" d="{outlined}"/>'
    deck = f'<use href="{sheet}#deck" {PLACED}/>'
    return _markup(f'<svg class="deck" viewBox="{GRID_BOX}" role="img" aria-label="{said}">{deck}{paths}</svg>')


def _corners(marks: Sequence[str], wanted: str) -> list[tuple[int, int]]:
    return [cell(number) for number, mark in enumerate(marks) if mark == wanted]


def _markup(text: str) -> Markup:
    return Markup(text)  # noqa: S704 (ours)
