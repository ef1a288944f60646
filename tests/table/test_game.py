"""Dealing and the rules of the game."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from setset.errors import BadInput
from setset.table import (
    Game,
    Policy,
    Stream,
    call_none,
    call_set,
    deal,
    deal_more,
    new_game,
    new_seed,
    play_out,
)
from setset.table.game import Taken

SEED = st.integers(0, 2**64 - 1)
CAP = (0, 1, 3, 4, 9, 10, 12, 13)  # the cards with all digits 0 or 1 below 27: no set among them


def test_a_seed_fixes_the_deal_for_ever() -> None:
    """These cards were dealt when the generator was chosen; another deal would break everybody's seeds."""
    assert deal(12, seed=7) == (71, 24, 27, 76, 22, 46, 77, 60, 14, 39, 23, 13)


@given(SEED)
@settings(max_examples=50, deadline=None)
def test_a_shuffle_is_the_whole_deck_and_a_deal_its_beginning(seed: int) -> None:
    deck = Stream(seed).shuffled()
    assert sorted(deck) == list(range(81))
    assert deal(81, seed) == deck
    assert deal(15, seed) == deck[:15]


def test_shuffles_are_even() -> None:
    """Each card is as often in front as any other: chi-squared with 80 degrees of freedom, fixed seed."""
    games = 8100
    first = Counter(Stream(1, game).shuffled()[0] for game in range(games))
    expected = games / 81
    assert sum((first[card] - expected) ** 2 / expected for card in range(81)) < 124.8  # 99.9 %


def test_without_a_seed_deals_differ() -> None:
    assert len({deal(12) for _ in range(5)}) == 5
    assert 0 <= new_seed() < 10**9


@pytest.mark.parametrize("count", [-1, 82])
def test_more_cards_than_the_deck_has_are_refused(count: int) -> None:
    with pytest.raises(BadInput):
        deal(count, seed=1)


@pytest.mark.parametrize("seed", [-1, 2**64])
def test_a_seed_outside_64_bits_is_refused(seed: int) -> None:
    with pytest.raises(BadInput):
        deal(12, seed=seed)


def test_a_set_is_taken_and_its_places_are_filled() -> None:
    game = new_game(range(81), players=2)
    verdict = call_set(game, 1, (0, 1, 2))
    assert verdict.right
    assert verdict.game.table == (12, 13, 14, *range(3, 12))
    assert verdict.game.deck == tuple(range(15, 81))
    assert verdict.game.scores == (0, 1)
    assert verdict.game.taken == (Taken(1, (0, 1, 2)),)
    assert (game.round, verdict.game.round) == (1, 2)
    assert game.table == tuple(range(12)), "the old game stays as it was"


def test_a_wrong_call_costs_a_point_and_moves_no_card() -> None:
    game = new_game(range(81))
    verdict = call_set(game, 0, (0, 1, 3))
    assert not verdict.right
    assert verdict.reason == "shading: solid, solid, striped"
    assert verdict.game == Game(game.deck, game.table, (-1,))
    wrong = call_none(game, 0)
    assert not wrong.right
    assert wrong.game.scores == (-1,)


def test_more_than_twelve_cards_are_not_replaced() -> None:
    game = Game(tuple(range(40, 80)), (*range(12), 30, 31, 32), (0,))
    after = call_set(game, 0, (0, 1, 2)).game
    assert after.table == (*range(3, 12), 30, 31, 32)
    assert after.deck == game.deck


def test_three_more_cards_come_only_without_a_set() -> None:
    game = Game((2, 5, 8, 11), CAP, (0,))
    assert call_none(game, 0).game == Game((11,), (*CAP, 2, 5, 8), (0,))
    with pytest.raises(BadInput):
        deal_more(new_game(range(81)))


def test_the_game_is_over_without_deck_and_set() -> None:
    assert Game((), CAP, (0,)).over
    assert not Game((2,), CAP, (0,)).over
    assert not Game((), (*CAP, 2), (0,)).over


@pytest.mark.parametrize("cards", [(0, 1), (0, 1, 2, 3), (0, 0, 1), (0, 1, 50), (0, 1, 99)])
def test_calls_that_are_no_calls_are_refused_and_cost_nothing(cards: tuple[int, ...]) -> None:
    with pytest.raises(BadInput):
        call_set(new_game(range(81)), 0, cards)


def test_unknown_players_and_decks_are_refused() -> None:
    for player in (-1, 1):
        with pytest.raises(BadInput):
            call_set(new_game(range(81)), player, (0, 1, 2))
        with pytest.raises(BadInput):
            call_none(new_game(range(81)), player)
    with pytest.raises(BadInput):
        new_game(range(80))
    with pytest.raises(BadInput):
        new_game(range(81), players=0)


@given(SEED, st.sampled_from(Policy))
@settings(max_examples=30, deadline=None)
def test_a_game_keeps_the_rules_to_its_end(seed: int, policy: Policy) -> None:
    """No card is lost or doubled, cards come in threes, the last table is the first with nothing to do."""
    steps = list(play_out(seed, policy))
    for step in steps:
        game = step.before
        spent = [card for taken in game.taken for card in taken.cards]
        assert sorted([*game.deck, *game.table, *spent]) == list(range(81))
        assert (step.took is None) == (not game.sets)
        assert step.took is None or step.took in game.sets
        assert len(game.table) >= 12 or not game.deck
        assert game.scores == (len(game.taken),)
    assert [step.before.over for step in steps] == [False] * (len(steps) - 1) + [True]
    assert steps[-1].after == steps[-1].before
    assert len(steps[-1].after.table) % 3 == 0
