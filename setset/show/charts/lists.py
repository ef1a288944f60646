"""Charts `counts` (numbers of lists), `odds` and `rounds` (chances of no set), `stabilizers` (symmetries), `cap`."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from setset.cards import CARDS, LARGEST, CardsLike, code, digits, name
from setset.show.charts.style import (
    BLUE,
    HEIGHT,
    ORANGE,
    RED,
    SKY,
    WIDTH,
    Chart,
    Row,
    altair,
    below,
    cards_axis,
    categories,
    finish,
    table,
)
from setset.show.formatting import how_many, number
from setset.symmetry import catalogue_in_memory, classify
from setset.table import Policy, Simulation, chance_without_set, estimate_rounds, simulate
from setset.table.game import TABLE

if TYPE_CHECKING:
    from setset.symmetry import Level
    from setset.workspace.workspace import Workspace

ALL, CLASSES, COMPLETE = "all lists", "classes", "complete lists"
HELD, EXCLUDED, ADDABLE = "in the hand", "would make a set", "can be added"
LABELLED = (9, 12, 15, 18, 20)
"""Sizes whose points in the chart `odds` have a label with the odds."""
UNITS = {6: "million", 9: "billion", 12: "trillion"}
"""Words for powers of ten in labels."""
GAMES = 200_000
"""Default number of simulated games in the chart `rounds`. They take two seconds; the odds have a standard error of
about 1 %."""
_TAKES = {Policy.RANDOM: "any set is taken", Policy.FIRST: "the first set is taken"}
GAP = 0.25
"""Gap between blocks of three cells in the grid of the chart `cap`, as a share of a cell."""


def counts(workspace: Workspace | None = None) -> Chart:
    """Number of lists, classes and complete lists by size. With a workspace, also the counts of the workspace.

    Args:
        workspace: Workspace whose counts per target are shown too, and whose catalogue is used.
    """
    rows: list[Row] = []
    for size in range(1, LARGEST + 1):
        level = _level(size, workspace)
        values = {ALL: level.lists, CLASSES: len(level.classes), COMPLETE: level.complete_lists}
        rows += [
            {"series": series, "size": size, "number": value, "complete": True} for series, value in values.items()
        ]
    kept = [] if workspace is None else workspace.counts()
    rows += [
        {
            "series": f"kept for target {count.target}{', pruned' if count.pruned else ''}",
            "size": count.size,
            "number": count.lists,
            "complete": count.complete,
        }
        for count in kept
    ]
    # The line of complete lists has a gap at sizes without complete lists, such as 19 cards.
    for row in rows:
        row["part"] = f"{row['series']}, {sum(_breaks(earlier, row) for earlier in rows)}"
    alt = altair()
    colours, shapes = categories(list(dict.fromkeys(row["series"] for row in rows)))
    base = (
        alt.Chart(table(rows))
        .transform_filter("datum.number > 0")
        .encode(
            x=cards_axis().scale(nice=False),
            y=alt.Y("number:Q").title("number (logarithmic)").scale(type="log").axis(_powers(0, 3, 6, 9, 12)),
            color=below(alt.Color("series:N"), colours, columns=2),
        )
    )
    filled = alt.condition("datum.complete", alt.Fill("series:N").scale(colours).legend(None), alt.value("white"))
    points = base.mark_point(size=36, opacity=1).encode(
        shape=below(alt.Shape("series:N"), shapes, columns=2),
        fill=filled,
        tooltip=["series:N", "size:Q", alt.Tooltip("number:Q", format=",")],
    )
    lines = base.transform_filter("datum.complete").mark_line(strokeWidth=1).encode(detail="part:N")
    notes = ["A list is a hand without a set. No card can be added to a complete list."]
    if kept:
        notes.append("An exploration keeps hands that can still grow to its target. Hollow points: incomplete sizes.")
    chart = alt.layer(lines, points, data=table(rows))
    return finish(chart, "Hands without a set, by number of cards", notes, "setset classes and setset count")


def _breaks(earlier: Row, row: Row) -> bool:
    """Whether `earlier` makes a gap in the line before `row`: a smaller size of the same series with the number 0."""
    return not earlier["number"] and earlier["series"] == row["series"] and earlier["size"] < row["size"]


def _level(size: int, workspace: Workspace | None) -> Level:
    catalogue = catalogue_in_memory() if workspace is None else workspace.catalogue(size)
    return catalogue.level(size)


def _powers(*powers: int) -> Chart:
    """Makes an axis with ticks at the given powers of ten. Labels of a million or more are words."""
    words = [f"datum.value == 1e{power} ? '1 {word}'" for power, word in UNITS.items()]
    values = [10.0**power for power in powers]
    return altair().Axis(values=values, labelExpr=" : ".join([*words, "format(datum.value, ',')"]))


def odds() -> Chart:
    """The exact chance that random cards hold no set, by number of cards."""
    rows = []
    for size in range(1, LARGEST + 1):
        chance = chance_without_set(size)
        against = (1 - chance) / chance
        rows.append(
            {
                "size": size,
                "chance": float(chance),
                "numerator": str(chance.numerator),
                "denominator": str(chance.denominator),
                "odds": float(against),
                "label": f"{_short(float(against))} to 1" if size in LABELLED else "",
            }
        )
    alt = altair()
    decades = [10.0**-power for power in range(0, 16, 3)]
    base = alt.Chart().encode(
        x=cards_axis().scale(domain=[0, 27], nice=False).axis(values=list(range(0, LARGEST + 1, 2))),
        y=alt.Y("chance:Q").title("chance of no set (logarithmic)").scale(type="log").axis(values=decades, format="~e"),
    )
    points = base.mark_line(color=BLUE, point=alt.OverlayMarkDef(color=BLUE, size=36)).encode(
        tooltip=["size:Q", "chance:Q", "odds:Q"]
    )
    labels = base.mark_text(align="left", baseline="bottom", dx=5, dy=-2, fontSize=10).encode(text="label:N")
    chart = alt.layer(points, labels, data=table(rows))
    notes = ["Odds: hands with a set per hand without a set. Any 21 cards hold a set."]
    return finish(chart, "The chance that a random hand holds no set", notes, "setset classes (exact)")


def _short(value: float) -> str:
    """Formats odds as short text, such as '2.43 million'."""
    if value < 1000:
        return f"{value:.3g}"
    for power, word in reversed(UNITS.items()):
        if value >= 10**power:
            return f"{value / 10**power:.3g} {word}"
    return f"{value:,.0f}"


def rounds(simulation: Simulation | None = None, games: int = GAMES, seed: int = 1) -> Chart:
    """Odds of a set among 12 cards on the table in simulated games, by the number of sets taken before.

    Args:
        simulation: Result of `setset.simulate`. Without it, the chart simulates games now.
        games: Number of games to simulate now.
        seed: Random seed of these games.
    """
    played = simulation or simulate(games, seed)
    rows = []
    for played_round in estimate_rounds(played):
        against = played_round.at.odds
        if against is not None:  # None if all tables of the round had a set: few games reach it
            rows.append(
                {
                    "taken": played_round.taken,
                    "tables": played_round.at.tables,
                    "without_set": played_round.at.without,
                    "chance": played_round.at.chance.value,
                    "chance_error": played_round.at.chance.error,
                    "odds": against.value,
                    "odds_error": against.error,
                    "low": max(against.value - 2 * against.error, 0),
                    "high": against.value + 2 * against.error,
                }
            )
    alt = altair()
    chance = chance_without_set(TABLE)
    exact = float((1 - chance) / chance)
    x = alt.X("taken:Q").title("sets taken before").axis(tickMinStep=1, format="d")
    y = alt.Y("odds:Q").title("tables with a set per table without a set").scale(zero=False)
    base = alt.Chart().encode(x=x)
    first = alt.Chart().transform_filter("datum.taken == 0")
    random = first.mark_rule(color=RED, strokeDash=[5, 3]).encode(y=alt.datum(exact))
    named = first.mark_text(align="left", baseline="bottom", dx=4, dy=-3, color=RED, fontSize=10).encode(
        x=alt.value(0), y=alt.datum(exact), text=alt.value(f"{TABLE} random cards: {exact:.2f} to 1")
    )
    line = base.mark_line(color=SKY, strokeWidth=1).encode(y=y)
    errors = base.mark_rule(color=BLUE, strokeWidth=2).encode(y=alt.Y("low:Q"), y2="high:Q")
    points = base.mark_point(color=BLUE, filled=True, size=16, opacity=1).encode(
        y=y, tooltip=["taken:Q", "odds:Q", "odds_error:Q", alt.Tooltip("chance:Q", format=".3%"), "tables:Q"]
    )
    chart = alt.layer(random, named, line, errors, points, data=table(rows))
    notes = [
        f"{TABLE} cards on the table, up to the last deal; bars: two standard errors each way.",
        f"Dashed line: {exact:.2f} to 1, the exact odds for {TABLE} random cards.",
    ]
    source = f"{number(played.games)} games, seed {played.seed}, {_TAKES[played.policy]}"
    return finish(chart, "Odds of a set on the table, as a game goes on", notes, source)


def stabilizers(workspace: Workspace | None = None) -> Chart:
    """Number of symmetries of the lists of each class, by size.

    Args:
        workspace: Workspace with the catalogue; by default the catalogue of the package.
    """
    rows = []
    for size in range(1, LARGEST + 1):
        orders = Counter(list_class.stabilizer for list_class in _level(size, workspace).classes)
        rows += [{"size": size, "stabilizer": order, "classes": orders[order]} for order in sorted(orders)]
    alt = altair()
    # A row of the chart is a range of orders (1, 2 to 3, 4 to 7, and so on), because there are too many different
    # orders.
    words = "format(pow(2, datum.power), ',') + (datum.power ? ' to ' + format(pow(2, datum.power + 1) - 1, ',') : '')"
    base = (
        alt.Chart()
        .transform_calculate(power="floor(log(datum.stabilizer) / LN2 + 1e-9)")
        .transform_aggregate(classes="sum(classes)", groupby=["size", "power"])
        .transform_calculate(symmetries=words)
        .encode(
            x=alt.X("size:O").title("cards").axis(labelAngle=0),
            y=alt.Y("symmetries:O")
            .title("symmetries of a list")
            .sort(alt.EncodingSortField("power", order="descending")),
        )
    )
    shade = alt.Color("classes:Q").scale(type="log", range=["#dcecf7", BLUE]).legend(None)
    cells = base.mark_rect().encode(color=shade, tooltip=["size:O", "symmetries:N", "classes:Q"])
    dark = alt.condition("datum.classes >= 100", alt.value("white"), alt.value("black"))
    numbers = base.mark_text(fontSize=7).encode(text="classes:Q", color=dark)
    chart = alt.layer(cells, numbers, data=table(rows))
    notes = ["A list with s of the 1,965,150,720 symmetries has 1,965,150,720 / s lists in its class."]
    notes.append("In each cell the number of classes.")
    return finish(chart, "Symmetries of lists, by number of cards", notes, "setset classes", height=int(1.5 * HEIGHT))


def cap(cards: CardsLike) -> Chart:
    """Draws a hand without a set on the grid of all cards, and marks the cards that can be added.

    Args:
        cards: Different cards without a set.

    Raises:
        BadInput: A value is not a card, or a card occurs twice.
        HoldsSet: There is a set among the cards.
    """
    classification = classify(cards)
    states = dict.fromkeys(range(CARDS), EXCLUDED)
    states |= dict.fromkeys(classification.cards, HELD) | dict.fromkeys(classification.extensions, ADDABLE)
    rows = []
    for card, state in states.items():
        colour, count, shading, shape = digits(card)
        position = {"x": 3 * count + shape + GAP * count, "y": 3 * colour + shading + GAP * colour}
        rows.append({"card": card, "code": code(card), "name": name(card), "state": state, **position})
    alt = altair()
    colours, inks = (
        alt.Scale(domain=[HELD, EXCLUDED, ADDABLE], range=values)
        for values in ([BLUE, "#dddddd", ORANGE], ["white", "#777777", "black"])
    )
    span: dict[str, Any] = {"domain": [-0.6, 8.6 + 2 * GAP], "nice": False, "zero": False}
    across = _blocks(["one", "two", "three"], "count, then shape", "top")
    down = _blocks(["red", "green", "purple"], "colour, then shading", "left")
    base = alt.Chart().encode(
        x=alt.X("x:Q").scale(**span).axis(across), y=alt.Y("y:Q").scale(**span, reverse=True).axis(down)
    )
    cells = base.mark_square(size=1000, opacity=1).encode(
        color=below(alt.Color("state:N"), colours), tooltip=["card:Q", "name:N", "state:N"]
    )
    ink = alt.Color("state:N").scale(inks).legend(None)
    codes = base.mark_text(fontSize=10).encode(text="code:N", color=ink)
    chart = alt.layer(cells, codes, data=table(rows)).resolve_scale(color="independent")
    more = "complete" if classification.complete else f"{how_many(len(classification.extensions), 'card')} can be added"
    notes = [
        f"Class {classification.list_class} of {how_many(classification.lists, 'list')},"
        f" {number(classification.stabilizer)} symmetries; {more}.",
        "From top: solid (f), striped (h), open (e); from left: diamond, squiggle, oval.",
    ]
    title = f"{how_many(len(classification.cards), 'card')} without a set"
    return finish(chart, title, notes, "setset classify", height=WIDTH)


def _blocks(names: list[str], title: str, side: str) -> Chart:
    """Makes an axis of the chart `cap`, with a name for each block of three cells."""
    middles = [1 + (3 + GAP) * block for block in range(3)]
    words = [f"datum.value < {middles[block] + 1} ? '{names[block]}'" for block in range(2)]
    label = " : ".join([*words, f"'{names[2]}'"])
    plain = {"grid": False, "ticks": False, "domain": False}
    return altair().Axis(values=middles, labelExpr=label, title=title, orient=side, **plain)
