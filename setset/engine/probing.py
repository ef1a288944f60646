"""Estimated number of kept lists of each size, by random probing of the tree of the search.

**The tree.** The children of a list are the lists with one of its remaining cards added. For a target T only
children of n cards with at least T - n remaining cards are kept. If a list is kept, its parent is kept too.

**The invariant.** A *sample* of a size is some lists of that size, each with a weight. For any property of lists, the
weights of the sampled lists with the property add up, on average over all samples, to the number of all such lists.

- All kept children of a sample, each with the weight of its parent, are a sample of the next size, because a
  list has one parent.
- Thinning keeps the invariant: each list stays with a chance of its own, and its weight is divided by this chance.

So the sum of the weights is, at every size, an unbiased estimate of the number of lists. Knuth (1975) probes with
samples of one list. Here a sample has hundreds of lists, thinned by strata as Chen (1992) proposed: lists with many
remaining cards, which are the ancestors of most larger lists, stay with a higher chance. The lists are drawn by
systematic sampling, sorted by their number of remaining cards. A *batch* of probes is one series of samples, from size
3 on. Batches are independent of each other, so the spread between them gives the error of their mean.

Nothing here is compiled, because the estimate that `setset run` prints before it starts must not wait for a compiler.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt

from setset.cards import CARDS, third_table
from setset.engine.pruning import may_reach

POPULATION = 500
"""Maximum number of lists of a sample that are expanded to the next size. More lists make a batch of probes slower and
more precise."""
FEWEST_BATCHES = 10
"""Minimum number of batches of probes. The spread between fewer batches would give no reliable error."""
EXPONENT = 1.5
"""A list stays in a sample with a chance proportional to its weight times (remaining cards - needed cards + 1) to the
power of this exponent. Values from 1 to 2 work about equally well."""

U64 = npt.NDArray[np.uint64]
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Sample:
    """Some of the lists of a size, in no particular order, each with its weight."""

    cards: npt.NDArray[np.uint8]
    """The lists, one per row."""
    remaining: U64
    """Bitmask of the remaining cards of each list, two words per list."""
    weights: Floats

    @property
    def size(self) -> int:
        return int(self.cards.shape[1])

    @property
    def remaining_counts(self) -> npt.NDArray[np.int64]:
        counts: npt.NDArray[np.int64] = np.bitwise_count(self.remaining).sum(axis=1, dtype=np.int64)
        return counts

    def take(self, selection: npt.NDArray[np.intp] | npt.NDArray[np.bool_]) -> Sample:
        return Sample(self.cards[selection], self.remaining[selection], self.weights[selection])


@dataclass(frozen=True)
class ProbedCount:
    """An estimated number of lists and its standard error."""

    lists: float
    error: float


def probe_counts(
    target: int,
    upto: int,
    *,
    seconds: float = 10.0,
    seed: int | None = None,
    batches: int | None = None,
    population: int = POPULATION,
    pruned: bool = False,
) -> dict[int, ProbedCount]:
    """Estimates the number of kept lists of each size from 3 to `upto`, by random probes until the time limit.

    Args:
        target: 4 to 20.
        upto: 3 to 20.
        seconds: Time limit. At least `FEWEST_BATCHES` batches of probes are made, even if they take longer.
        seed: Random seed. The same seed makes the same batches, but without `batches` their number depends on the time.
        batches: Number of batches of probes, at least 2. If given, there is no time limit.
        population: Maximum number of lists of each sample that are expanded to the next size.
        pruned: Whether to drop lists that cannot reach the target, by the rule of `pruning`.
    """
    root = np.random.SeedSequence(seed)
    ends = time.monotonic() + seconds
    rows: list[list[float]] = []
    while len(rows) < (batches or FEWEST_BATCHES) or (batches is None and time.monotonic() < ends):
        (child,) = root.spawn(1)
        batch = samples(target, upto, np.random.default_rng(child), population, pruned)
        rows.append([float(sample.weights.sum()) for sample in batch])
    table = np.array(rows)
    table[:, 0] = count_seeds(target)
    errors = table.std(axis=0, ddof=1) / np.sqrt(len(table))
    return {
        size: ProbedCount(float(mean), float(error))
        for size, mean, error in zip(range(3, upto + 1), table.mean(axis=0), errors, strict=True)
    }


def draw_lists(target: int, size: int, wanted: int, rng: np.random.Generator) -> npt.NDArray[np.uint8]:
    """Draws about `wanted` different kept lists of a size, each with about the same chance, and sorts them."""
    *_, last = samples(target, size, rng, max(POPULATION, wanted))
    rows = _draw(*_with_chances(last, last.weights, wanted), rng).cards
    return rows[np.lexsort(rows.T[::-1])]


def samples(
    target: int, upto: int, rng: np.random.Generator, population: int = POPULATION, pruned: bool = False
) -> Iterator[Sample]:
    """Yields one sample of the kept lists per size, from 3 to `upto` cards. Leaves out lists of 3 cards with fewer than
    target - 3 remaining cards.

    Expands at most `population` lists of each sample to the next size. If no size has more lists, each sample has all
    lists of its size.
    """
    current = _seeds(target)
    yield current
    for size in range(4, upto + 1):
        ahead = _ordered_seeds(target, population) if size == 4 else _order(current, target, population)
        current = _children(_draw(*ahead, rng))
        current = current.take(current.remaining_counts >= target - size)
        if pruned and size < target:
            current = current.take(may_reach(current.cards, current.remaining, target))
        yield current


@cache
def _ordered_seeds(target: int, population: int) -> tuple[Sample, Floats]:
    """Calls `_order` for all seeds (lists of 3 cards). Cached, because every batch of probes starts with them."""
    return _order(_seeds(target), target, population)


def _order(sample: Sample, target: int, wanted: int) -> tuple[Sample, Floats]:
    """Returns the lists of a sample that may have kept children, fewest remaining cards first, and for each list the
    chance to be expanded. The chance is higher if more cards remain."""
    spare = sample.remaining_counts - max(target - sample.size, 1) + 1.0
    return _with_chances(sample, sample.weights * spare**EXPONENT, wanted)


def _with_chances(sample: Sample, priorities: Floats, wanted: int) -> tuple[Sample, Floats]:
    """Returns the lists with a priority above 0, fewest remaining cards first, and for each list the chance to stay in
    the sample. The chance is higher if the priority is higher."""
    able = np.flatnonzero(priorities > 0)
    able = able[np.argsort(sample.remaining_counts[able], kind="stable")]
    return sample.take(able), _chances(priorities[able], wanted)


def _draw(sample: Sample, chances: Floats, rng: np.random.Generator) -> Sample:
    """Thins a sample by systematic sampling: each list stays with its chance, and its weight is divided by the
    chance."""
    if (chances == 1).all():
        return sample
    ends = np.floor(np.cumsum(chances) + rng.random())
    stays = np.diff(ends, prepend=0.0) > 0
    return Sample(sample.cards[stays], sample.remaining[stays], sample.weights[stays] / chances[stays])


def _chances(priorities: Floats, wanted: int) -> Floats:
    """Chances that add up to `wanted`: proportional to the priorities, but at most 1. If there are at most `wanted`
    priorities, all chances are 1."""
    if len(priorities) <= wanted:
        return np.ones(len(priorities))
    certain = np.zeros(len(priorities), bool)
    while True:
        unit = priorities[~certain].sum() / (wanted - certain.sum())
        more = priorities >= unit
        if more.sum() == certain.sum():
            chances: Floats = np.minimum(priorities / unit, 1.0)
            return chances
        certain = more


def _children(sample: Sample) -> Sample:
    """All children of the lists of a sample, each with the weight of its parent."""
    above, but_third = _tables()
    octets = sample.remaining.astype("<u8", copy=False).view(np.uint8)
    bits = np.unpackbits(octets, axis=1, bitorder="little", count=CARDS)
    parents, cards = np.nonzero(bits)
    remaining = sample.remaining[parents] & above[cards]
    for column in range(sample.size):
        remaining &= but_third[sample.cards[parents, column], cards]
    grown = np.column_stack([sample.cards[parents], cards.astype(np.uint8)])
    return Sample(grown, remaining, sample.weights[parents])


@cache
def _tables() -> tuple[U64, U64]:
    """Makes two tables of bitmasks: for each card, all cards above it; for each two cards, all cards except the third
    card of their set."""
    above = [_words(range(card + 1, CARDS)) for card in range(CARDS)]
    everything = range(CARDS)
    but = [_words(kept for kept in everything if kept != card) for card in everything]
    but_third = np.array(but, np.uint64)[third_table()]
    but_third[np.arange(CARDS), np.arange(CARDS)] = _words(everything)
    return np.array(above, np.uint64), but_third


def _words(cards: Iterator[int] | range) -> tuple[int, int]:
    bits = sum(1 << card for card in cards)
    return bits & (2**64 - 1), bits >> 64


@cache
def _triples() -> Sample:
    """All lists of 3 cards."""
    sample = Sample(np.zeros((1, 0), np.uint8), np.array([_words(range(CARDS))], np.uint64), np.ones(1))
    for _ in range(3):
        sample = _children(sample)
    return sample


@cache
def _seeds(target: int) -> Sample:
    """The seeds (lists of 3 cards) with at least target - 3 remaining cards. Other seeds have no kept children."""
    triples = _triples()
    return triples.take(triples.remaining_counts >= target - 3)


def count_seeds(target: int) -> int:
    """Number of seeds of an exploration: the 3-lists that `engine.search.seeds` returns."""
    return int((_triples().cards[:, 2] < CARDS - (target - 3)).sum())
