"""Prints the odds of a set, and the results of simulated games, as tables or JSON."""

import dataclasses
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from math import floor, log10
from typing import Any

import click

from setset.cards import LARGEST
from setset.show.formatting import how_many, number, plain, print_json, print_table
from setset.table.autoplay import Policy
from setset.table.chances import RULEBOOK, Odds
from setset.table.estimates import (
    COUNTINGS,
    HAND_SIZES,
    Estimate,
    Tables,
    chance_without_set,
    deviation,
    estimate_ends,
    estimate_kinds,
    estimate_random_hands,
    estimate_rounds,
    estimate_tables,
    mean_sets,
)
from setset.table.simulation import Simulation

_TAKES = {
    Policy.RANDOM: "any set on the table, each with the same chance",
    Policy.FIRST: "the first set in the order of the table",
}
_COUNTED = (
    "Up to the last deal: all tables until the last cards are dealt, and the table after that.",
    "To the end: all tables. After the last deal, a table gets no more cards, so it holds fewer sets.",
)


@contextmanager
def progress(games: int) -> Iterator[Callable[[int], None]]:
    """Yields a callback to call with a number of played games. The callback advances a progress bar on stderr. Without
    a terminal, the callback does nothing."""
    if not sys.stderr.isatty():
        yield lambda _played: None
        return
    with click.progressbar(length=games, label="games", file=sys.stderr) as bar:
        yield bar.update


def show_odds(odds: Odds, as_json: bool) -> None:
    """Prints the odds of a set for a number of cards, in up to five lines or as JSON."""
    if as_json:
        print_json({**dataclasses.asdict(odds), "odds": odds.odds, "odds_in_play": odds.odds_in_play})
        return
    cards = how_many(odds.cards, "card")
    if not odds.chance:
        click.echo(f"{cards}: always a set; the maximum without a set is {odds.most} cards")
        click.echo(f"sets in a random hand: {float(odds.mean_sets):,.2f} on average")
        return
    chance, for_set = float(odds.chance), odds.odds or 0.0
    named = "" if odds.rulebook is None else f" (the rulebook says {odds.rulebook:,}:1)"
    click.echo(f"{cards}: no set in {chance * 100:.3g} % of random hands, 1 in {_short(1 / chance)}")
    click.echo(f"odds for a set: {_short(for_set)}:1{named}")
    if odds.in_play is not None and odds.odds_in_play is not None:
        play, to_one = odds.in_play.value, _with_error(odds.odds_in_play)
        click.echo(f"tables in play: no set in {play * 100:.3g} % of tables, 1 in {_short(1 / play)} (odds {to_one}:1)")
    click.echo(f"exactly: {number(odds.lists)} of {how_many(odds.hands, 'hand')}")
    click.echo(f"sets in a random hand: {float(odds.mean_sets):,.2f} on average")


def _short(value: float) -> str:
    """Formats a number, with one decimal if it is below 100."""
    return number(value, 0 if value >= 100 else 1)


def show_simulation(simulation: Simulation, as_json: bool) -> None:
    exact = [(chance_without_set(size), mean_sets(size)) for size in HAND_SIZES]
    if as_json:
        print_json(_as_json(simulation, exact))
        return
    click.echo(f"{how_many(simulation.games, 'game')}, seed {simulation.seed}.")
    click.echo(f"The player takes {_TAKES[simulation.policy]}.")
    click.echo("± is one standard error; off: standard errors between simulated and exact.")
    chances, sets = [], []
    for hands, (chance, mean) in zip(estimate_random_hands(simulation), exact, strict=True):
        odds = (1 - chance) / chance
        size, (simulated, simulated_odds, simulated_sets) = str(hands.size), _figures(hands)
        exact_odds = number(float(odds), 2 if odds < 1000 else 0)
        off = f"{deviation(hands, chance):+.1f}"
        chances.append([size, simulated, f"{float(chance) * 100:.4g} %", simulated_odds, exact_odds, off])
        sets.append([size, simulated_sets, f"{float(mean):.4f}"])
    columns = ["cards", "chance of no set", "exact", "odds to 1", "exact", "off"]
    _print("Random hands from a full deck", columns, chances)
    _print("Sets in a random hand", ["cards", "sets", "exact"], sets)
    for counting, words in enumerate(COUNTINGS):
        # Tables with fewer than 12 cards are left out: they exist only after the last deal, and say little.
        tables = [at for at in estimate_tables(simulation, counting) if at.size >= 12]
        _print(f"Tables in play, {words}", ["cards", *_FIGURES], [_row(at.size, at) for at in tables])
    rounds = [_row(played_round.taken + 1, played_round.at) for played_round in estimate_rounds(simulation)]
    _print("Tables of 12 by round, up to the last deal", ["round", *_FIGURES], rounds)
    last = [[str(end.cards), number(end.games), _percent(end.share)] for end in estimate_ends(simulation)]
    _print("Cards left at the end", ["cards", "games", "share"], last)
    kinds = [[str(kind.features), number(kind.sets), _percent(kind.share)] for kind in estimate_kinds(simulation)]
    _print("Sets taken, by number of features that differ", ["features", "sets", "share"], kinds)
    click.echo("\n" + "\n".join(_COUNTED))
    click.echo("\n" + "\n".join(_answers(simulation)))


def _answers(simulation: Simulation) -> Iterator[str]:
    """Yields the summary of a simulation: a line for 12 cards and a line for 15 cards."""
    in_play = {at.size: at for at in estimate_tables(simulation)}
    for hands in estimate_random_hands(simulation):
        at, rulebook = in_play.get(hands.size), RULEBOOK.get(hands.size)
        if at is not None and rulebook is not None:
            yield (
                f"{hands.size} cards without a set: 1 in {_one_in(hands)} random hands, 1 in {_one_in(at)} tables in "
                f"play; the rulebook says {rulebook:,}:1"
            )


def _one_in(at: Tables) -> str:
    if at.at_most is not None:
        return f"more than {number(1 / at.at_most)}"
    return _short(1 / at.chance.value)


_FIGURES = ["tables", "chance of no set", "odds to 1", "sets"]


def _print(title: str, columns: list[str], rows: list[list[str]]) -> None:
    click.echo()
    print_table(title, columns, rows)


def _row(first: int, at: Tables) -> list[str]:
    return [str(first), number(at.tables), *_figures(at)]


def _figures(at: Tables) -> list[str]:
    sets = _with_error(at.sets)
    odds = at.odds
    if at.size > LARGEST:
        return ["0", "-", sets]
    if at.at_most is not None:
        return [f"< {at.at_most * 100:.2g} %", f"> {number(1 / at.at_most - 1)}", sets]
    return [_percent(at.chance), "-" if odds is None else _with_error(odds), sets]


def _percent(share: Estimate) -> str:
    return _with_error(Estimate(share.value * 100, share.error * 100)) + " %"


def _with_error(estimate: Estimate) -> str:
    """Formats a value and its standard error, both rounded to two significant digits of the error."""
    digits = min(6, max(0, 1 - floor(log10(estimate.error)))) if estimate.error else 2
    return f"{number(estimate.value, digits)} ± {number(estimate.error, digits)}"


def _as_json(simulation: Simulation, exact: list[tuple[Fraction, Fraction]]) -> dict[str, Any]:
    hands = []
    for at, (chance, sets) in zip(estimate_random_hands(simulation), exact, strict=True):
        ratio = {**plain(chance), "value": float(chance)}  # earlier versions had the key `value` instead of `decimal`
        odds = {"exact_odds": float((1 - chance) / chance), "exact_sets": float(sets)}
        hands.append({**_tables_as_json(at), "exact_chance": ratio, **odds, "off": deviation(at, chance)})
    rounds = [
        {"round": played_round.taken + 1, **_tables_as_json(played_round.at)}
        for played_round in estimate_rounds(simulation)
    ]
    ends = [
        {"cards": end.cards, "games": end.games, **_estimate("share", end.share)} for end in estimate_ends(simulation)
    ]
    return {
        "games": simulation.games,
        "seed": simulation.seed,
        "policy": simulation.policy,
        "random_hands": hands,
        "up_to_the_last_deal": [_tables_as_json(at) for at in estimate_tables(simulation, 0)],
        "to_the_end": [_tables_as_json(at) for at in estimate_tables(simulation, 1)],
        "rounds": rounds,
        "ends": ends,
        "kinds": [
            {"features": kind.features, "sets": kind.sets, **_estimate("share", kind.share)}
            for kind in estimate_kinds(simulation)
        ],
    }


def _tables_as_json(at: Tables) -> dict[str, Any]:
    odds = at.odds
    return {
        "cards": at.size,
        "tables": at.tables,
        "without_set": at.without,
        **_estimate("chance", at.chance),
        **({} if odds is None else _estimate("odds", odds)),
        **_estimate("sets", at.sets),
    }


def _estimate(name: str, estimate: Estimate) -> dict[str, float]:
    return {name: estimate.value, f"{name}_error": estimate.error}
