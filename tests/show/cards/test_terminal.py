"""The dots of cards on a terminal."""

from __future__ import annotations

from setset.show.cards.terminal import card_lines, rows_of_cards, symbol_rows


def test_all_cards_look_different_on_a_terminal() -> None:
    """81 pictures that differ in dots or in colour, all of one size."""
    pictures = set()
    for card in range(81):
        lines = card_lines(card)
        assert len(lines) == 6
        assert {len(line) for line in lines} == {18}
        pictures.add(tuple((line.plain, str(line.spans)) for line in lines[1:-1]))
    assert len(pictures) == 81


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
