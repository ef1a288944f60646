"""Common style of all charts: sizes, titles, colours that colour-blind people can distinguish, and the source line."""

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
"""Colours of series: the palette of Okabe and Ito without its faint yellow. Series also differ in shape or position."""
SHAPES: Final = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "stroke", "wedge")
WIDTH: Final = 360
HEIGHT: Final = 240
"""Width and height of the plot area in pixels. A chart with its axes is about 430 pixels wide. If it is printed 80 mm
wide, letters of 11 pixels are about 6 points high."""
LETTERS: Final = 58
"""Maximum number of characters per line of a title. Notes have smaller letters and longer lines."""
FONT: Final = "Liberation Sans, Arial, Helvetica, sans-serif"
"""Font of all texts. vl-convert has Liberation Sans, so a chart is the same on every machine."""

Row = dict[str, Any]
Chart = Any
"""Type of an Altair chart. It is Any, because Altair is an extra that may not be installed."""


def altair() -> Any:
    """Imports Altair; if it is missing, raises MissingExtra with the command to install it. Only charts import Altair,
    because the import takes a second."""
    with require_extra("plot", "a chart"):
        import altair

    return altair


def table(rows: Iterable[Row]) -> Any:
    """Converts rows to chart data. All layers of a chart share the same data, so that `read_rows` can find the rows."""
    return altair().InlineData(values=[dict(row) for row in rows])


def finish(chart: Chart, title: str, notes: Sequence[str], source: str, height: Any = HEIGHT) -> Chart:
    """Adds size, title, notes and source line to a chart, in the common style.

    `height` must be None for a chart made of several charts, because such a chart has no height of its own.
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
    # Uses one font in one weight, because the order of several fonts in a PDF changes each time.
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
    """Makes a colour scale and a shape scale for series with the given names."""
    alt = altair()
    ranges = [[values[index % len(values)] for index in range(len(names))] for values in (COLOURS, SHAPES)]
    colours, shapes = (alt.Scale(domain=list(names), range=values) for values in ranges)
    return colours, shapes


def cards_axis() -> Any:
    """Makes the horizontal axis of charts by number of cards."""
    return altair().X("size:Q").title("cards").axis(tickMinStep=1, format="d")


def below(channel: Any, scale: Any, title: str | None = None, columns: Any = None) -> Any:
    """Adds a scale, and a legend below the chart, to an Altair channel such as a colour."""
    alt = altair()
    more = {} if columns is None else {"columns": columns}
    return channel.scale(scale).legend(alt.Legend(title=title, orient="bottom", **more))
