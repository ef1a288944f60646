"""Fixed cards lose no answer: each step of the argument in `setset.sat.fixing`, checked without it."""

from __future__ import annotations

from itertools import combinations, permutations, product

import pytest

from setset.cards import digits, from_digits, is_set, span, third
from setset.errors import BadInput
from setset.sat import fix_cards, spanning_sevens
from setset.sat.fixing import FRAME, grow_lists, largest_list_size, strongest_fixing

HYPERPLANE = range(27)


def is_list(cards: tuple[int, ...]) -> bool:
    return not any(third(a, b) in cards for a, b in combinations(cards, 2))


def coordinates(frame: tuple[int, ...]) -> dict[int, int]:
    """The card, in the first hyperplane, that the map taking the frame to 0, 1, 3, 9 takes each card to."""
    origin, *corners = (digits(card) for card in frame)
    image = {}
    for steps in product(range(3), repeat=3):
        point = list(origin)
        for step, corner in zip(steps, corners, strict=True):
            point = [(x + step * (y - z)) % 3 for x, y, z in zip(point, corner, origin, strict=True)]
        image[from_digits(*point)] = steps[0] + 3 * steps[1] + 9 * steps[2]
    return image


def images(cards: tuple[int, ...]) -> set[tuple[int, ...]]:
    """Every list that holds 0, 1, 3, 9 and that an affine map of the hyperplane takes the cards to."""
    lists = set()
    for frame in permutations(cards, 4):
        if len(span(frame)) == 27:
            labels = coordinates(frame)
            lists.add(tuple(sorted(labels[card] for card in cards)))
    return lists


def test_there_are_exactly_two_classes_of_seven_cards_that_span_a_hyperplane() -> None:
    """The images of the two, under all maps of the hyperplane, are all such lists with a given frame."""
    first, second = spanning_sevens()
    lists = {
        tuple(sorted((0, 1, 3, 9, *added)))
        for added in combinations([card for card in HYPERPLANE if card not in FRAME], 3)
        if is_list((0, 1, 3, 9, *added))
    }
    assert len(lists) == 296
    assert images(first) | images(second) == lists
    assert not images(first) & images(second)


def test_a_plane_holds_at_most_4_and_a_hyperplane_at_most_9_cards_of_a_list() -> None:
    plane = [subset for subset in combinations(range(9), 5) if is_list(subset)]
    assert plane == []
    assert is_list((0, 1, 3, 4))
    assert largest_list_size(range(9), FRAME[:3]) == 4
    assert largest_list_size(HYPERPLANE, FRAME[:4]) == 9


def test_maps_that_fix_the_hyperplane_move_each_card_outside_to_each_other() -> None:
    """(x, y) -> (a x, y + x v): they keep sets, fix the cards of the first colour, and take 27 everywhere."""
    reached = set()
    for a, v in product((1, 2), product(range(3), repeat=3)):
        image = []
        for card in range(81):
            x, *y = digits(card)
            image.append(from_digits(a * x % 3, *((b + x * c) % 3 for b, c in zip(y, v, strict=True))))
        assert sorted(image) == list(range(81))
        assert image[:27] == list(range(27))
        assert all(is_set(image[p], image[q], image[third(p, q)]) for p, q in ((27, 1), (5, 64), (30, 75)))
        reached.add(image[27])
    assert reached == set(range(27, 81))


def test_the_two_cases_are_lists_of_eight_with_one_card_outside() -> None:
    cases = fix_cards("cases", 21).cases
    assert len(cases) == 2
    for case in cases:
        assert len(case) == 8
        assert is_list(case)
        assert len(span(case[:7])) == 27
        assert case[7] not in span(case[:7])


def test_what_is_fixed_at_least_needs_enough_cards() -> None:
    assert [fix_cards(name, 21).least for name in ("none", "triangle", "frame", "cases")] == [0, 3, 10, 19]
    assert [strongest_fixing(cards) for cards in (1, 2, 3, 9, 10, 18, 19, 21, 81)] == [
        "none", "none", "triangle", "triangle", "frame", "frame", "cases", "cases", "cases"
    ]  # fmt: skip
    for name, cards in (("triangle", 2), ("frame", 9), ("cases", 18)):
        with pytest.raises(BadInput, match="may lose answers"):
            fix_cards(name, cards)


def test_lists_of_a_flat_are_each_found_once() -> None:
    lists = [tuple(sorted(cards)) for cards in grow_lists((0,), range(9))]
    expected = [
        subset for size in range(1, 5) for subset in combinations(range(9), size) if 0 in subset and is_list(subset)
    ]
    assert sorted(lists) == sorted(expected)


def test_cards_that_a_user_fixes() -> None:
    assert fix_cards("red one solid diamond, 5, r1fs", 3).cases == ((0, 1, 5),)
    assert fix_cards("0,1,3", 21).least is None


@pytest.mark.parametrize("text", ["0,1,2", "0,0", "81", "corner", "", ","])
def test_cards_that_cannot_be_fixed_are_refused(text: str) -> None:
    with pytest.raises(BadInput):
        fix_cards(text, 20)
