"""A game that plays itself, step by step."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from setset.cards import Triple
from setset.table.deck import Stream
from setset.table.game import Game, call_set, deal_more, new_game


class Policy(StrEnum):
    """The set that the player takes if there are several. It changes the odds: see `docs/table.md`.

    >>> Policy("first")
    <Policy.FIRST: 'first'>
    """

    RANDOM = "random"
    """Any of them, each with the same chance: the way people find sets."""
    FIRST = "first"
    """The first in the order of places on the table: the way simple programs find sets."""


@dataclass(frozen=True)
class Step:
    """A table, the set that was taken (None: there was none, so more cards or the end), and the game after that."""

    before: Game
    took: Triple | None
    after: Game


def play_out(seed: int, policy: Policy = Policy.RANDOM, game: int = 0) -> Iterator[Step]:
    """The steps of one game to its end.

    Args:
        seed: 0 to 2**64 - 1; shuffles the deck, and chooses sets if the policy is random.
        policy: which set is taken if there are several.
        game: the number of the game: these are the steps of game `game` of `simulate` with the same seed.

    Returns:
        An iterator over the steps; the last one is the table at which the game is over.

    Raises:
        BadInput: the seed is out of range.

    >>> steps = list(play_out(seed=7))
    >>> steps[0].took
    (71, 27, 22)
    >>> len(steps[-1].before.taken), len(steps[-1].before.table)
    (24, 9)
    """
    stream = Stream(seed, game)
    now = new_game(stream.shuffled())
    while True:
        if now.sets:
            took = now.sets[stream.below(len(now.sets)) if policy is Policy.RANDOM else 0]
            after = call_set(now, 0, took).game
        else:
            took, after = None, deal_more(now)
        yield Step(now, took, after)
        if now.over:
            return
        now = after
