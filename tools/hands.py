#!/usr/bin/env python3
"""Computes how many hands have each number of sets (setset/distribution/hands.json), or compares with random hands.

`setset hands --recompute` computes the tables of up to 15 cards again. All sizes take five minutes and 3 GB.
`tools/hands.py --simulate 10000000` deals hands of 12 cards in some minutes and writes nothing.
"""

from __future__ import annotations

import argparse
import json
from math import sqrt
from pathlib import Path

import numpy as np
import numpy.typing as npt

from setset.cards import CARDS, third_table
from setset.distribution.counts import LAST, STORED, hands
from setset.distribution.levels import compute_hands

BLOCK = 100_000
"""Number of hands dealt at a time."""
LEAST = 25
"""Minimum expected number of hands per row. Rows with fewer hands are merged, because their standard error says
little."""


def deal_and_count(size: int, deals: int, random: np.random.Generator) -> npt.NDArray[np.int64]:
    """Deals random hands and counts them by their number of sets, without classes and without the tables of `setset
    hands`."""
    first, second = np.triu_indices(size, 1)
    third = third_table().astype(np.int64)
    counts = np.zeros(size * (size - 1) // 6 + 1, np.int64)
    for start in range(0, deals, BLOCK):
        deck = random.random((min(BLOCK, deals - start), CARDS)).argpartition(size, axis=1)[:, :size]
        inside = np.zeros((len(deck), CARDS), np.int8)
        np.put_along_axis(inside, deck, 1, axis=1)
        pairs = np.take_along_axis(inside, third[deck[:, first], deck[:, second]], axis=1).sum(axis=1)
        counts += np.bincount(pairs // 3, minlength=len(counts))  # each set has three pairs
    return counts


def compare(size: int, deals: int, seed: int) -> bool:
    """Prints the numbers of dealt and of expected hands for each number of sets. Returns whether all differ by at most
    five standard errors."""
    counts = deal_and_count(size, deals, np.random.default_rng(seed))
    table = hands(size)
    expected = np.array([deals * float(table.chance(sets)) for sets in range(len(counts))])
    largest = int((expected >= LEAST).nonzero()[0].max())
    rows = [(str(sets), int(counts[sets]), expected[sets]) for sets in range(largest + 1)]
    rows.append((f">{largest}", int(counts[largest + 1 :].sum()), expected[largest + 1 :].sum()))
    print(f"{deals:,} hands of {size} cards, seed {seed}\nsets       dealt        expected   off")
    worst = 0.0
    for sets, observed, mean in rows:
        off = (observed - mean) / sqrt(max(mean * (1 - mean / deals), 1))
        worst = max(worst, abs(off))
        print(f"{sets:>4}{observed:12,}{mean:16,.1f}{off:+6.1f}")
    return worst < 5


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--simulate", type=int, metavar="HANDS", help="Deal this many hands and compare; write nothing."
    )
    parser.add_argument("--size", type=int, default=12, help="Cards of a hand that is dealt.")
    parser.add_argument("--seed", type=int, default=1, help="Random seed.")
    options = parser.parse_args()
    if options.simulate is not None:
        raise SystemExit(0 if compare(options.size, options.simulate, options.seed) else 1)
    lines = [json.dumps(table.counts) for table in compute_hands(LAST)]
    STORED.write_text("[\n" + ",\n".join(lines) + "\n]\n", encoding="utf-8")
    print(f"{STORED.relative_to(Path.cwd())}: {STORED.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
