"""A game that plays itself, told step by step."""

from __future__ import annotations

from typing import Any

import click

from setset.cards import code
from setset.show.cards.terminal import can_draw, print_cards
from setset.show.formatting import how_many, print_json
from setset.table.autoplay import Policy, Step, play_out


def show_game(seed: int, policy: Policy, as_json: bool) -> None:
    """Prints each table's number of cards and sets and what was done, then how it ended."""
    if as_json:
        print_json(
            {"seed": seed, "policy": policy, "steps": [_as_json(step) for step in play_out(seed, policy)]}
        )
        return
    click.echo(f"seed {seed}, taking {_TAKES[policy]}")
    for step in play_out(seed, policy):
        click.echo(_line(step))
    left = step.after.table
    click.echo(f"{how_many(len(step.after.taken), 'set')} taken, {how_many(len(left), 'card')} left")
    if left and can_draw():
        print_cards(left)
    elif left:
        click.echo(" ".join(code(card) for card in left))


_TAKES = {Policy.RANDOM: "any set", Policy.FIRST: "the first set on the table"}


def _line(step: Step) -> str:
    game = step.before
    if step.took:
        done = "takes " + " ".join(code(card) for card in step.took)
    else:
        done = "the game is over" if game.over else "three more cards"
    sets = how_many(len(game.sets), "set")
    return f"round {game.round:2}  {len(game.table):2} cards, deck {len(game.deck):2}, {sets:>7}: {done}"


def _as_json(step: Step) -> dict[str, Any]:
    game = step.before
    return {
        "round": game.round,
        "table": game.table,
        "deck": len(game.deck),
        "sets": game.sets,
        "took": step.took,
    }
