"""The catalogue: its sums, its numbers, and the links between its classes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from setset.symmetry import (
    GROUP_ORDER,
    Catalogue,
    ListClass,
    build_level,
    canonical_form,
    catalogue_in_memory,
    game_classes,
)
from tests.symmetry import naive
from tests.symmetry.strategies import examples, lists

KNOWN = {
    10: (267, 318_294_370_368),
    12: (1437, 2_284_535_476_080),
    15: (1756, 2_970_003_246_912),
    18: (20, 6_482_268_000),
    20: (1, 682_344),
}


@pytest.mark.parametrize("size", range(8))
def test_the_sums_agree_with_direct_enumeration(catalogue: Catalogue, size: int) -> None:
    assert catalogue.lists(size) == naive.count_lists(size)


@pytest.mark.parametrize("size", KNOWN)
def test_the_known_figures_come_out(catalogue: Catalogue, size: int) -> None:
    level = catalogue.level(size)
    assert (len(level.classes), level.lists) == KNOWN[size]


@pytest.mark.parametrize("size", range(21))
def test_classes_are_numbered_by_their_forms_and_add_up(catalogue: Catalogue, size: int) -> None:
    level = catalogue.level(size)
    assert [list_class.number for list_class in level.classes] == list(range(len(level.classes)))
    assert [list_class.cards for list_class in level.classes] == sorted(
        {list_class.cards for list_class in level.classes}
    )
    assert all(list_class.lists * list_class.stabilizer == GROUP_ORDER for list_class in level.classes)
    for list_class in level.classes[:: max(1, len(level.classes) // 40)]:
        assert list_class.extensions == sum(count for _, count in catalogue.larger(list_class))
        assert list_class.size == sum(count for _, count in catalogue.smaller(list_class))


@given(st.data())
@examples(60)
def test_links_are_what_adding_and_taking_each_card_shows(data: st.DataObject) -> None:
    cards = data.draw(lists(least=1, most=19))
    catalogue = catalogue_in_memory()
    list_class = catalogue.of_form(canonical_form(cards))
    larger: dict[int, int] = {}
    for card in naive.extensions(cards):
        number = catalogue.of_form(canonical_form((*cards, card))).number
        larger[number] = larger.get(number, 0) + 1
    smaller: dict[int, int] = {}
    for card in cards:
        number = catalogue.of_form(canonical_form(set(cards) - {card})).number
        smaller[number] = smaller.get(number, 0) + 1
    assert {neighbour.number: count for neighbour, count in catalogue.larger(list_class)} == larger
    assert {neighbour.number: count for neighbour, count in catalogue.smaller(list_class)} == smaller
    assert list_class.extensions == sum(larger.values())
    assert list_class.complete == (not larger)


def test_what_comes_with_the_package_is_what_is_built() -> None:
    """Classes, links and classes of the game, from nothing, size by size; none of it uses what is stored."""
    packaged = Catalogue()
    previous: tuple[ListClass, ...] = ()
    for size in range(21):
        level = build_level(size, previous)
        previous = level.classes
        assert packaged.classes(size) == previous
        assert packaged.level(size) == level
        assert list(map(packaged.game_classes, previous)) == [game_classes([list_class]) for list_class in previous]
