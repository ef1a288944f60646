"""Style of all charts: colours that colour-blind people tell apart, sizes, titles, and where the numbers are from."""

import textwrap
from collections.abc import Iterable, Sequence
from typing import Any, Final

from setset import __version__
from setset.errors import require_extra

BLUE: Final = "#0072b2"
ORANGE: Final = "#e69f00"
GREEN: Final = "#009e73"
RED: Final = "#d55e00"
PINK: Final = "#cc79a7"
SKY: Final = "#56b4e9"
BLACK: Final = "#000000"
GREY: Final = "#999999"
COLOURS: Final = (BLUE, RED, GREEN, ORANGE, PINK, SKY, BLACK, GREY)
"""Okabe and Ito's, the faint yellow left out; shapes or places tell things apart as well."""
SHAPES: Final = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "stroke", "wedge")
WIDTH: Final = 360
HEIGHT: Final = 240
"""Size of the plot; with its axes some 430 wide, so that 11-pixel text is 6 points high in a column of 80 mm."""
LETTERS: Final = 58
"""Letters per line of a title. Notes have smaller letters."""
FONT: Final = "Liberation Sans, Arial, Helvetica, sans-serif"
"""The first one comes with vl-convert, so that a chart is the same on every machine."""

Row = dict[str, Any]
Chart = Any
"""An Altair chart: Altair is an extra, which type checkers may not have."""


def altair() -> Any:
    """Altair, or the error that says how to install it. It takes a second to import, so only charts do."""
    with require_extra("plot", "a chart"):
        import altair

    return altair


def table(rows: Iterable[Row]) -> Any:
    """The rows of a chart. All its layers share them, so that they can be read again from the chart."""
    return altair().InlineData(values=[dict(row) for row in rows])


def finish(chart: Chart, title: str, notes: Sequence[str], source: str, height: Any = HEIGHT) -> Chart:
    """The chart with its size, title, notes on what is shown, its source, and the style of all charts.

    A chart of several has no height of its own: None.
    """
    alt = altair()
    if height is not None:
        chart = chart.properties(width=WIDTH, height=height)
    lines = [*notes, f"Source: setset {__version__}, {source}"]
    heading = alt.TitleParams(
        text=textwrap.wrap(title, LETTERS),
        subtitle=[part for line in lines for part in textwrap.wrap(line, LETTERS + 24)],
        anchor="start",
        frame="bounds",
        offset=10,
    )
    # One weight of one font throughout: the order of several in a PDF is another one each time.
    plain = {"labelFont": FONT, "titleFont": FONT, "titleFontWeight": "normal", "labelFontWeight": "normal"}
    return (
        chart.properties(title=heading, description=f"{title}. {' '.join(lines)}", background="white")
        .configure(font=FONT)
        .configure_title(
            fontSize=14, fontWeight="normal", subtitleFontSize=10, subtitleColor="#555555", subtitlePadding=4
        )
        .configure_axis(labelFontSize=11, titleFontSize=11, gridColor="#e5e5e5", **plain)
        .configure_legend(labelFontSize=11, titleFontSize=11, labelLimit=260, **plain)
        .configure_header(labelFontSize=11, titleFontSize=11, **plain)
        .configure_view(stroke="#cccccc")
    )


def categories(names: Sequence[str]) -> tuple[Any, Any]:
    """A scale of colours and one of shapes for some names, in this order."""
    alt = altair()
    ranges = [[each[place % len(each)] for place in range(len(names))] for each in (COLOURS, SHAPES)]
    colours, shapes = (alt.Scale(domain=list(names), range=values) for values in ranges)
    return colours, shapes


def cards_axis() -> Any:
    """The horizontal axis of charts by number of cards."""
    return altair().X("size:Q").title("cards").axis(tickMinStep=1, format="d")


def below(channel: Any, scale: Any, title: str | None = None, columns: Any = None) -> Any:
    """A channel with its scale and a legend below the chart."""
    alt = altair()
    more = {} if columns is None else {"columns": columns}
    return channel.scale(scale).legend(alt.Legend(title=title, orient="bottom", **more))
