"""Charts of what there is: lists and classes by size, chances, symmetries, one hand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING

from setset.cards import CARDS, LARGEST, code, digits, name
from setset.show.charts.style import (
    BLUE,
    HEIGHT,
    ORANGE,
    WIDTH,
    Chart,
    Row,
    altair,
    categories,
    finish,
    table,
)
from setset.show.formatting import how_many, number
from setset.symmetry import catalogue_in_memory, classify
from setset.table import chance_without_set

if TYPE_CHECKING:
    from setset.symmetry import Level
    from setset.workspace.workspace import Workspace

ALL, CLASSES, COMPLETE = "all lists", "classes", "complete lists"
HELD, EXCLUDED, ADDABLE = "in the hand", "would make a set", "can be added"
LABELLED = (3, 6, 9, 12, 15, 18, 20)
"""Sizes whose odds are written beside the point."""
UNITS = {6: "million", 9: "billion", 12: "trillion"}
"""Powers of ten that have a word."""
GAP = 0.25
"""Between the blocks of three cells in the grid of a hand, in cells."""


def counts(workspace: Workspace | None = None) -> Chart:
    """Lists, classes and complete lists by size; with a workspace also the lists that it keeps.

    Args:
        workspace: Whose kept lists to show for each target, and whose catalogue to use.
    """
    rows: list[Row] = []
    for size in range(1, LARGEST + 1):
        level = _level(size, workspace)
        values = {ALL: level.lists, CLASSES: len(level.classes), COMPLETE: level.complete_lists}
        rows += [
            {"series": series, "size": size, "number": value, "complete": True}
            for series, value in values.items()
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
    alt = altair()
    colours, shapes = categories(list(dict.fromkeys(row["series"] for row in rows)))
    legend = alt.Legend(title=None, orient="bottom", columns=2)
    base = alt.Chart(table(rows)).transform_filter("datum.number > 0")
    base = base.encode(
        x=alt.X(
            "size:Q", title="cards", axis=alt.Axis(tickMinStep=1, format="d"), scale=alt.Scale(nice=False)
        ),
        y=alt.Y(
            "number:Q",
            title="number (logarithmic)",
            scale=alt.Scale(type="log"),
            axis=_powers(0, 3, 6, 9, 12),
        ),
        color=alt.Color("series:N", scale=colours, legend=legend),
    )
    points = base.mark_point(size=36, opacity=1).encode(
        shape=alt.Shape("series:N", scale=shapes, legend=legend),
        fill=alt.condition(
            "datum.complete", alt.Fill("series:N", scale=colours, legend=None), alt.value("white")
        ),
        tooltip=["series:N", "size:Q", alt.Tooltip("number:Q", format=",")],
    )
    lines = base.transform_filter("datum.complete").mark_line(strokeWidth=1)
    notes = ["Lists are hands without a set; complete ones cannot take another card."]
    if kept:
        notes.append("Kept: those that can still grow to the target; hollow points are not complete yet.")
    chart = alt.layer(lines, points, data=table(rows)).properties(width=WIDTH, height=HEIGHT)
    return finish(chart, "Hands without a set, by number of cards", notes, "setset classes and setset count")


def _level(size: int, workspace: Workspace | None) -> Level:
    catalogue = catalogue_in_memory() if workspace is None else workspace.catalogue(size)
    return catalogue.level(size)


def _powers(*powers: int) -> Chart:
    """An axis with these powers of ten, from a million on in words."""
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
        x=alt.X(
            "size:Q", title="cards", axis=alt.Axis(tickMinStep=1, format="d"), scale=alt.Scale(domain=[0, 22])
        ),
        y=alt.Y(
            "chance:Q",
            title="chance of no set (logarithmic)",
            scale=alt.Scale(type="log"),
            axis=alt.Axis(values=decades, format="~e"),
        ),
    )
    points = base.mark_line(color=BLUE, point=alt.OverlayMarkDef(color=BLUE, size=36)).encode(
        tooltip=["size:Q", "chance:Q", "odds:Q"]
    )
    labels = base.mark_text(align="right", baseline="top", dx=-5, dy=3, fontSize=10).encode(text="label:N")
    chart = alt.layer(points, labels, data=table(rows)).properties(width=WIDTH, height=HEIGHT)
    notes = ["Odds: hands with a set for each one without. Any 21 cards hold a set."]
    return finish(chart, "The chance that a random hand holds no set", notes, "setset classes (exact)")


def _short(value: float) -> str:
    """Odds in a few letters."""
    if value < 1000:
        return f"{value:.3g}"
    for power, word in reversed(UNITS.items()):
        if value >= 10**power:
            return f"{value / 10**power:.3g} {word}"
    return f"{value:,.0f}"


def stabilizers(workspace: Workspace | None = None) -> Chart:
    """How many symmetries the lists of each class have, by size.

    Args:
        workspace: Whose catalogue to use; that of the package if there is none.
    """
    rows = []
    for size in range(1, LARGEST + 1):
        found = Counter(each.stabilizer for each in _level(size, workspace).classes)
        rows += [{"size": size, "stabilizer": order, "classes": found[order]} for order in sorted(found)]
    alt = altair()
    chart = (
        alt.Chart(table(rows))
        .mark_circle(color=BLUE, opacity=1, stroke="white", strokeWidth=0.5)
        .encode(
            x=alt.X("size:Q", title="cards", axis=alt.Axis(tickMinStep=1, format="d")),
            y=alt.Y(
                "stabilizer:Q",
                title="symmetries of a list (logarithmic)",
                scale=alt.Scale(type="log"),
                axis=_powers(*range(8)),
            ),
            size=alt.Size(
                "classes:Q",
                title="classes",
                scale=alt.Scale(type="log", range=[12, 420]),
                legend=alt.Legend(orient="bottom", values=[1, 10, 100, 1000]),
            ),
            tooltip=["size:Q", alt.Tooltip("stabilizer:Q", format=","), "classes:Q"],
        )
        .properties(width=WIDTH, height=HEIGHT)
    )
    notes = ["A list with s of the 1,965,150,720 symmetries has 1,965,150,720 / s lists in its class."]
    return finish(chart, "Symmetries of lists, by number of cards", notes, "setset classes")


def cap(cards: Iterable[int]) -> Chart:
    """A hand without a set on the 9 x 9 grid of all cards: what it excludes, and what can be added.

    Args:
        cards: Different cards without a set.

    Raises:
        BadInput: Something is not a card, or given twice.
        HoldsSet: There is a set among the cards.
    """
    found = classify(cards)
    states = dict.fromkeys(range(CARDS), EXCLUDED)
    states |= dict.fromkeys(found.cards, HELD) | dict.fromkeys(found.extensions, ADDABLE)
    rows = []
    for card, state in states.items():
        colour, count, shading, shape = digits(card)
        place = {"x": 3 * count + shape + GAP * count, "y": 3 * colour + shading + GAP * colour}
        rows.append({"card": card, "code": code(card), "name": name(card), "state": state, **place})
    alt = altair()
    colours = alt.Scale(domain=[HELD, EXCLUDED, ADDABLE], range=[BLUE, "#dddddd", ORANGE])
    inks = alt.Scale(domain=[HELD, EXCLUDED, ADDABLE], range=["white", "#777777", "black"])
    span = alt.Scale(domain=[-0.6, 8.6 + 2 * GAP], nice=False, zero=False)
    down = alt.Scale(domain=[-0.6, 8.6 + 2 * GAP], nice=False, zero=False, reverse=True)
    base = alt.Chart().encode(
        x=alt.X("x:Q", scale=span, axis=_blocks(["one", "two", "three"], "count, in it shape", "top")),
        y=alt.Y("y:Q", scale=down, axis=_blocks(["red", "green", "purple"], "colour, in it shading", "left")),
    )
    cells = base.mark_square(size=1000, opacity=1).encode(
        color=alt.Color("state:N", scale=colours, legend=alt.Legend(title=None, orient="bottom")),
        tooltip=["card:Q", "name:N", "state:N"],
    )
    codes = base.mark_text(fontSize=10).encode(
        text="code:N", color=alt.Color("state:N", scale=inks, legend=None)
    )
    chart = alt.layer(cells, codes, data=table(rows)).resolve_scale(color="independent")
    one = found.list_class
    more = "complete" if found.complete else f"{how_many(len(found.extensions), 'card')} can be added"
    notes = [
        f"Class {one} of {how_many(found.lists, 'list')}, {number(found.stabilizer)} symmetries; {more}.",
        "From top: solid (f), striped (h), open (e); from left: diamond, squiggle, oval.",
    ]
    title = f"{how_many(len(found.cards), 'card')} without a set"
    return finish(chart.properties(width=WIDTH, height=WIDTH), title, notes, "setset classify")


def _blocks(names: list[str], title: str, side: str) -> Chart:
    """An axis with a name for each block of three cells."""
    middles = [1 + (3 + GAP) * place for place in range(3)]
    words = [
        f"datum.value < {middle + 1} ? '{word}'" for middle, word in zip(middles, names[:2], strict=False)
    ]
    expression = " : ".join([*words, f"'{names[2]}'"])
    return altair().Axis(
        values=middles, labelExpr=expression, title=title, orient=side, grid=False, ticks=False, domain=False
    )
