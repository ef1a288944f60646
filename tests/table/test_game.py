"""The rules of the game."""

from __future__ import annotations

import pytest

from setset.errors import BadInput
from setset.table import Game, call_none, call_set, deal_more, new_game
from setset.table.game import Taken

CAP = (0, 1, 3, 4, 9, 10, 12, 13)  # the cards with all digits 0 or 1 below 27: no set among them


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
    verdict_of_none = call_none(game, 0)
    assert not verdict_of_none.right
    assert verdict_of_none.game.scores == (-1,)


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
