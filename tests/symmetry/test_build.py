from __future__ import annotations

import dataclasses

import pytest

from setset.errors import BadInput, SetsetError
from setset.symmetry import AffineMap, Catalogue, build_level


def test_there_are_no_21_cards_without_a_set(catalogue: Catalogue) -> None:
    assert build_level(21, catalogue.level(20).classes).classes == ()
    assert [list_class.complete for list_class in catalogue.level(20).classes] == [True]


@pytest.mark.parametrize("size", range(1, 21))
def test_the_double_count_holds_for_every_link(catalogue: Catalogue, size: int) -> None:
    smaller, level = catalogue.level(size - 1).classes, catalogue.level(size)
    for link in level.links:
        small, large = smaller[link.smaller], level.classes[link.larger]
        assert small.lists * link.extensions == large.lists * link.deletions


def test_a_size_is_built_from_the_stored_classes_of_the_one_before(catalogue: Catalogue) -> None:
    classes = [dataclasses.replace(list_class) for list_class in catalogue.level(8).classes]
    assert build_level(9, classes) == catalogue.level(9)
    resumed = Catalogue([catalogue.level(8)])
    assert resumed.level(10) == catalogue.level(10)


def test_a_missing_class_is_noticed(catalogue: Catalogue) -> None:
    remaining = [list_class for list_class in catalogue.level(9).classes if list_class.number != 40]
    renumbered = [dataclasses.replace(list_class, number=number) for number, list_class in enumerate(remaining)]
    with pytest.raises(SetsetError, match="do not add up"):
        build_level(10, renumbered)


def test_a_wrong_stabilizer_is_noticed(catalogue: Catalogue) -> None:
    classes = list(catalogue.level(9).classes)
    classes[40] = dataclasses.replace(classes[40], stabilizer=classes[40].stabilizer * 2)
    with pytest.raises(SetsetError, match="do not add up"):
        build_level(10, classes)


def test_a_wrong_representative_is_noticed(catalogue: Catalogue) -> None:
    """The list is in the same class, so all sums are right, but it is not the canonical form."""
    for number in range(len(catalogue.level(9).classes)):
        classes = list(catalogue.level(9).classes)
        image = AffineMap.to_frame((40, 1, 3, 9, 28)).on(classes[number].cards)
        classes[number] = dataclasses.replace(classes[number], cards=image)
        try:
            level = build_level(10, classes)
        except SetsetError as refusal:
            assert "links between classes differ" in str(refusal)  # noqa: PT017 (most are harmless)
        else:
            assert level == catalogue.level(10)


def test_classes_out_of_order_and_unknown_sizes_are_refused(catalogue: Catalogue) -> None:
    with pytest.raises(BadInput, match="expected all classes of size 5, in order"):
        build_level(6, catalogue.level(5).classes[1:])
    with pytest.raises(BadInput, match="expected all classes of size 5, in order"):
        build_level(6)
    with pytest.raises(BadInput, match="not of 22"):
        build_level(22, ())
    with pytest.raises(BadInput, match="not of 21"):
        catalogue.level(21)
    with pytest.raises(BadInput, match="no class 12/1437: the classes of size 12 are 0 to 1436"):
        catalogue.get(12, 1437)
    with pytest.raises(BadInput, match="not a canonical form: 0 1 4"):
        catalogue.of_form((0, 1, 4))
