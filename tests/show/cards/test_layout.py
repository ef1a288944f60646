"""Positions of cards and rings."""

from __future__ import annotations

import pytest

from setset.show.cards import layout as at
from setset.show.cards.layout import lay_out, ring_colour, usual_columns
from setset.table import find_sets


def test_rings_around_one_card_do_not_meet_each_other_or_the_neighbours() -> None:
    cards = range(27)
    layout = lay_out(cards, sets=find_sets(cards))
    for position in layout.positions:
        offsets = [ring.offset for out in layout.outlines for ring in out.rings if ring.position == position]
        assert len(offsets) == 13, "a card of a hyperplane is in 13 sets of it"
        assert len(set(offsets)) == len(offsets)
        assert position.x - max(offsets) - at.RING > 0
    step = layout.positions[1].x - layout.positions[0].x
    assert step - at.CARD_WIDTH > 2 * (max(offsets) + at.RING / 2)


@pytest.mark.parametrize(("count", "columns"), [(1, 1), (3, 3), (9, 3), (12, 4), (15, 5), (18, 6), (20, 7), (81, 9)])
def test_cards_lie_as_on_a_table(count: int, columns: int) -> None:
    assert usual_columns(count) == columns
    layout = lay_out(range(count))
    assert layout.columns == columns
    assert len({(position.x, position.y) for position in layout.positions}) == count
    assert max(position.x for position in layout.positions) + at.CARD_WIDTH < layout.width
    assert max(position.y for position in layout.positions) + at.CARD_HEIGHT < layout.height


def test_columns_can_be_chosen() -> None:
    layout = lay_out(range(12), columns=6)
    assert len({position.x for position in layout.positions}) == 6
    assert len({position.y for position in layout.positions}) == 2


def test_ring_colours_differ() -> None:
    assert len({ring_colour(number) for number in range(100)}) == 100
