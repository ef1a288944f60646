from __future__ import annotations

from itertools import islice, pairwise
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from setset.cards import HoldsSet
from setset.errors import BadInput
from setset.symmetry import (
    Catalogue,
    canonical_form,
    catalogue_in_memory,
    member_arrays,
    member_rank,
    members,
    rank,
    unrank,
)
from setset.symmetry.geometry import enumerate_subspaces
from tests.symmetry import naive
from tests.symmetry.strategies import examples, lists


def test_the_members_of_all_classes_of_size_5_are_all_lists_none_twice(catalogue: Catalogue) -> None:
    binomials = np.array([[comb(card, column + 1) for column in range(5)] for card in range(81)])
    has_rank = np.zeros(comb(81, 5), np.bool_)  # by the rank of five cards among all fives
    total = 0
    for list_class in catalogue.level(5).classes:
        of_class = 0
        for chunk in member_arrays(list_class):
            has_rank[sum(binomials[chunk[:, column], column] for column in range(5))] = True
            of_class += len(chunk)
        assert of_class == list_class.lists
        total += of_class
    assert total == int(has_rank.sum()) == 22_441_536


@pytest.mark.parametrize("size", range(5))
def test_the_members_of_small_sizes_are_all_lists(catalogue: Catalogue, size: int) -> None:
    members_found = np.concatenate(
        [chunk for list_class in catalogue.level(size).classes for chunk in member_arrays(list_class)]
    )
    expected = naive.all_lists(size)
    assert np.array_equal(members_found[np.lexsort(members_found.T[::-1])] if size else members_found, expected)


@pytest.mark.parametrize("name", ["2/0", "3/0", "4/0", "5/0", "6/0", "8/20", "9/60", "12/700", "20/0"])
def test_members_come_in_the_order_of_their_least_frames(catalogue: Catalogue, name: str) -> None:
    list_class = catalogue.get(*map(int, name.split("/")))
    flat = enumerate_subspaces(naive.DIMENSIONS[len(naive.flat(list_class.cards))])[0]
    expected = [tuple(sorted(flat[list(cards)].tolist())) for cards in islice(naive.members(list_class.cards), 40)]
    assert list(islice(members(list_class), len(expected))) == expected


@pytest.mark.parametrize("size", range(21))
def test_unrank_and_rank_undo_each_other(catalogue: Catalogue, size: int) -> None:
    @given(st.integers(0, catalogue.lists(size) - 1))
    @examples(25)
    def check(number: int) -> None:
        cards = unrank(size, number, catalogue)
        assert naive.is_list(cards)
        assert len(cards) == size
        assert rank(cards, catalogue) == number

    check()
    for end in (0, catalogue.lists(size) - 1):
        assert rank(unrank(size, end, catalogue), catalogue) == end


@given(lists())
@examples()
def test_every_list_has_a_rank_that_leads_back_to_it(cards: tuple[int, ...]) -> None:
    assert unrank(len(cards), rank(cards)) == cards


@given(st.integers(0, 20), st.integers(0, 10**13))
@examples(40)
def test_members_go_on_from_any_rank(size: int, place: int) -> None:
    catalogue = catalogue_in_memory()
    list_class = catalogue.get(size, place % len(catalogue.level(size).classes))
    start = place % list_class.lists
    hands = list(islice(members(list_class, start), 300))
    assert len(hands) == min(300, list_class.lists - start)
    assert [member_rank(cards) for cards in hands[:: len(hands) // 9 + 1]] == list(
        range(start, start + len(hands), len(hands) // 9 + 1)
    )
    assert all(canonical_form(cards) == list_class.cards for cards in hands[::50])
    assert len(set(hands)) == len(hands)


def test_chunks_make_no_difference(catalogue: Catalogue) -> None:
    list_class = catalogue.get(4, 0)
    rows = np.concatenate(list(member_arrays(list_class, 1000, chunk=7)))
    assert np.array_equal(rows, np.concatenate(list(member_arrays(list_class)))[1000:])


def test_ranks_go_class_by_class(catalogue: Catalogue) -> None:
    starts = catalogue.starts(9)
    assert all(low < high for low, high in pairwise(starts))
    for list_class in catalogue.level(9).classes[::10]:
        assert canonical_form(unrank(9, starts[list_class.number], catalogue)) == list_class.cards
        assert canonical_form(unrank(9, starts[list_class.number + 1] - 1, catalogue)) == list_class.cards


def test_unknown_ranks_are_refused(catalogue: Catalogue) -> None:
    with pytest.raises(BadInput, match="no list of rank 682344: the ranks in size 20 are 0 to 682343"):
        unrank(20, 682_344, catalogue)
    with pytest.raises(BadInput, match="no list of rank -1"):
        unrank(12, -1, catalogue)
    with pytest.raises(BadInput, match="the ranks in class 3/0 are 0 to 84239"):
        members(catalogue.get(3, 0), 84_240)
    with pytest.raises(HoldsSet):
        rank([0, 1, 2], catalogue)
