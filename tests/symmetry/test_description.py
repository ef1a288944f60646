"""The description of a class agrees with its lists."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest

from setset.cards import digits
from setset.errors import BadInput
from setset.symmetry import Catalogue, ClassOrder, ListClass, classify, describe_class, find_classes, members
from setset.symmetry.description import write_exclusions, write_hyperplanes
from tests.symmetry import naive

SOME = [(0, 0), (1, 0), (2, 0), (4, 0), (4, 1), (8, 5), (12, 0), (12, 786), (16, 700), (19, 0), (20, 0)]


@pytest.fixture(params=SOME, ids=lambda pair: f"{pair[0]}/{pair[1]}")
def list_class(request: pytest.FixtureRequest, catalogue: Catalogue) -> ListClass:
    return catalogue.get(*request.param)


def test_the_neighbours_are_what_adding_and_removing_cards_gives(catalogue: Catalogue, list_class: ListClass) -> None:
    description = describe_class(list_class, catalogue)
    assert description.list_class == list_class
    assert sum(link.cards for link in description.larger) == list_class.extensions
    assert sum(link.cards for link in description.smaller) == list_class.size
    larger, smaller = dict(description.larger), dict(description.smaller)
    for card in classify(list_class.cards, catalogue).extensions:
        neighbour = classify([*list_class.cards, card], catalogue).list_class
        larger[neighbour] -= 1
    for card in list_class.cards:
        neighbour = classify([member for member in list_class.cards if member != card], catalogue).list_class
        smaller[neighbour] -= 1
    assert not any(larger.values())
    assert not any(smaller.values())


def test_every_direction_is_counted_and_no_map_changes_the_cuts(catalogue: Catalogue, list_class: ListClass) -> None:
    description = describe_class(list_class, catalogue)
    assert description.dimension == (naive.DIMENSIONS[len(naive.flat(list_class.cards))] if list_class.cards else -1)
    forms = {direction.form for direction in description.directions}
    opposite = {tuple(-factor % 3 for factor in form) for form in forms}
    assert len(description.directions) == len(forms) == 40
    assert forms | opposite == set(product(range(3), repeat=4)) - {(0, 0, 0, 0)}
    for form, cards in description.directions:
        values = [sum(a * x for a, x in zip(form, digits(card), strict=True)) % 3 for card in list_class.cards]
        assert cards == tuple(map(values.count, range(3)))
    start = Random(7).randrange(list_class.lists)
    image = ListClass(
        list_class.size,
        list_class.number,
        next(members(list_class, start)),
        list_class.stabilizer,
        list_class.extensions,
    )
    assert describe_class(image, catalogue).hyperplanes == description.hyperplanes
    assert sum(description.hyperplanes.values()) == 40


def test_which_classes(catalogue: Catalogue) -> None:
    classes = catalogue.level(16).classes
    assert find_classes(16, catalogue) == list(classes)
    complete = find_classes(16, catalogue, complete=True)
    assert len(complete) == 74
    assert sorted(
        [*complete, *find_classes(16, catalogue, complete=False)], key=lambda candidate: candidate.number
    ) == [*classes]
    selected = find_classes(16, catalogue, stabilizer=8, complete=True)
    assert selected == [candidate for candidate in complete if candidate.stabilizer == 8]
    for order in ClassOrder:
        up = find_classes(16, catalogue, sort=order)
        keys = [(getattr(candidate, order), candidate.number) for candidate in up]
        assert keys == sorted(keys)
        down = [
            (-getattr(candidate, order), candidate.number)
            for candidate in find_classes(16, catalogue, sort=order, reverse=True)
        ]
        assert down == sorted(down)


def test_what_there_is_not() -> None:
    with pytest.raises(BadInput, match="there are lists of 0 to 20 cards, not of 21"):
        find_classes(21)
    with pytest.raises(BadInput, match="sort 'colour': expected number, lists, stabilizer, extensions"):
        find_classes(3, sort="colour")


def test_filters_on_every_property(catalogue: Catalogue) -> None:
    description = describe_class("12/786", catalogue)
    filters = {
        "extensions": description.list_class.extensions,
        "extension_orbits": description.traits.extension_orbit_count,
        "game_classes": description.game_classes,
        "hyperplane": "+".join(map(str, reversed(next(iter(description.hyperplanes))))),
        "exclusion": max(description.exclusions),
    }
    classes = set(find_classes(12, catalogue))
    common = classes
    for name, value in filters.items():
        selected = set(find_classes(12, catalogue, **{name: value}))  # type: ignore[arg-type]
        assert description.list_class in selected < classes
        common = common & selected
    assert set(find_classes(12, catalogue, **filters)) == common  # type: ignore[arg-type]
    for text in ("6+6", "a+b+c", "1+1+-1"):
        with pytest.raises(BadInput, match="three numbers"):
            find_classes(12, catalogue, hyperplane=text)


@pytest.mark.parametrize("size", [0, 1, 7, 18, 20])
def test_properties_as_text(catalogue: Catalogue, size: int) -> None:
    """The same as one class at a time."""
    descriptions = [describe_class(list_class, catalogue) for list_class in catalogue.classes(size)]
    cuts = [
        [f"{a}+{b}+{c}:{times}" for (a, b, c), times in description.hyperplanes.items()] for description in descriptions
    ]
    assert write_hyperplanes(catalogue.forms(size)) == [" ".join(parts) for parts in cuts]
    excluded = [[f"{pairs}:{cards}" for pairs, cards in description.exclusions.items()] for description in descriptions]
    assert write_exclusions(catalogue.forms(size)) == [" ".join(parts) for parts in excluded]
