"""How many lists of each size are to be expected: exact where somebody knows, probed elsewhere."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass

from setset.workspace.counts import REFERENCE_BY_TARGET

COUNTED = {(12, 10): 193_845_848_301, (12, 11): 719_674_559_343}
"""By `setset run --size 12 --count-only`, which counts the sizes on its way too."""

COUNTED_PRUNED = {
    19: (
        *(
            118_791,
            668_250,
            3_655_449,
            21_040_398,
            100_897_974,
            206_610_183,
            163_098_684,
            87_321_564,
            28_978_479,
        ),
        *(13_173_030, 10_489_581, 10_917_504, 11_599_848, 12_282_192, 12_964_536),
    ),
    20: (
        *(76_176, 447_633, 1_518_264, 4_724_325, 10_686_897, 9_699_750, 6_783_507, 3_915_459, 2_153_952),
        *(747_954, 682_344, 682_344, 682_344, 682_344, 682_344, 682_344),
    ),
}
"""For a target the lists of 4 cards, of 5 and so on, by `setset run --prune` (docs/pruning.md)."""

ALL_LISTS = {
    4: 1_579_500,
    5: 22_441_536,
    6: 247_615_056,
    7: 2_144_076_480,
    8: 14_587_567_020,
    9: 77_541_824_880,
    10: 318_294_370_368,
    11: 991_227_481_920,
    12: 2_284_535_476_080,
    13: 3_764_369_026_080,
    14: 4_217_827_554_720,
    15: 2_970_003_246_912,
    16: 1_141_342_138_404,
    17: 176_310_866_160,
    18: 6_482_268_000,
    19: 13_646_880,
    20: 682_344,
}
"""All lists of a size, by their classes (`setset classes`): what is kept from the target on."""


class CountOrigin(enum.StrEnum):
    """Where a number of lists comes from."""

    HERE = "this workspace"
    """Stored or counted completely."""
    KNOWN = "known"
    """From the classes of lists, or counted before by others."""
    PROBED = "probed"
    """Estimated by random probing, with a standard error."""
    AT_MOST = "at most"
    """Probing found too little: the number of all lists of the size, kept or not."""


@dataclass(frozen=True)
class ExpectedCount:
    """How many lists of a size there will be, and the standard error of that; 0 if it is exact."""

    lists: int
    error: int
    origin: CountOrigin


@dataclass(frozen=True)
class Probing:
    """How to probe for what nobody knows: by at least ten batches of probes, until the time is over."""

    seconds: float = 10.0
    seed: int | None = None
    population: int = 500


BRIEF = Probing(seconds=0.0, seed=1, population=100)
"""Some percent of error, in a fraction of a second."""

LARGEST_ERROR = 0.5
"""A standard error of more than this share says only that probing found too little."""


def expect_counts(
    target: int, size: int, here: Mapping[int, int], probing: Probing, pruned: bool = False
) -> dict[int, ExpectedCount]:
    """How many lists of each size from 3 to `size` are kept for a target; `here` is what the workspace knows."""
    from setset.engine.probing import count_seeds, probe_counts

    found = {}
    for each in range(4, size + 1):
        known = ALL_LISTS[each] if each >= target else _known_below(target, each, pruned)
        if known is not None:
            found[each] = ExpectedCount(known, 0, CountOrigin.KNOWN)
    found[3] = ExpectedCount(count_seeds(target), 0, CountOrigin.KNOWN)
    for each, lists in here.items():
        found[each] = ExpectedCount(lists, 0, CountOrigin.HERE)
    unknown = [each for each in range(4, size + 1) if each not in found]
    if unknown:
        probed = probe_counts(
            target,
            max(unknown),
            seconds=probing.seconds,
            seed=probing.seed,
            population=probing.population,
            pruned=pruned,
        )
        for each in unknown:
            mean, error, most = probed[each].lists, probed[each].error, ALL_LISTS[each]
            if error > LARGEST_ERROR * mean or mean <= 0:
                found[each] = ExpectedCount(most, 0, CountOrigin.AT_MOST)
            else:
                found[each] = ExpectedCount(min(round(mean), most), round(error), CountOrigin.PROBED)
    return {each: found[each] for each in range(3, size + 1)}


def _known_below(target: int, size: int, pruned: bool) -> int | None:
    if pruned:
        return dict(enumerate(COUNTED_PRUNED.get(target, ()), 4)).get(size)
    return REFERENCE_BY_TARGET.get((target, size)) or COUNTED.get((target, size))
