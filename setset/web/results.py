"""Results of SQL queries as pages show them: hands in cells, and a small chart of each column of numbers."""

import math
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from typing import Any, Final

from setset.cards import CARDS, LARGEST, Cards
from setset.show.formatting import number

WIDTH: Final = 500
HEIGHT: Final = 150
"""Width and height of the plot area of a chart, in SVG units."""
MOST_PANELS: Final = 4
MOST_BARS: Final = 60
"""Maximum number of rows drawn as bars. More rows, and rows by time, become a line."""
LOGARITHMIC: Final = 1_000
"""The scale is logarithmic if all values are positive and the largest is more than this many times the smallest."""
LETTERS: Final = 16
"""Maximum number of letters of a label below a chart."""
TIME: Final = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d")
CLASS: Final = re.compile(r"\d{1,2}/\d{1,4}")
Scale = Callable[[float], float]
"""Function from a value to its distance from the top of a chart."""
Ticks = tuple[tuple[float, str], ...]
UNITS: Final = ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"))


@dataclass(frozen=True)
class Mark:
    """A row in a chart: its strip (from `left`, `width` wide), and the point of its value, with `y` from the top."""

    left: float
    width: float
    x: float
    y: float
    title: str
    """All values of the row, one per line."""
    path: str
    """Path of a page about the row. Empty if there is no such page."""


@dataclass(frozen=True)
class Panel:
    """Chart of one column: its marks, and the labels of both axes with their positions."""

    column: str
    marks: tuple[Mark, ...]
    is_line: bool
    zero: float
    """Distance of the value 0, where bars begin, from the top."""
    ticks: Ticks
    labels: Ticks


def hand_in(value: Any) -> Cards:
    """Parses the value of a table cell such as '0 1 3 9' as cards to draw. Empty if the value is not a hand."""
    words = value.split(" ") if isinstance(value, str) else value if isinstance(value, list | tuple) else ()
    if not 3 <= len(words) <= LARGEST or not all(str(word).isdecimal() and len(str(word)) <= 2 for word in words):
        return ()
    cards = tuple(map(int, words))
    return cards if len(set(cards)) == len(cards) and max(cards) < CARDS else ()


def draw_panels(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> list[Panel]:
    """Charts the columns of numbers of a result, row by row or over time. The first column names the rows.

    Returns:
        A chart per column, at most MOST_PANELS. Empty if there is nothing to draw.
    """
    chosen = [index for index in range(len(columns)) if _is_numeric([row[index] for row in rows])]
    chosen = [index for index in chosen if index or len(columns) == 1][:MOST_PANELS]
    if len(rows) < 2 or not chosen:
        return []
    names = [str(row[0]) if len(columns) > 1 else str(at) for at, row in enumerate(rows, 1)]
    is_time = all(map(TIME.match, names))
    is_line = is_time or len(rows) > MOST_BARS
    positions = _positions(names) if is_line else [(at + 0.5) / len(rows) * WIDTH for at in range(len(rows))]
    titles = ["\n".join(f"{column}: {_spell(row[at])}" for at, column in enumerate(columns)) for row in rows]
    paths = [_path(columns, row) for row in rows]
    labels, width = tuple(_labels(names, positions, is_time)), max(WIDTH / len(rows), 3.0)
    panels = []
    for index in chosen:
        known = [float(row[index]) for row in rows if row[index] is not None]
        scale, ticks = (
            _logarithmic(known) if min(known) * LOGARITHMIC < max(known) and min(known) > 0 else _linear(known)
        )
        marks = tuple(
            Mark(position - width / 2, width, position, scale(float(row[index])), title, path)
            for position, row, title, path in zip(positions, rows, titles, paths, strict=True)
            if row[index] is not None
        )
        panels.append(Panel(columns[index], marks, is_line, scale(0.0), ticks, labels))
    return panels


def _is_numeric(values: Sequence[Any]) -> bool:
    known = [value for value in values if value is not None]
    return bool(known) and all(isinstance(value, int | float) and math.isfinite(value) for value in known)


def _positions(names: Sequence[str]) -> list[float]:
    """Horizontal positions of the points of a chart. If the names are times or numbers that only rise or only fall, the
    positions are to scale. Otherwise their distances are equal."""
    keys: list[float] = list(range(len(names)))
    with suppress(ValueError):
        read = [datetime.fromisoformat(name).timestamp() if TIME.match(name) else float(name) for name in names]
        steps = [after - before for before, after in pairwise(read)]
        if all(math.isfinite(step) for step in steps) and (min(steps) > 0 or max(steps) < 0):
            keys = read
    least, span = min(keys), max(keys) - min(keys)
    return [WIDTH * (key - least) / span for key in keys]


def _logarithmic(values: Sequence[float]) -> tuple[Scale, Ticks]:
    low, high = math.ceil(math.log10(min(values))) - 1, math.log10(max(values))

    def scale(value: float) -> float:
        return HEIGHT * (high - math.log10(value)) / (high - low) if value > 0 else HEIGHT

    powers = range(low, math.floor(high) + 1, math.ceil((high - low) / 4))
    return scale, tuple((scale(10.0**power), _short(10.0**power)) for power in powers)


def _linear(values: Sequence[float]) -> tuple[Scale, Ticks]:
    low, high = min(*values, 0.0), max(*values, 0.0)
    high = high if high > low else low + 1

    def scale(value: float) -> float:
        return HEIGHT * (high - value) / (high - low)

    least = (high - low) / 4
    power = 10.0 ** math.floor(math.log10(least))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= least)
    marked = [step * count for count in range(math.ceil(low / step), math.floor(high / step) + 1)]
    return scale, tuple((scale(value), _short(value)) for value in marked)


def _short(value: float) -> str:
    for size, letter in UNITS:
        if abs(value) >= size:
            return f"{value / size:.3g} {letter}"
    return f"{value:.3g}"


def _labels(names: Sequence[str], positions: Sequence[float], is_time: bool) -> Iterator[tuple[float, str]]:
    """Yields the labels below a chart, with their positions. Leaves out labels that have no room."""
    if is_time:
        one_day = len({name[:10] for name in names}) == 1
        names = [name[11:16] if one_day else name[:10] for name in names]
    room = 9 * min(max(map(len, names)), LETTERS) + 12
    before = -float(WIDTH)
    for position, name in sorted(zip(positions, names, strict=True)):
        if position - before >= room:
            before = position
            yield position, name[:LETTERS]


def _spell(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.6g}"
    return number(value) if isinstance(value, int) else str("" if value is None else value)[:80]


def _path(columns: Sequence[str], row: Sequence[Any]) -> str:
    """Path of the page about a row: about the class in the row, otherwise about the first hand in the row, otherwise
    about the classes of the size in the row. Empty if the row has none of these."""
    named = dict(zip(columns, row, strict=True))
    if CLASS.fullmatch(str(named.get("class"))):
        return f"classes/{named['class']}"
    hand = next(filter(None, map(hand_in, row)), ())
    if hand:
        return "identify?cards=" + ",".join(map(str, hand))
    size = named.get("size")
    return f"classes/{size}" if isinstance(size, int) and 0 <= size <= LARGEST else ""
