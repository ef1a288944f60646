from __future__ import annotations

import numpy as np
import pytest

from setset.cards import digits
from setset.symmetry import Catalogue, game_classes, member_arrays
from setset.symmetry.game import GAMES, _make_tables, _sum_kept_games
from setset.symmetry.geometry import STANDARD_FRAME, CardArray, difference_table
from setset.symmetry.ranking import stabilizer_maps
from tests.symmetry import naive


@pytest.mark.parametrize("size", range(5))
def test_small_sizes_agree_with_joining_all_lists(catalogue: Catalogue, size: int) -> None:
    joined = naive.orbit_labels(naive.all_lists(size), naive.GAME)
    assert game_classes(catalogue.level(size).classes) == len(np.unique(joined))


@pytest.mark.parametrize("size", [4, 6, 8, 9, 20])
def test_the_smallest_class_of_a_size_agrees_with_joining_its_members(catalogue: Catalogue, size: int) -> None:
    smallest = min(catalogue.level(size).classes, key=lambda list_class: list_class.lists)
    lists = np.concatenate(list(member_arrays(smallest)))
    assert game_classes([smallest]) == len(np.unique(naive.orbit_labels(lists, naive.GAME)))


def test_the_identity_keeps_all_games_and_a_renaming_the_usual_one() -> None:
    def kept(frame: list[int]) -> int:
        return int(_sum_kept_games(np.array([frame], np.uint8), *_make_tables(), difference_table(), GAMES))

    assert kept([0, 1, 3, 9, 27]) == 63_180
    assert kept([0, 3, 1, 9, 27]) > 0  # exchanges shape and shading
    assert int(_make_tables()[3].sum()) == 24 * 63_180


def test_a_map_keeps_as_many_games_as_looking_at_each_shows(catalogue: Catalogue) -> None:
    forms, direction_of, _, games = _make_tables()
    kept_games = np.argwhere(games)
    kept_games = kept_games[(np.diff(kept_games, axis=1) > 0).all(axis=1)]
    for list_class in [catalogue.get(20, 0), catalogue.get(18, 3), *catalogue.level(16).classes[:200:10]]:
        for row in stabilizer_maps(list_class.cards)[:40]:
            linear = [naive.through((0, *_columns(row)), card) for card in range(81)]
            preimages = {}
            for number, form in enumerate(forms.tolist()):
                values = [_value(form, linear[weight]) for weight in (27, 9, 3, 1)]
                preimages[number] = int(direction_of[int(np.dot(values, (27, 9, 3, 1)))])
            images = np.sort(np.array([preimages[direction] for direction in range(40)])[kept_games], axis=1)
            expected = int((images == kept_games).all(axis=1).sum())
            frame = row[list(STANDARD_FRAME)][None, :]
            assert int(_sum_kept_games(frame, *_make_tables(), difference_table(), GAMES)) == expected


def _columns(row: CardArray) -> tuple[int, ...]:
    return tuple(int(difference_table()[row[card], row[0]]) for card in (1, 3, 9, 27))


def _value(form: int, card: int) -> int:
    return sum(f * x for f, x in zip(digits(form), digits(card), strict=True)) % 3


def test_there_are_never_fewer_classes_than_lists_over_symmetries(catalogue: Catalogue) -> None:
    for size in range(21):
        assert game_classes(catalogue.level(size).classes) * 31_104 >= catalogue.lists(size)
