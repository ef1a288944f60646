"""The rules of the game. Games are immutable: each call returns a new game and leaves the old game unchanged.

Twelve cards lie on the table. A player who calls three cards that are a set takes them and gets a point;
a wrong call costs a point. Three cards are dealt into the gaps, unless twelve cards are still on the table or
the deck is empty; then the gaps are closed. If there is no set, three more cards are dealt. The game is over
when the deck is empty and no set is left. With the Junior deck of 27 cards, nine cards lie on the table instead of
twelve; with a deck of 9 cards, six.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

from setset.cards import Cards, Triple, check_cards, deck_cards, is_set
from setset.errors import BadInput
from setset.lazy import Shown
from setset.table.sets import find_sets, why_no_set

TABLE: Final = 12
"""Number of cards on a full table."""
MORE: Final = 3
"""Number of cards in a set. If the table has no set, the same number of cards is dealt."""


@dataclass(frozen=True)
class Taken:
    """A set that a player took, and the number of the player."""

    player: int
    cards: Triple


@dataclass(frozen=True)
class Game(Shown):
    """State of a game. Each card is in the deck, on the table, or in a taken set.

    >>> game = new_game(range(81))
    >>> len(game.deck), game.sets[0], game.over, game.round
    (69, (0, 1, 2), False, 1)
    """

    deck: Cards
    table: Cards
    scores: tuple[int, ...]
    taken: tuple[Taken, ...] = ()
    filled: int = TABLE
    """Number of cards on a full table of this deck."""

    @cached_property
    def sets(self) -> tuple[Triple, ...]:
        """All sets on the table, in the order of `find_sets`."""
        return tuple(find_sets(self.table))

    @property
    def over(self) -> bool:
        """Whether the game is over: the deck is empty, and the table has no set."""
        return not self.deck and not self.sets

    @property
    def round(self) -> int:
        """Number of the current round: 1 plus the number of sets taken so far."""
        return len(self.taken) + 1


@dataclass(frozen=True)
class Verdict:
    """Result of a player's call: the game after the call, whether the call was right, and the reason if it was
    wrong."""

    game: Game
    right: bool
    reason: str = ""


def new_game(deck: Sequence[int], players: int = 1) -> Game:
    """Starts a game: puts the first cards of a shuffled deck on the table, 12 of 81, 9 of 27, or 6 of 9 cards.

    Args:
        deck: all 81 cards, or all cards of a smaller deck; the first card is dealt first.
        players: number of players, at least 1.

    Returns:
        The game before the first call; all scores are 0.

    Raises:
        BadInput: the deck is not the whole deck, or there is no player.

    >>> new_game(range(81), players=2).scores
    (0, 0)
    """
    if players < 1:
        raise BadInput("a game needs at least one player")
    cards = check_cards(deck)
    dimension = next((candidate for candidate in (4, 3, 2) if set(deck_cards(candidate)) == set(cards)), None)
    if dimension is None:
        raise BadInput(f"a game needs all 81 cards, or all of a smaller deck, not {len(cards)}")
    filled = MORE * dimension
    return Game(cards[filled:], cards[:filled], (0,) * players, filled=filled)


def call_set(game: Game, player: int, cards: Sequence[int]) -> Verdict:
    """Judges the call of a player who says that three cards of the table are a set.

    Args:
        game: the current game.
        player: the number of the player, from 0.
        cards: three cards of the table.

    Returns:
        If the cards are a set, the game without them and with one point more for the player. Otherwise the game with
        one point less for the player, and the reason.

    Raises:
        BadInput: there is no such player, or `cards` is not three cards of the table.

    >>> verdict = call_set(new_game(range(81)), 0, (0, 1, 3))
    >>> verdict.right, verdict.reason
    (False, 'shading: solid, solid, striped')
    """
    _check_player(game, player)
    a, b, c = _check_triple(game, cards)
    if not is_set(a, b, c):
        return Verdict(_add_points(game, player, -1), False, why_no_set(a, b, c) or "")
    taken = replace(_add_points(game, player, +1), taken=(*game.taken, Taken(player, (a, b, c))))
    return Verdict(_remove_cards(taken, {a, b, c}), True)


def call_none(game: Game, player: int) -> Verdict:
    """Judges the call of a player who says that the table has no set.

    Args:
        game: the current game.
        player: the number of the player, from 0.

    Returns:
        If there is no set, the game with three more cards. If there is a set, the game with one point less for the
        player.

    Raises:
        BadInput: there is no such player.

    >>> call_none(new_game(range(81)), 0).game.scores
    (-1,)
    """
    _check_player(game, player)
    if game.sets:
        return Verdict(_add_points(game, player, -1), False, "there is a set")
    return Verdict(deal_more(game), True)


def deal_more(game: Game) -> Game:
    """Deals three more cards to a table without a set.

    Args:
        game: the current game.

    Returns:
        The game with three more cards; the same game if the deck is empty.

    Raises:
        BadInput: there is a set on the table.

    >>> deal_more(Game(deck=(2, 5, 8, 11), table=(0, 1, 3), scores=(0,))).table
    (0, 1, 3, 2, 5, 8)
    """
    if game.sets:
        raise BadInput("no more cards while there is a set on the table")
    return replace(game, deck=game.deck[MORE:], table=game.table + game.deck[:MORE])


def _remove_cards(game: Game, removed: set[int]) -> Game:
    """Removes cards from the table. Closes the gaps if the table had more cards than a full table, or the deck is
    empty; otherwise deals new cards into the gaps."""
    if len(game.table) > game.filled or not game.deck:
        return replace(game, table=tuple(card for card in game.table if card not in removed))
    new = iter(game.deck[:MORE])
    table = tuple(next(new) if card in removed else card for card in game.table)
    return replace(game, deck=game.deck[MORE:], table=table)


def _add_points(game: Game, player: int, points: int) -> Game:
    """Returns the game with `points` added to the score of the player."""
    scores = list(game.scores)
    scores[player] += points
    return replace(game, scores=tuple(scores))


def _check_triple(game: Game, cards: Sequence[int]) -> Triple:
    """Returns the cards of a call. Raises BadInput unless they are three different cards of the table."""
    if len(check_cards(cards)) != MORE:
        raise BadInput(f"a set is three different cards, not {len(cards)}")
    for card in cards:
        if card not in game.table:
            raise BadInput(f"card {card} is not on the table")
    a, b, c = cards
    return a, b, c


def _check_player(game: Game, player: int) -> None:
    """Raises BadInput if there is no such player."""
    if not 0 <= player < len(game.scores):
        raise BadInput(f"there is no player {player + 1}; players are 1 to {len(game.scores)}")
