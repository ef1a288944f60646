"""Expected number of lists of each size: exact where it is known, estimated by random probing elsewhere."""

import enum
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from setset.jobs.options import RunOptions
from setset.workspace.known import ALL_LISTS, KEPT_FOR_12, PRUNED

LARGEST_ERROR = 0.5
"""Maximum relative standard error of a probed number. If the error is larger, probing found too few lists."""


class CountOrigin(enum.StrEnum):
    """Origin of a number of lists."""

    HERE = "this workspace"
    """Number of lists that this workspace stores, or has counted completely."""
    KNOWN = "known"
    """Exact number that setset knows without a workspace."""
    PROBED = "probed"
    """Estimated by random probing, with a standard error."""
    AT_MOST = "at most"
    """Upper limit, since probing found too few lists: the number of all lists of the size, kept or not."""


class ExpectedCount(NamedTuple):
    """Expected number of lists of a size, and its standard error. An exact number or an upper limit has the error 0."""

    lists: int
    error: int
    origin: CountOrigin


@dataclass(frozen=True)
class Probing:
    """Options of an estimate that are not options of its run."""

    seconds: float = 4.0
    """Time limit of probing. At least ten rounds of probes are made, even if they take longer."""
    seed: int | None = None
    population: int = 500
    measured: bool = True
    """Measure speeds that the workspace has not recorded. If False, use typical speeds."""


BRIEF = Probing(seconds=0.0, seed=1, population=100, measured=False)
"""Options of a brief estimate: a fraction of a second of probing, errors of some percent, typical speeds."""


def expect_counts(options: RunOptions, counted: Mapping[int, int], probing: Probing) -> dict[int, ExpectedCount]:
    """Expected number of lists of each size from 3 to `options.size`. `counted` has the workspace's complete counts."""
    from setset.engine.probing import count_seeds, probe_counts

    target, pruned = options.target, options.pruned
    expected: dict[int, ExpectedCount] = {}
    for size in range(options.size, 2, -1):
        if size in counted:
            expected[size] = ExpectedCount(counted[size], 0, CountOrigin.HERE)
        elif lists := count_seeds(target) if size == 3 else _known_count(target, size, pruned):
            expected[size] = ExpectedCount(lists, 0, CountOrigin.KNOWN)
    unknown = [size for size in range(4, options.size + 1) if size not in expected]
    if unknown:
        seconds, seed, lists = probing.seconds, probing.seed, probing.population
        probed = probe_counts(target, max(unknown), seconds=seconds, seed=seed, population=lists, pruned=pruned)
    for size in unknown:
        mean, error, most = probed[size].lists, probed[size].error, ALL_LISTS[size]
        if error > LARGEST_ERROR * mean or mean <= 0:
            expected[size] = ExpectedCount(most, 0, CountOrigin.AT_MOST)
        else:
            expected[size] = ExpectedCount(min(round(mean), most), round(error), CountOrigin.PROBED)
    return dict(sorted(expected.items()))


def _known_count(target: int, size: int, pruned: bool = False) -> int | None:
    """Number of lists of a size (4 or more) that an exploration keeps. None if the number is not known."""
    if size >= target:
        return ALL_LISTS[size]
    if pruned:
        return PRUNED.get(target, {}).get(size)
    return KEPT_FOR_12.get(size) if target == 12 else None
