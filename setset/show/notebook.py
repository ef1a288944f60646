"""Pictures and HTML tables for notebooks: hands, classes, sizes, counts and workspaces."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from setset.cards import Cards, CardsLike, check_cards, name
from setset.show.cards.layout import lay_out
from setset.show.cards.svg import draw_svg
from setset.show.formatting import byte_count, duration, how_many, number, share, spaced
from setset.show.html import Columns, as_text, record_table, table
from setset.show.progress import Lines, Meter
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
"""Maximum number of rows of a table in a notebook."""
CLASSES: Columns = (
    ("class", str),
    ("representative", lambda list_class: spaced(list_class.cards)),
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
    """A picture of cards, which a notebook shows."""

    cards: Cards
    columns: int | None = None
    with_sets: bool = False

    def _repr_svg_(self) -> str:
        """Returns the picture as SVG. Notebooks call this method."""
        sets = find_sets(self.cards) if self.with_sets else []
        return draw_svg(lay_out(self.cards, self.columns, sets))


def draw(cards: CardsLike, columns: int | None = None, with_sets: bool = False) -> Picture:
    """Draws a hand as a picture for notebooks.

    Args:
        cards: Distinct cards, such as a tuple or a row of an array.
        columns: Cards per row. By default, up to 4 cards make one row, 5 to 21 cards three rows, more cards rows of 9.
        with_sets: Outline the sets, each in its own colour.

    Raises:
        BadInput: A value is not a card, or a card occurs twice.

    Example:
        >>> setset.draw([0, 40, 80], with_sets=True)
        Picture(cards=(0, 40, 80), columns=None, with_sets=True)
    """
    return Picture(check_cards(cards), columns, with_sets)


class ProgressBars(Lines):
    """Progress listener that shows a bar per size in a notebook, and plain lines on stderr elsewhere.

    Example:
        >>> list(setset.open(example).check(size=3, progress=setset.ProgressBars()))
        []
    """

    def __init__(self) -> None:
        super().__init__()
        self._rows: dict[str, str] = {}
        self._display: Any = None
        shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
        self._in_notebook = getattr(shell, "kernel", None) is not None
        if self._in_notebook:
            self.seconds_between = 0.2

    def _show_row(self, meter: Meter, words: str) -> None:
        if not self._in_notebook:
            super()._show_row(meter, words)
            return
        from IPython.display import HTML, display

        bar = f'<progress value="{meter.share:.3f}"></progress>'
        self._rows[meter.title] = f"<tr><td>{as_text(meter.title)}</td><td>{bar}</td><td>{as_text(words)}</td></tr>"
        page = HTML(f"<table>{''.join(self._rows.values())}</table>")
        if self._display is None:
            self._display = display(page, display_id=True)
        else:
            self._display.update(page)


def as_html(value: Any) -> str:
    """Makes the HTML that a notebook shows for an object of the public API."""
    return next(_SHOWN[base.__name__] for base in type(value).__mro__ if base.__name__ in _SHOWN)(value)


def _figure(cards: Sequence[int]) -> str:
    """Draws cards as a small SVG picture. All pictures on a page use the same ids. The shared ids do no harm, because
    each id stands for the same shape in every picture."""
    if not cards:
        return ""
    return f'<div style="max-width: 32em">{draw_svg(lay_out(cards)).replace("<svg ", SMALL, 1)}</div>'


SMALL = '<svg style="width: 100%; height: auto" '


def _hand(cards: Cards) -> str:
    return _figure(cards) + f"<p>{spaced(cards) or 'no cards'}</p>"


def _facts(title: str, facts: dict[str, object]) -> str:
    return _titled(title, table(("", ""), facts.items()))


def _list_class(list_class: ListClass) -> str:
    return _figure(list_class.cards) + _facts(
        f"Class {list_class}",
        {
            "representative": spaced(list_class.cards),
            "lists": list_class.lists,
            "symmetries of a list": list_class.stabilizer,
            "cards that can be added": list_class.extensions,
        },
    )


def _classification(classification: Classification) -> str:
    return _figure(classification.cards) + _facts(
        f"{how_many(len(classification.cards), 'card')} without a set: class {classification.list_class}",
        {
            "cards": spaced(classification.cards),
            "canonical form": spaced(classification.form),
            "lists in the class": classification.lists,
            "symmetries": classification.stabilizer,
            "can be added": spaced(classification.extensions) or "no card: the hand is complete",
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
    rows = [[index, spaced(size[index])] for index in range(min(size.lists, 5))]
    return _titled(title, table(("number", "cards"), rows), size.lists)


def _exploration(exploration: Exploration) -> str:
    counts = exploration.counts()
    pruned = ", pruned" if any(count.pruned for count in counts) else ""
    return _titled(f"Exploration of target {exploration.target}{pruned}", record_table(COUNTS, counts))


def _workspace(workspace: Workspace) -> str:
    return _titled(f"Workspace {workspace.path}", record_table(SIZES, workspace.status().sizes))


def _titled(title: str, body: str, rows: int = 0) -> str:
    """Puts a title above a table. If the table shows fewer than `rows` rows, says so below the table."""
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


def _identity(identity: Identity) -> str:
    if identity.list is not None:
        return _classification(identity.list.classification)
    sets = [[spaced(triple), ", ".join(map(name, triple))] for triple in identity.sets]
    return _figure(identity.cards) + _titled(how_many(len(sets), "set"), table(("cards", "names"), sets))


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
    "Hand": _hand,
    "Level": _level,
    "ListClass": _list_class,
    "Size": _size,
    "Workspace": _workspace,
}
"""For each type of the public API, the function that makes its HTML. Keys are type names, so that this module need not
import the types."""
