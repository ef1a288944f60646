"""The chart `statistics`: histograms over all lists of a size."""

from __future__ import annotations

from typing import TYPE_CHECKING

from setset.show.charts.style import BLUE, WIDTH, Chart, Row, altair, finish, table
from setset.show.formatting import number

if TYPE_CHECKING:
    from setset.statistics.histograms import Statistics

AXES = {
    "remaining": "cards that remain",
    "lowest": "lowest card",
    "highest": "highest card",
    "card": "card in the list",
    "feature": "cards with the value",
    "class": "number of the class",
}


def statistics(histograms: Statistics) -> Chart:
    """Histograms over all lists of a size, one below the other.

    Args:
        histograms: Result of `setset.Size.statistics`.
    """
    rows: list[Row] = [
        {"by": str(bin_.by), "value": str(bin_.value), "x": _position(bin_.value, bin_.cards), "lists": bin_.lists}
        for bin_ in histograms.bins
    ]
    panels = [_panel(by) for by in dict.fromkeys(row["by"] for row in rows)]
    chart = altair().vconcat(*panels, data=table(rows))
    notes = [f"{number(histograms.lists)} lists: {histograms.counts}."]
    return finish(
        chart, f"Lists of {histograms.size} cards", notes, f"setset statistics --size {histograms.size}", height=None
    )


def _position(value: int | str, cards: int | None) -> int:
    """Position of a bar on the horizontal axis: a number of cards, a card, or the number of a class."""
    return int(str(value).rpartition("/")[2]) if cards is None else cards


def _panel(by: str) -> Chart:
    alt = altair()
    x = alt.X("x:Q").title(AXES[by]).axis(tickMinStep=1, format="d")
    panel = alt.Chart().transform_filter(f"datum.by == '{by}'").properties(width=WIDTH, height=120)
    tooltip = ["value:N", "x:Q", alt.Tooltip("lists:Q", format=",")]
    if by == "feature":
        ordinal = alt.X("x:O").title(AXES[by]).axis(labelAngle=0)
        colour = alt.Color("lists:Q").title("lists").scale(scheme="blues").legend(type="symbol", format="~s")
        return panel.mark_rect().encode(
            x=ordinal, y=alt.Y("value:N").sort(None).title(None), color=colour, tooltip=tooltip
        )
    y = alt.Y("lists:Q").title("lists").axis(format="~s")
    return panel.mark_bar(color=BLUE, width=3).encode(x=x, y=y, tooltip=tooltip)
