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


@pytest.fixture(params=SOME, ids=lambda which: f"{which[0]}/{which[1]}")
def list_class(request: pytest.FixtureRequest, catalogue: Catalogue) -> ListClass:
    return catalogue.get(*request.param)


def test_the_neighbours_are_what_adding_and_removing_cards_gives(catalogue: Catalogue, list_class: ListClass) -> None:
    found = describe_class(list_class, catalogue)
    assert found.list_class == list_class
    assert sum(other.cards for other in found.larger) == list_class.extensions
    assert sum(other.cards for other in found.smaller) == list_class.size
    larger, smaller = dict(found.larger), dict(found.smaller)
    for card in classify(list_class.cards, catalogue).extensions:
        other = classify([*list_class.cards, card], catalogue).list_class
        larger[other] -= 1
    for card in list_class.cards:
        other = classify([each for each in list_class.cards if each != card], catalogue).list_class
        smaller[other] -= 1
    assert not any(larger.values())
    assert not any(smaller.values())


def test_every_direction_is_counted_and_no_map_changes_the_cuts(catalogue: Catalogue, list_class: ListClass) -> None:
    found = describe_class(list_class, catalogue)
    assert found.dimension == (naive.DIMENSIONS[len(naive.flat(list_class.cards))] if list_class.cards else -1)
    forms = {each.form for each in found.directions}
    opposite = {tuple(-factor % 3 for factor in form) for form in forms}
    assert len(found.directions) == len(forms) == 40
    assert forms | opposite == set(product(range(3), repeat=4)) - {(0, 0, 0, 0)}
    for form, cards in found.directions:
        values = [sum(a * x for a, x in zip(form, digits(card), strict=True)) % 3 for card in list_class.cards]
        assert cards == tuple(map(values.count, range(3)))
    start = Random(7).randrange(list_class.lists)
    moved = ListClass(
        list_class.size,
        list_class.number,
        next(members(list_class, start)),
        list_class.stabilizer,
        list_class.extensions,
    )
    assert describe_class(moved, catalogue).hyperplanes == found.hyperplanes
    assert sum(found.hyperplanes.values()) == 40


def test_which_classes(catalogue: Catalogue) -> None:
    everything = catalogue.level(16).classes
    assert find_classes(16, catalogue) == list(everything)
    complete = find_classes(16, catalogue, complete=True)
    assert len(complete) == 74
    assert sorted([*complete, *find_classes(16, catalogue, complete=False)], key=lambda each: each.number) == [
        *everything
    ]
    kept = find_classes(16, catalogue, stabilizer=8, complete=True)
    assert kept == [each for each in complete if each.stabilizer == 8]
    for order in ClassOrder:
        up = find_classes(16, catalogue, sort=order)
        keys = [(getattr(each, order), each.number) for each in up]
        assert keys == sorted(keys)
        down = [(-getattr(each, order), each.number) for each in find_classes(16, catalogue, sort=order, reverse=True)]
        assert down == sorted(down)


def test_what_there_is_not() -> None:
    with pytest.raises(BadInput, match="there are lists of 0 to 20 cards, not of 21"):
        find_classes(21)
    with pytest.raises(BadInput, match="sort 'colour': expected number, lists, stabilizer, extensions"):
        find_classes(3, sort="colour")


def test_filters_on_every_property(catalogue: Catalogue) -> None:
    about = describe_class("12/786", catalogue)
    asked = {
        "extensions": about.list_class.extensions,
        "extension_orbits": about.traits.extension_orbit_count,
        "game_classes": about.game_classes,
        "hyperplane": "+".join(map(str, reversed(next(iter(about.hyperplanes))))),
        "exclusion": max(about.exclusions),
    }
    every = set(find_classes(12, catalogue))
    together = every
    for name, value in asked.items():
        found = set(find_classes(12, catalogue, **{name: value}))  # type: ignore[arg-type]
        assert about.list_class in found < every
        together = together & found
    assert set(find_classes(12, catalogue, **asked)) == together  # type: ignore[arg-type]
    for wrong in ("6+6", "a+b+c", "1+1+-1"):
        with pytest.raises(BadInput, match="three numbers"):
            find_classes(12, catalogue, hyperplane=wrong)


@pytest.mark.parametrize("size", [0, 1, 7, 18, 20])
def test_properties_as_text(catalogue: Catalogue, size: int) -> None:
    """The same as one class at a time."""
    abouts = [describe_class(list_class, catalogue) for list_class in catalogue.classes(size)]
    cuts = [[f"{a}+{b}+{c}:{times}" for (a, b, c), times in about.hyperplanes.items()] for about in abouts]
    assert write_hyperplanes(catalogue.forms(size)) == [" ".join(each) for each in cuts]
    excluded = [[f"{pairs}:{cards}" for pairs, cards in about.exclusions.items()] for about in abouts]
    assert write_exclusions(catalogue.forms(size)) == [" ".join(each) for each in excluded]
