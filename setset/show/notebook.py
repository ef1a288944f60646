"""How notebooks show hands, lists, classes, sizes, counts and workspaces."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from setset.cards import Cards, CardsLike, check_cards, name
from setset.show.cards.layout import lay_out
from setset.show.cards.svg import draw_svg
from setset.show.formatting import byte_count, duration, how_many, number, share, spaced
from setset.show.html import Columns, as_text, record_table, table
from setset.table.estimates import estimate_tables
from setset.table.sets import find_sets

if TYPE_CHECKING:
    from setset.database.views import Status
    from setset.symmetry import Classification, Level, ListClass
    from setset.table import Identity, Odds, Simulation
    from setset.table.game import Game
    from setset.workspace.estimate import Estimate
    from setset.workspace.exploration import Exploration
    from setset.workspace.size import Size
    from setset.workspace.workspace import Workspace

MOST = 20
"""Rows of a table."""
CLASSES: Columns = (
    ("class", str),
    ("representative", lambda one: spaced(one.cards)),
    "lists",
    ("symmetries", "stabilizer"),
    ("can be added", "extensions"),
)
COUNTS: Columns = (
    "target",
    "size",
    ("what is counted", "counts"),
    "lists",
    "origin",
    "reference",
    "class_sum",
    "verdict",
)
SIZES: Columns = (
    "target",
    "size",
    "lists",
    ("done", lambda size: share(round(size.share * 1e6), 1_000_000)),
    ("files", "batches"),
    ("bytes", lambda size: byte_count(size.bytes)),
    "state",
)
ESTIMATES: Columns = (
    "size",
    "lists",
    ("from", "origin"),
    ("to do", "due"),
    "files",
    ("bytes", lambda size: byte_count(size.bytes)),
    ("core time", lambda size: duration(size.seconds)),
)
TABLES: Columns = (
    ("cards", "size"),
    "tables",
    ("without a set", "without"),
    ("chance of no set", lambda at: f"{at.chance.value * 100:.3g} %"),
    ("sets on average", lambda at: f"{at.sets.value:.3f}"),
)


@dataclass(frozen=True)
class Picture:
    """Cards as a picture that a notebook shows."""

    cards: Cards
    columns: int | None = None
    with_sets: bool = False

    def _repr_svg_(self) -> str:
        """For notebooks."""
        sets = find_sets(self.cards) if self.with_sets else []
        return draw_svg(lay_out(self.cards, self.columns, sets))


def draw(cards: CardsLike, columns: int | None = None, with_sets: bool = False) -> Picture:
    """A hand as a picture, for notebooks.

    Args:
        cards: Different cards: a tuple, a row of an array.
        columns: Cards in a row; else three rows as on a table.
        with_sets: Outline the sets, each in its own colour.

    Raises:
        BadInput: Something is not a card, or a card is given twice.

    Example:
        >>> setset.draw([0, 40, 80], with_sets=True)
        Picture(cards=(0, 40, 80), columns=None, with_sets=True)
    """
    return Picture(check_cards(cards), columns, with_sets)


def as_html(value: Any) -> str:
    """HTML that a notebook shows for an object of the public API."""
    return next(_SHOWN[each.__name__] for each in type(value).__mro__ if each.__name__ in _SHOWN)(value)


def _figure(cards: Sequence[int]) -> str:
    """The cards, small enough to stand above a table; several pictures of a page share the same definitions."""
    if not cards:
        return ""
    return f'<div style="max-width: 32em">{draw_svg(lay_out(cards)).replace("<svg ", SMALL, 1)}</div>'


SMALL = '<svg style="width: 100%; height: auto" '


def _facts(title: str, facts: dict[str, object]) -> str:
    return _titled(title, table(("", ""), facts.items()))


def _list_class(one: ListClass) -> str:
    return _figure(one.cards) + _facts(
        f"Class {one}",
        {
            "representative": spaced(one.cards),
            "lists": one.lists,
            "symmetries of a list": one.stabilizer,
            "cards that can be added": one.extensions,
        },
    )


def _classification(found: Classification) -> str:
    return _figure(found.cards) + _facts(
        f"{how_many(len(found.cards), 'card')} without a set: class {found.list_class}",
        {
            "cards": spaced(found.cards),
            "canonical form": spaced(found.form),
            "lists in the class": found.lists,
            "symmetries": found.stabilizer,
            "can be added": spaced(found.extensions) or "no card: it is complete",
        },
    )


def _level(level: Level) -> str:
    title = f"Lists of {level.size} cards: {number(level.lists)} in {number(len(level.classes))} classes"
    return _titled(title, record_table(CLASSES, level.classes[:MOST]), len(level.classes))


def _game(game: Game) -> str:
    state = "over" if game.over else f"round {game.round}"
    words = f"{state}: {how_many(len(game.table), 'card')} on the table, {len(game.deck)} in the deck"
    return _figure(game.table) + f"<p>{as_text(words)}</p>"


def _size(size: Size) -> str:
    state = "complete" if size.complete else "incomplete"
    words = f"{number(size.lists)} lists of {size.size} cards for target {size.target}, {state}"
    title = f"{words}; {byte_count(size.bytes)} in {how_many(len(size.batches), 'file')}"
    rows = [[place, spaced(size[place])] for place in range(min(size.lists, 5))]
    return _titled(title, table(("number", "cards"), rows), size.lists)


def _exploration(exploration: Exploration) -> str:
    counts = exploration.counts()
    pruned = ", pruned" if any(count.pruned for count in counts) else ""
    return _titled(f"Exploration of target {exploration.target}{pruned}", record_table(COUNTS, counts))


def _workspace(workspace: Workspace) -> str:
    return _titled(f"Workspace {workspace.path}", record_table(SIZES, workspace.status().sizes))


def _titled(title: str, body: str, rows: int = 0) -> str:
    """A table below its title; how many rows there are if not all are shown."""
    shown = body.count("<tr>") - 1
    more = f"\n<p>{number(shown)} of {number(rows)}</p>" if rows > shown else ""
    return f"<p><b>{as_text(title)}</b></p>\n{body}{more}"


def _status(status: Status) -> str:
    return _titled("Status", record_table(SIZES, status.sizes))


def _estimate(estimate: Estimate) -> str:
    time = f"about {duration(estimate.seconds)} with {how_many(estimate.workers, 'worker')}"
    title = f"Run to {estimate.size} cards for target {estimate.target}: {byte_count(estimate.bytes)}, {time}"
    return _titled(title, record_table(ESTIMATES, estimate.sizes))


def _simulation(simulation: Simulation) -> str:
    title = f"{how_many(simulation.games, 'game')}, seed {simulation.seed}: tables in play, up to the last deal"
    return _titled(title, record_table(TABLES, estimate_tables(simulation)))


def _odds(odds: Odds) -> str:
    facts: dict[str, object] = {
        "random hands without a set": f"{float(odds.chance) * 100:.3g} %",
        "tables in play without a set": "-" if odds.in_play is None else f"{odds.in_play.value * 100:.3g} %",
        "odds for a set": "-" if odds.odds is None else f"{odds.odds:,.2f}:1",
        "by the rulebook": "-" if odds.rulebook is None else f"{odds.rulebook:,}:1",
    }
    return _facts(how_many(odds.cards, "card"), facts)


def _identity(found: Identity) -> str:
    if found.list is not None:
        return _classification(found.list.classification)
    sets = [[spaced(each), ", ".join(map(name, each))] for each in found.sets]
    return _figure(found.cards) + _titled(how_many(len(sets), "set"), table(("cards", "names"), sets))


_SHOWN: dict[str, Callable[[Any], str]] = {
    "Estimate": _estimate,
    "Identity": _identity,
    "Odds": _odds,
    "Simulation": _simulation,
    "Status": _status,
    "Classification": _classification,
    "Count": lambda count: record_table(COUNTS, [count]),
    "Counts": lambda counts: record_table(COUNTS, counts),
    "Exploration": _exploration,
    "Game": _game,
    "Level": _level,
    "ListClass": _list_class,
    "Size": _size,
    "Workspace": _workspace,
}
"""By the names of their types: this package knows what the public API gives, not the packages that make it."""
