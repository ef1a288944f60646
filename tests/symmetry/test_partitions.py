"""The deck taken apart, against published theorems: M. Follett and others (2014), and *Demicaps* (2021)."""

from __future__ import annotations

import json
from itertools import combinations

import pytest

import setset
from setset.cards import first_set, third
from setset.symmetry import find_partitions
from setset.symmetry.partitions import Partitions
from tests.conftest import Run


@pytest.fixture(scope="module")
def partitions() -> Partitions:
    return find_partitions()


def test_each_partition_is_one(partitions: Partitions) -> None:
    for partition in partitions.partitions:
        all_cards = [*partitions.cards, partitions.anchor, *(card for part in partition for card in part)]
        assert sorted(all_cards) == list(range(81))
        assert all(first_set(part) is None for part in partition)


def test_a_pair_on_a_line_with_the_anchor_is_in_one_cap(partitions: Partitions) -> None:
    for cards in (partitions.cards, *partitions.partners):
        assert {third(partitions.anchor, card) for card in cards} == set(cards)


def test_published_numbers(partitions: Partitions) -> None:
    """36 lists are in exactly one partition with the list; there are two kinds of partitions."""
    times = list(partitions.partners.values())
    assert {number: times.count(number) for number in set(times)} == {1: 36, 2: 90, 6: 72}
    assert partitions.kinds == {1: 36, 2: 180}
    assert sum(times) == 3 * len(partitions.partitions) == 3 * 216
    assert partitions.of_deck == 36_846_576


def test_pairs_of_a_partition_are_both_in_one_or_both_in_two(partitions: Partitions) -> None:
    """The four lists of a partition fall into two pairs that are in equally many partitions, one or two."""
    for kind in partitions.kinds:
        partition = next(
            candidate for candidate in partitions.partitions if kind in map(partitions.partners.get, candidate)
        )
        (partner,) = (second for second in partition if partitions.partners[second] == kind)
        first, second = (part for part in partition if part != partner)
        # Seen from the list that `one` is mapped to.
        assert partitions.partners[setset.classify(first).map.on(second)] == kind


def test_two_kinds_of_partitions(partitions: Partitions) -> None:
    """The stabilizer of a list has two orbits on the partitions through it, so affine maps leave two kinds at most."""
    maps = [generator.table() for generator in setset.stabilizer_of(setset.catalogue_in_memory().get(20, 0)).generators]
    waiting = {frozenset(map(frozenset, parts)) for parts in partitions.partitions}
    sizes = []
    while waiting:
        orbit = [waiting.pop()]
        for partition in orbit:
            images = (frozenset(frozenset(table[list(part)].tolist()) for part in partition) for table in maps)
            new = waiting.intersection(images)
            waiting -= new
            orbit += new
        sizes.append(len(orbit))
    assert sorted(sizes) == list(partitions.kinds.values()) == [36, 180]


def test_the_36_are_unions_of_two_of_12_demicaps(partitions: Partitions) -> None:
    demicaps = partitions.demicaps
    assert len(demicaps) == 12
    unions = {tuple(sorted({*a, *b})) for a, b in combinations(demicaps, 2) if not {*a} & {*b}}
    assert {partner for partner, times in partitions.partners.items() if times == 1} <= unions


def test_any_list_of_20_has_as_many(partitions: Partitions) -> None:
    hand = setset.sample(20, count=1, seed=5)[0]
    result = find_partitions(hand)
    assert (result.kinds, result.anchor in hand) == (partitions.kinds, False)


def test_the_command(run: Run) -> None:
    code, out, _ = run("partitions", "--number", "216")
    assert code == 0
    assert "36,846,576 partitions" in out
    assert sorted("".join(out.splitlines()[-9:]).replace(" ", "")) == sorted(
        "A" * 20 + "B" * 20 + "C" * 20 + "D" * 20 + "*"
    )
    assert json.loads(run("partitions", "--json")[1])["demicaps"] == 12
    for cards, message in ((["0", "1", "3"], "20 cards, not of 3"), (["0", "1", "2"], "hold a set")):
        code, out, err = run("partitions", *cards)
        assert (out, err.count("\n")) == ("", 1)
        assert message in err
        assert code in (1, 2)
