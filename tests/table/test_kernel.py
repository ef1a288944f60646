"""The compiled games against their slow twin."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from setset.table import Policy, play_out
from setset.table.estimates import TO_THE_END
from setset.table.simulation import play_portion
from tests.table import naive


@given(st.integers(0, 2**64 - 1), st.integers(0, 10**12), st.sampled_from(Policy))
@settings(max_examples=25, deadline=None)
def test_the_kernel_agrees_with_its_slow_twin(seed: int, first: int, policy: Policy) -> None:
    """The same sums, game by game: shuffles, hands, tables, rounds and ends."""
    _, sums = play_portion(seed, policy, first, 3)
    for compiled, slow in zip(sums, naive.sums(seed, first, 3, policy is Policy.RANDOM), strict=True):
        np.testing.assert_array_equal(compiled, slow)


def test_the_kernel_plays_the_games_that_play_shows() -> None:
    for game in range(20):
        _, (tables, _, _, ends, _) = play_portion(5, Policy.RANDOM, game, 1)
        steps = list(play_out(5, Policy.RANDOM, game))
        assert tables[TO_THE_END, :, 0].sum() == len(steps)
        assert tables[TO_THE_END, :, 2].sum() == sum(len(step.before.sets) for step in steps)
        assert ends[len(steps[-1].after.table)] == 1
