"""Random probing: exact when it takes everything, without bias when it does not, with honest errors."""

from __future__ import annotations

import numpy as np
import pytest

from setset.engine import search
from setset.engine.probing import draw_lists, probe_counts, samples
from tests.engine import naive

KNOWN = {
    11: {4: 1_071_711, 5: 14_561_343, 6: 155_071_719},
    12: {
        4: 1_004_589,
        5: 13_394_538,
        6: 141_370_218,
        7: 1_180_345_041,
        8: 7_920_450_378,
        9: 43_126_538_805,
        10: 193_845_848_301,
        11: 719_674_559_343,
        12: 2_284_535_476_080,
    },
    13: {4: 935_010, 5: 12_217_230, 6: 125_783_118},
    16: {4: 771_741, 5: 9_396_567, 6: 88_637_490},
}
"""Lists that are kept, by target and size: `search.count` of the seeds, and for 12 what is published."""


@pytest.mark.parametrize("target", [11, 13, 16])
def test_what_is_known_is_what_the_search_keeps(target: int) -> None:
    (seeds,) = search.pack([search.seeds(target)], 3, 100_000)
    assert search.count(seeds, target, 6) == KNOWN[target]


@pytest.mark.parametrize("target", [4, 20])
def test_a_sample_of_everything_is_what_the_naive_search_keeps(target: int) -> None:
    """Below a few seeds: their children by the naive twin, in any order."""
    three, four = samples(target, 4, np.random.default_rng(1), population=10**6)
    assert (three.weights == 1).all()
    assert (four.weights == 1).all()
    first = sorted(map(tuple, three.cards.tolist()))[:100]
    selected = four.cards[(four.cards[:, :3].astype(int) @ [10_000, 100, 1]) <= np.dot(first[-1], [10_000, 100, 1])]
    children = sorted(map(tuple, selected.tolist()))
    assert children == list(naive.expand(first, target))
    for cards, count in zip(four.cards[:50].tolist(), four.remaining_counts[:50], strict=True):
        assert len(naive.remaining(tuple(cards))) == count


def test_nineteen_of_twenty_intervals_hold_the_truth() -> None:
    """Over targets, sizes and seeds. The sizes of one seed depend on each other, so that the share varies."""
    hits = []
    for target, known in KNOWN.items():
        for seed in range(10):
            counts = probe_counts(target, max(known), seed=seed, batches=20, population=60)
            hits += [abs(counts[size].lists - lists) <= 2 * counts[size].error for size, lists in known.items()]
    assert len(hits) == 10 * 18
    assert 0.91 <= np.mean(hits) <= 0.99


def test_there_is_no_bias() -> None:
    """The mean of many estimates is nearer to the truth than any of them need be."""
    counts = probe_counts(12, 12, seed=1, batches=120, population=50)
    for size, lists in KNOWN[12].items():
        assert abs(counts[size].lists - lists) < 3.5 * counts[size].error
        assert counts[size].error < 0.03 * lists


def test_the_largest_target_is_no_harder() -> None:
    """A tenth of what ten seconds give, and still within 5 % at every size up to 12."""
    counts = probe_counts(20, 12, seed=1, batches=12)
    assert all(count.error < 0.05 * count.lists for count in counts.values())
    assert (counts[3].lists, counts[3].error) == (len(search.seeds(20)), 0)


def test_a_seed_gives_the_same_probes() -> None:
    assert probe_counts(14, 7, seed=5, batches=3) == probe_counts(14, 7, seed=5, batches=3)
    assert probe_counts(14, 7, seed=5, batches=3) != probe_counts(14, 7, seed=6, batches=3)


def test_drawn_lists_are_lists_that_are_kept_in_order() -> None:
    rows = draw_lists(14, 6, 200, np.random.default_rng(3))
    lists = [tuple(cards) for cards in rows.tolist()]
    assert 190 <= len(lists) <= 210
    assert lists == sorted(set(lists))
    assert not any(naive.has_set(cards) for cards in lists)
    assert all(len(naive.remaining(cards)) >= 8 for cards in lists)
