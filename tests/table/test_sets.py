"""Sets, ultra sets, and the reasons why three cards are no set."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from setset import cards
from setset.errors import BadInput
from setset.table import find_sets, find_ultra_sets, why_no_set
from tests.table import naive

TABLE = st.lists(st.integers(0, 80), unique=True, max_size=21)
KATA = """squiggle green 3 striped, oval red 2 striped, diamond green 1 solid, oval purple 3 striped,
squiggle green 2 solid, squiggle green 3 solid, oval green 1 solid, diamond red 3 outlined,
oval purple 1 striped, squiggle purple 1 striped, oval red 1 striped, diamond red 1 striped"""


@given(TABLE)
@settings(deadline=None)
def test_find_agrees_with_the_loop_over_all_triples(table: list[int]) -> None:
    assert find_sets(table) == naive.sets(table)


def test_the_deck_holds_1080_sets() -> None:
    assert len(find_sets(range(81))) == 1080


def test_the_example_of_the_kata() -> None:
    """The two sets that the kata names, and no other."""
    first = {"oval purple 3 striped", "squiggle green 3 solid", "diamond red 3 outlined"}
    second = {"squiggle green 2 solid", "diamond red 3 outlined", "oval purple 1 striped"}
    triples = [set(triple) for triple in find_sets(cards.parse_cards([KATA]))]
    assert len(triples) == 2
    assert {cards.parse(text) for text in first} in triples
    assert {cards.parse(text) for text in second} in triples


@given(TABLE)
@settings(deadline=None)
def test_ultra_sets_are_all_pairs_of_pairs_with_one_third_card(table: list[int]) -> None:
    expected = {
        frozenset((frozenset(p), frozenset(q)))
        for p, q in combinations(list(combinations(table, 2)), 2)
        if cards.third(*p) == cards.third(*q)
    }
    ultra_sets = find_ultra_sets(table)
    assert {frozenset((frozenset(u.first), frozenset(u.second))) for u in ultra_sets} == expected
    assert len(ultra_sets) == len(expected)
    for ultra in ultra_sets:
        assert len({*ultra.first, *ultra.second}) == 4
        assert cards.is_set(*ultra.first, ultra.third)
        assert cards.is_set(*ultra.second, ultra.third)


def test_every_three_cards_are_a_set_or_have_a_reason_why_not() -> None:
    for triple in combinations(range(81), 3):
        assert (why_no_set(*triple) is None) == cards.is_set(*triple)


def test_reasons_name_the_values() -> None:
    assert why_no_set(0, 1, 27) == "colour: red, red, green"
    assert why_no_set(0, 9, 10) == "count: one, two, two"
    assert why_no_set(0, 1, 1 + 3) == "shading: solid, solid, striped"


@pytest.mark.parametrize("table", [[81], [-1], [3, 3]])
def test_what_is_no_table_is_refused(table: list[int]) -> None:
    with pytest.raises(BadInput):
        find_sets(table)
    with pytest.raises(BadInput):
        find_ultra_sets(table)
