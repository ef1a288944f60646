"""Drawings of cards for pages: one card, a thumbnail of 81 dots, the grid of all cards. static/cards.js has the same."""

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from markupsafe import Markup

from setset.cards import name
from setset.show.cards.layout import CARD_HEIGHT, CARD_WIDTH, GRID_HEIGHT, GRID_WIDTH, cell
from setset.web.classes import grid as grid_marks

LABELS = (("red", "green", "purple"), ("one", "two", "three"))


def card(sheet: str, number: int, label: bool = True) -> Markup:
    """A card, by its symbol in the sprite sheet."""
    said = f' role="img" aria-label="{name(number)}"' if label else ' aria-hidden="true"'
    return Markup('<svg class="card" viewBox="0 0 170 104"{}><use href="{}#c{}"/></svg>').format(
        Markup(said), sheet, number
    )


def dots(cards: Iterable[int]) -> Markup:
    """A thumbnail of a hand: its cards as dots in the grid of nine by nine, a path per colour."""
    paths = ["", "", ""]
    for each in cards:
        paths[each // 27] += f"M{each // 9 % 3 * 3 + each % 3} {each // 27 * 3 + each // 3 % 3}h0"
    drawn = "".join(f'<path d="{path}"/>' if path else "<path/>" for path in paths)
    return Markup('<svg class="dots" viewBox="-.5 -.5 9 9" aria-hidden="true">{}</svg>').format(Markup(drawn))


def grid(sheet: str, cards: Sequence[int]) -> Markup:
    """All 81 cards: those of the hand outlined, those that would complete a set faded and crossed out."""
    marks = grid_marks(cards)
    left, top = 90, 60
    box = f"{-left} {-top} {GRID_WIDTH + left + 6} {GRID_HEIGHT + top + 6}"
    paths = "".join(f'<path class="{mark}" d="{_cells(marks, mark)}"/>' for mark in ("excluded", "chosen"))
    words = "".join(
        f'<text x="{cell(9 * n + 1)[0] + CARD_WIDTH / 2:g}" y="-18">{across}</text>'
        f'<text transform="translate(-26 {cell(27 * n + 3)[1] + CARD_HEIGHT / 2:g}) rotate(-90)">{down}</text>'
        for n, (down, across) in enumerate(zip(*LABELS, strict=True))
    )
    said = f"The 81 cards: {len(cards)} of the hand, {marks.count('excluded')} excluded, {marks.count('addable')} addable"
    deck = f'<use href="{sheet}#deck" width="{GRID_WIDTH}" height="{GRID_HEIGHT}"/>'
    return Markup('<svg class="deck" viewBox="{}" role="img" aria-label="{}">{}{}{}</svg>').format(
        box, said, Markup(deck), Markup(paths), Markup(words)
    )


def bars(at: Callable[[str], str], sizes: Sequence[dict[str, Any]]) -> Markup:
    """Lists and complete lists of each size, on a logarithmic scale; each bar says its numbers and leads to its classes."""
    step, height, most = 44, 260, 14
    parts = []
    for power in range(0, most, 3):
        y = height - height * power / most
        parts.append(f'<line x1="40" x2="{60 + step * len(sizes)}" y1="{y:.0f}" y2="{y:.0f}"/><text x="36" y="{y + 4:.0f}">{"1" + ",000" * (power // 3)}</text>')
    for number, size in enumerate(sizes):
        x = 60 + step * number
        said = f"{size['size']} cards: {size['lists']:,} lists, {size['complete_lists']:,} of them complete, {size['classes']:,} classes"
        drawn = "".join(
            f'<rect class="{kind}" x="{x + shift}" width="17" y="{height - tall:.0f}" height="{tall:.0f}"/>'
            for kind, shift, tall in (
                ("lists", 0, _tall(size["lists"], height, most)),
                ("complete", 18, _tall(size["complete_lists"], height, most)),
            )
        )
        parts.append(
            f'<a href="{at("classes/" + str(size["size"]))}"><title>{said}</title><rect class="hit" x="{x - 4}" width="{step}" y="0" '
            f'height="{height + 24}"/>{drawn}<text class="size" x="{x + 17}" y="{height + 18}">{size["size"]}</text></a>'
        )
    legend = '<text class="size" x="120" y="16">lists</text><rect class="lists" x="86" y="4" width="14" height="14"/><text class="size" x="226" y="16">complete lists</text><rect class="complete" x="160" y="4" width="14" height="14"/>'
    box = f"-88 -6 {160 + step * len(sizes)} {height + 34}"
    said = "Lists and complete lists by size, on a logarithmic scale; the table below has the numbers"
    return Markup('<svg class="bars" viewBox="{}" role="group" aria-label="{}">{}</svg>').format(box, said, Markup("".join([*parts, legend])))


def _tall(count: int, height: int, most: int) -> float:
    return max(height * math.log10(count) / most, 2) if count else 0


def _cells(marks: Sequence[str], wanted: str) -> str:
    at = [cell(number) for number, mark in enumerate(marks) if mark == wanted]
    return "".join(f"M{x} {y}h170v104h-170z" for x, y in at)
