"""The rule of `--prune`: against its definition, and that it loses no list that reaches the target."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from setset.engine import probing, pruning, search
from setset.symmetry.sampling import sample
from tests.engine import naive
from tests.engine.lists import pack, some_lists, unpack

TARGETS = (12, 15, 18, 19, 20)


@pytest.mark.parametrize("target", range(4, 21))
def test_the_splits_are_those_of_all_classes(target: int) -> None:
    splits = {tuple(sorted(split)) for split in pruning.ordered_splits(target)}
    assert splits == naive.splits(target)
    if target not in pruning.SPLITS:
        assert splits == {tuple(sorted(split)) for split in product(range(10), repeat=3) if sum(split) == target}


def test_the_largest_lists_are_symmetric() -> None:
    assert {target: naive.unpaired(target) for target in pruning.UNPAIRED} == pruning.UNPAIRED


@settings(max_examples=25)
@given(some_lists((3, 12)), st.sampled_from(TARGETS), st.integers(1, 50))
def test_pruned_expansion_is_that_of_the_definition(lists: list[tuple[int, ...]], target: int, limit: int) -> None:
    (source,) = pack(lists)
    batches = list(search.expand(source, target, limit, pruned=True))
    expected = [cards for cards in naive.expand(lists, target) if naive.may_reach(cards, target)]
    assert unpack(batches) == expected
    assert all(batch.lists <= limit for batch in batches)


@pytest.mark.parametrize("target", TARGETS)
def test_the_children_of_prefixes_of_large_lists_are_those_of_the_definition(target: int) -> None:
    """Random lists mostly end early: these are the ones on which the rule has to decide."""
    for size in (4, 8, 11):
        prefixes = sorted({tuple(row[:size]) for row in sample(target, 4, seed=size).tolist()})
        (source,) = pack(prefixes)
        expected = [cards for cards in naive.expand(prefixes, target) if naive.may_reach(cards, target)]
        assert unpack(list(search.expand(source, target, 10**6, pruned=True))) == expected
        assert expected


@pytest.mark.parametrize("target", TARGETS)
def test_no_list_that_reaches_the_target_is_lost(target: int) -> None:
    rows = np.unique(sample(target, 300, seed=1), axis=0)
    for size in range(3, target):
        prefixes = np.unique(rows[:, :size], axis=0)
        (source,) = search.pack([prefixes], size, 10**6)
        children = {tuple(cards) for cards in unpack(list(search.expand(source, target, 10**6, pruned=True)))}
        assert {tuple(cards) for cards in rows[:, : size + 1].tolist()} <= children


@pytest.mark.parametrize("target", TARGETS)
def test_a_list_that_passes_begins_with_lists_that_pass(target: int) -> None:
    for row in sample(16, 20, seed=target).tolist():
        passing = [naive.may_reach(tuple(row[:size]), target) for size in range(3, 13)]
        assert passing == sorted(passing, reverse=True)


def test_counting_is_adding_up_expansions() -> None:
    prefixes = np.unique(sample(20, 20, seed=3)[:, :9], axis=0)
    (source,) = search.pack([prefixes], 9, 10**6)
    counts = search.count(source, 20, 20, pruned=True)
    expected, batches = {}, [source]
    for size in range(10, 21):
        batches = [part for batch in batches for part in search.expand(batch, 20, 10**6, pruned=True)]
        expected[size] = sum(batch.lists for batch in batches)
    assert counts == expected
    unpruned = search.count(source, 20, 20)
    assert counts[20] == unpruned[20] > 0
    assert all(counts[size] <= unpruned[size] for size in counts)
    assert counts[12] < unpruned[12]


@pytest.mark.parametrize("target", TARGETS)
def test_what_is_said_of_samples_is_the_definition(target: int) -> None:
    for size in (4, 8, 11):
        rows = np.array(sorted({tuple(row[:size]) for row in sample(16, 40, seed=size).tolist()}), np.uint8)
        words = [sum(1 << card for card in naive.remaining(tuple(row))) for row in rows.tolist()]
        remaining = np.array([[word & (2**64 - 1), word >> 64] for word in words], np.uint64)
        enough = np.bitwise_count(remaining).sum(axis=1) >= target - size
        mask = pruning.may_reach(rows, remaining, target) & enough
        assert mask.tolist() == [naive.may_reach(tuple(row), target) for row in rows.tolist()]


def test_probing_with_all_lists_is_counting() -> None:
    """With a population as large as the sizes nothing is drawn: the samples are the lists themselves."""
    (*_, last) = probing.samples(20, 4, np.random.default_rng(1), population=10**6, pruned=True)
    assert (len(last.cards), last.weights.sum()) == (76_176, 76_176)
