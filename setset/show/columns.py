"""How a table fits a terminal: columns have an importance, and no row is ever wrapped.

Where there is room for all columns, all are shown. Where there is not, values that may be shortened are, and the
least important columns are left out; `Layout.left_out` says which. Where not even the others fit, each row becomes
a block of lines, a column a line, with nothing left out.
"""

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass, field

GAP = 2
"""Places between two columns."""
LEAST_ROOM = 10
"""Minimum width of a value in a block, however narrow the terminal is."""
LONG = 10_000
"""Longer texts are cut at the end of a line, not at a space."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column and what may be done to it where there is no room for all.

    >>> Column("host", importance=30, least=12)
    Column(title='host', importance=30, least=12, left=False)
    """

    title: str
    importance: int | None = None
    """Columns with a lower number are left out first; one without a number never is."""
    least: int | None = None
    """Values may be shortened to this many places; without it they are not."""
    left: bool = False
    """Whether it is aligned to the left."""


@dataclass(frozen=True, slots=True)
class Layout:
    """The columns that are shown, by their places, with their widths; none if rows become blocks."""

    widths: dict[int, int] = field(default_factory=dict)
    left_out: tuple[str, ...] = ()
    shortened: bool = False

    @property
    def total(self) -> int:
        """How wide the table is."""
        return sum(self.widths.values()) + GAP * (len(self.widths) - 1)


def text_width(text: str) -> int:
    """How many places a text takes on a terminal: east asian letters take two.

    >>> text_width("set"), text_width("集合")
    (3, 4)
    """
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def shorten(text: str, width: int, ellipsis: str = "…") -> str:
    """The text, with an ellipsis in the place of what does not fit.

    >>> shorten("red one solid diamond", 8)
    'red one…'
    """
    if text_width(text) <= width:
        return text
    if text.isascii():
        return text[: width - 1].rstrip() + ellipsis
    from rich.cells import set_cell_size

    return set_cell_size(text[:width], width - 1).rstrip() + ellipsis


def fold(text: str, width: int) -> list[str]:
    """The lines of a text that is longer than a line, broken between words where that is possible.

    >>> fold("0 1 3 9 27", 5)
    ['0 1 3', '9 27']
    """
    if text_width(text) <= width:
        return [text]
    if not text.isascii():
        from rich.cells import chop_cells

        return chop_cells(text, width)
    if len(text) > LONG:
        return [text[start : start + width] for start in range(0, len(text), width)]
    return textwrap.wrap(text, width, break_on_hyphens=False) or [""]


def fit(columns: Sequence[Column], natural: Sequence[int], room: int | None) -> Layout:
    """Columns to show in a given width, and the width of each.

    Args:
        columns: all columns.
        natural: for each the width of its widest value or title.
        room: the width of the terminal; None shows everything.

    >>> fit([Column("size"), Column("host", importance=1), Column("command", least=10)], [4, 10, 30], 24)
    Layout(widths={0: 4, 2: 18}, left_out=('host',), shortened=True)
    """
    if room is None:
        return Layout(dict(enumerate(natural)))
    floors = [
        width if column.least is None else min(width, column.least)
        for column, width in zip(columns, natural, strict=True)
    ]
    kept = [place for place, column in enumerate(columns) if column.importance is None]
    if _total(floors, kept) > room:
        return Layout()
    others = sorted(set(range(len(columns))) - set(kept), key=lambda place: -(columns[place].importance or 0))
    for place in others:
        if _total(floors, [*kept, place]) <= room:
            kept.append(place)
    kept.sort()
    widths = {place: natural[place] for place in kept}
    for most in range(room, 0, -1):  # the widest values are shortened first, to one width
        if _total(widths, kept) <= room:
            break
        widths = {place: max(floors[place], min(natural[place], most)) for place in kept}
    left_out = tuple(column.title for place, column in enumerate(columns) if place not in kept)
    return Layout(widths, left_out, any(widths[place] < natural[place] for place in kept))


def _total(widths: Sequence[int] | dict[int, int], kept: Sequence[int]) -> int:
    return sum(widths[place] for place in kept) + GAP * (len(kept) - 1)


def block_lines(titles: Sequence[str], values: Sequence[str | None], room: int | None) -> list[str]:
    """A line for each value behind its title; a value that is longer than the room goes on below itself.

    What has no value has no line, but its title counts for where values begin.

    >>> block_lines(["cards", "complete"], ["0 1 3 9 27 40", "no"], 20)
    ['cards     0 1 3 9 27', '          40', 'complete  no']
    """
    indent = max(map(text_width, titles), default=0) + GAP
    if room is not None:
        indent = min(indent, max(room // 2, LEAST_ROOM))
    found = []
    for title, value in zip(titles, values, strict=True):
        if value is None:
            continue
        lines = [value] if room is None else fold(value, max(room - indent, LEAST_ROOM))
        name = shorten(title, indent - GAP)
        found.append((name + " " * (indent - text_width(name)) + lines[0]).rstrip())
        found += [" " * indent + line for line in lines[1:]]
    return found
