"""The error for a size that is neither stored nor counted: commands that give its lists, and what counting takes."""

from setset.cards import LARGEST
from setset.database.explorations import ExplorationKey
from setset.errors import BadInput

LARGEST_BY_STEPS = 9
"""Largest size that is usually stored size by size."""
COUNT_MINUTES = {12: 11, 15: 126, 16: 168, 17: 144, 18: 78, 19: 60, 20: 35}
"""Minutes of one core to count all lists of a size, by `tools/bench_deep.py`; of 19 and 20 by `setset estimate`."""


def missing_size(exploration: ExplorationKey, size: int) -> BadInput:
    """The error for a size that is neither stored nor counted."""
    if not 3 <= size <= LARGEST:
        return BadInput(f"there is no size {size}: expected 3 to {LARGEST}")
    command = f"setset run --size {size} {exploration.options}"
    if size <= LARGEST_BY_STEPS or exploration.pruned:
        advice = f"run '{command}' first"
    else:
        minutes = COUNT_MINUTES.get(size)
        cost = f"about {minutes} min of one core" if minutes else f"'setset estimate --size {size} --count {size}'"
        advice = f"'{command} --count {size}' counts it ({cost}), and then its lists can be read"
    known = (
        f"'setset lists --size {size} --from-classes', 'setset sample --size {size}', 'setset classes --size {size}'"
    )
    more = f"'setset unrank --size {size} 0', 'setset members --class {size}/0'"
    return BadInput(
        f"size {size} is not stored for target {exploration.target}: {advice}; without a run: {known}, {more}"
    )
