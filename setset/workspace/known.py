"""Known numbers of lists: from the classes of lists, from independent programs, from complete counts."""

# fmt: off
ALL_LISTS = dict(enumerate((
    1_579_500, 22_441_536, 247_615_056, 2_144_076_480, 14_587_567_020, 77_541_824_880, 318_294_370_368,
    991_227_481_920, 2_284_535_476_080, 3_764_369_026_080, 4_217_827_554_720, 2_970_003_246_912,
    1_141_342_138_404, 176_310_866_160, 6_482_268_000, 13_646_880, 682_344,
), 4))
"""Number of all lists of each size, from the classes (`setset classes`). From the target on, a run keeps all lists."""

KEPT_FOR_12 = dict(enumerate((
    58_896, 1_004_589, 13_394_538, 141_370_218, 1_180_345_041, 7_920_450_378, 43_126_538_805,
    193_845_848_301, 719_674_559_343,
), 3))
"""Number of lists kept for target 12, by size. For sizes 10 and 11, only `setset run --size 12 --count-only` has found
the number."""

PRUNED = {
    19: dict(enumerate((
        118_791, 668_250, 3_655_449, 21_040_398, 100_897_974, 206_610_183, 163_098_684, 87_321_564, 28_978_479,
        13_173_030, 10_489_581, 10_917_504, 11_599_848, 12_282_192, 12_964_536,
    ), 4)),
    20: dict(enumerate((
        76_176, 447_633, 1_518_264, 4_724_325, 10_686_897, 9_699_750, 6_783_507, 3_915_459, 2_153_952,
        747_954, 682_344, 682_344, 682_344, 682_344, 682_344, 682_344,
    ), 4)),
}
"""Number of lists that `setset run --prune` keeps in sizes below each target (docs/pruning.md)."""
# fmt: on

CONFIRMED = (12, 15, 18, 20)
"""Sizes whose number of all lists is confirmed by Knuth's SETSET-ALL."""
CONFIRMED_FOR_12 = range(3, 10)
"""Sizes below target 12 that independent programs have counted."""


def reference(target: int, size: int, pruned: bool = False) -> int | None:
    """Number of lists that other programs have counted. None if unknown.

    These programs do not prune, so for a pruned exploration only its seeds and the sizes from the target on are known.
    """
    if size >= target:
        return ALL_LISTS[size] if size in CONFIRMED else None
    is_confirmed = target == 12 and size in CONFIRMED_FOR_12 and (size == 3 or not pruned)
    return KEPT_FOR_12[size] if is_confirmed else None
