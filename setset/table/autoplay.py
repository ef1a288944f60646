"""Plays a whole game with one player, step by step."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import NoReturn

from setset.cards import Triple
from setset.errors import BadInput
from setset.table.deck import Stream
from setset.table.game import Game, call_set, deal_more, new_game


class Policy(StrEnum):
    """Choice of the player if the table has several sets. The choice changes the odds: see `docs/table.md`.

    >>> Policy("first")
    <Policy.FIRST: 'first'>
    """

    RANDOM = "random"
    """Takes each set with the same chance, as people do."""
    FIRST = "first"
    """Takes the first set in the order of positions on the table, as simple programs do."""

    @classmethod
    def _missing_(cls, value: object) -> NoReturn:
        raise BadInput(f"policy {value!r}: expected {' or '.join(cls)}")


@dataclass(frozen=True)
class Step:
    """One step of a game: the game before, the set that the player took (None if the table had no set), the game
    after."""

    before: Game
    took: Triple | None
    after: Game


def play_out(seed: int, policy: Policy = Policy.RANDOM, game: int = 0, dimension: int = 4) -> Iterator[Step]:
    """Plays one game to its end and yields each `Step`.

    Args:
        seed: 0 to 2**64 - 1; shuffles the deck, and chooses sets if the policy is random.
        policy: choice among several sets.
        game: the number of the game. `simulate` with the same seed and policy plays the same game under this number.
        dimension: the number of features: 4, or 3 for the Junior deck of 27 cards, or 2 for a deck of 9.

    Returns:
        An iterator over the steps; the last step is the table at which the game is over.

    Raises:
        BadInput: the seed is out of range, or there is no such policy.

    >>> steps = list(play_out(seed=7))
    >>> steps[0].took
    (71, 27, 22)
    >>> len(steps[-1].before.taken), len(steps[-1].before.table)
    (24, 9)
    """
    stream, policy = Stream(seed, game), Policy(policy)
    now = new_game(stream.shuffled(dimension))
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
