"""A game that plays itself keeps the rules."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from setset.table import Policy, play_out

SEED = st.integers(0, 2**64 - 1)


@given(SEED, st.sampled_from(Policy))
@settings(max_examples=30, deadline=None)
def test_a_game_keeps_the_rules_to_its_end(seed: int, policy: Policy) -> None:
    """No card is lost or doubled, cards come in threes, the last table is the first with nothing to do."""
    steps = list(play_out(seed, policy))
    for step in steps:
        game = step.before
        spent = [card for triple in game.taken for card in triple.cards]
        assert sorted([*game.deck, *game.table, *spent]) == list(range(81))
        assert (step.took is None) == (not game.sets)
        assert step.took is None or step.took in game.sets
        assert len(game.table) >= 12 or not game.deck
        assert game.scores == (len(game.taken),)
    assert [step.before.over for step in steps] == [False] * (len(steps) - 1) + [True]
    assert steps[-1].after == steps[-1].before
    assert len(steps[-1].after.table) % 3 == 0
