"""The game by its rules, as values: each call gives a new game and leaves the old one as it was.

Twelve cards lie on the table. A player who calls three cards that are a set takes them and gets a point;
a wrong call costs a point. Three cards are dealt into the gaps, unless the table still has twelve or the
deck is empty; then the others close up. If there is no set, three more cards are dealt. The game is over
when the deck is empty and no set is left.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

from setset.cards import CARDS, check_cards, is_set
from setset.errors import BadInput
from setset.table.sets import Triple, find_sets, why_no_set

TABLE: Final = 12
"""The number of cards that a table is filled up to."""
MORE: Final = 3
"""The number of cards that are dealt when there is no set, and that a set takes away."""


@dataclass(frozen=True)
class Taken:
    """A set that somebody took."""

    player: int
    cards: Triple


@dataclass(frozen=True)
class Game:
    """One moment of a game. All cards are in exactly one of deck, table and taken."""

    deck: tuple[int, ...]
    table: tuple[int, ...]
    scores: tuple[int, ...]
    taken: tuple[Taken, ...] = ()

    @cached_property
    def sets(self) -> tuple[Triple, ...]:
        """Every set on the table, in the order of `find_sets`."""
        return tuple(find_sets(self.table))

    @property
    def over(self) -> bool:
        return not self.deck and not self.sets

    @property
    def round(self) -> int:
        """1 for the first table; one more for each set that was taken."""
        return len(self.taken) + 1


@dataclass(frozen=True)
class Verdict:
    """What came of a call: the game after it, whether it was right, and a reason if it was not."""

    game: Game
    right: bool
    reason: str = ""


def new_game(deck: Sequence[int], players: int = 1) -> Game:
    """The first twelve cards of a whole shuffled deck on the table."""
    if players < 1:
        raise BadInput("a game needs at least one player")
    cards = check_cards(deck)
    if len(cards) != CARDS:
        raise BadInput(f"a game needs all {CARDS} cards, not {len(cards)}")
    return Game(cards[TABLE:], cards[:TABLE], (0,) * players)


def call_set(game: Game, player: int, cards: Sequence[int]) -> Verdict:
    """The player points at three cards of the table and says that they are a set."""
    _check_player(game, player)
    a, b, c = _check_triple(game, cards)
    if not is_set(a, b, c):
        return Verdict(_add_points(game, player, -1), False, why_no_set(a, b, c) or "")
    taken = replace(_add_points(game, player, +1), taken=(*game.taken, Taken(player, (a, b, c))))
    return Verdict(_remove_cards(taken, {a, b, c}), True)


def call_none(game: Game, player: int) -> Verdict:
    """The player says that the table holds no set: if so three more cards come, else it costs a point."""
    _check_player(game, player)
    if game.sets:
        return Verdict(_add_points(game, player, -1), False, "there is a set")
    return Verdict(deal_more(game), True)


def deal_more(game: Game) -> Game:
    """Three more cards for a table without a set; the same game if the deck is empty."""
    if game.sets:
        raise BadInput("no more cards while there is a set on the table")
    return replace(game, deck=game.deck[MORE:], table=game.table + game.deck[:MORE])


def _remove_cards(game: Game, gone: set[int]) -> Game:
    """Deals into the gaps if fewer than twelve cards would be left and there are cards; else closes them."""
    if len(game.table) > TABLE or not game.deck:
        return replace(game, table=tuple(card for card in game.table if card not in gone))
    new = iter(game.deck[:MORE])
    table = tuple(next(new) if card in gone else card for card in game.table)
    return replace(game, deck=game.deck[MORE:], table=table)


def _add_points(game: Game, player: int, points: int) -> Game:
    scores = list(game.scores)
    scores[player] += points
    return replace(game, scores=tuple(scores))


def _check_triple(game: Game, cards: Sequence[int]) -> Triple:
    if len(check_cards(cards)) != MORE:
        raise BadInput(f"a set is three different cards, not {len(cards)}")
    for card in cards:
        if card not in game.table:
            raise BadInput(f"card {card} is not on the table")
    a, b, c = cards
    return a, b, c


def _check_player(game: Game, player: int) -> None:
    if not 0 <= player < len(game.scores):
        raise BadInput(f"there is no player {player + 1}; players are 1 to {len(game.scores)}")
