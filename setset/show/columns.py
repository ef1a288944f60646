"""Makes tables fit the terminal, so that no row wraps.

A table on a narrow terminal first shortens the values of columns that allow it (`least`), then leaves out columns with
the lowest importance. If even the columns that are never left out do not fit, each row becomes a block with a line per
column, and nothing is left out.
"""

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass, field

GAP = 2
"""Number of spaces between two columns."""
LEAST_ROOM = 10
"""Minimum width of the values if rows become blocks, even on a narrower terminal."""
LONG = 10_000
"""Maximum length of a text that is wrapped between words. Longer texts break anywhere."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table: its title, and how it may shrink on a narrow terminal.

    >>> Column("host", importance=30, least=12)
    Column(title='host', importance=30, least=12, left=False)
    """

    title: str
    importance: int | None = None
    """Columns of lower importance are left out first. A column with None is never left out."""
    least: int | None = None
    """Minimum width to which values may be shortened. With None, values are never shortened."""
    left: bool = False
    """Whether the column is aligned to the left."""


@dataclass(frozen=True, slots=True)
class Layout:
    """Result of `fit`: the widths of the shown columns by index (empty if rows become blocks), and titles of columns
    left out."""

    widths: dict[int, int] = field(default_factory=dict)
    left_out: tuple[str, ...] = ()
    shortened: bool = False

    @property
    def total(self) -> int:
        """Width of the whole table in characters."""
        return sum(self.widths.values()) + GAP * (len(self.widths) - 1)


def text_width(text: str) -> int:
    """Width of a text on a terminal. East Asian letters take two columns.

    >>> text_width("set"), text_width("集合")
    (3, 4)
    """
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def shorten(text: str, width: int, ellipsis: str = "…") -> str:
    """Shortens a text to a width, with an ellipsis at the end.

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
    """Wraps a text into lines, broken between words if possible.

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
    """Chooses the columns of a table that fit the terminal, and the width of each column.

    Args:
        columns: all columns.
        natural: width of the widest value or title of each column.
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
    shown = [index for index, column in enumerate(columns) if column.importance is None]
    if _total(floors, shown) > room:
        return Layout()
    optional = sorted(set(range(len(columns))) - set(shown), key=lambda index: -(columns[index].importance or 0))
    for index in optional:
        if _total(floors, [*shown, index]) <= room:
            shown.append(index)
    shown.sort()
    widths = {index: natural[index] for index in shown}
    for most in range(room, 0, -1):  # shortens the widest columns first
        if _total(widths, shown) <= room:
            break
        widths = {index: max(floors[index], min(natural[index], most)) for index in shown}
    left_out = tuple(column.title for index, column in enumerate(columns) if index not in shown)
    return Layout(widths, left_out, any(widths[index] < natural[index] for index in shown))


def _total(widths: Sequence[int] | dict[int, int], shown: Sequence[int]) -> int:
    return sum(widths[index] for index in shown) + GAP * (len(shown) - 1)


def block_lines(titles: Sequence[str], values: Sequence[str | None], room: int | None) -> list[str]:
    """Formats a line per value: title, then value. A line longer than `room`, the width of the terminal, is wrapped,
    and its further lines are indented to the beginning of the value. If `room` is None, no line is wrapped.

    If a value is None, its title has no line. All values are indented by the width of the longest title, even if this
    title has no line.

    >>> block_lines(["cards", "complete"], ["0 1 3 9 27 40", "no"], 20)
    ['cards     0 1 3 9 27', '          40', 'complete  no']
    """
    indent = max(map(text_width, titles), default=0) + GAP
    if room is not None:
        indent = min(indent, max(room // 2, LEAST_ROOM))
    block = []
    for title, value in zip(titles, values, strict=True):
        if value is None:
            continue
        lines = [value] if room is None else fold(value, max(room - indent, LEAST_ROOM))
        name = shorten(title, indent - GAP)
        block.append((name + " " * (indent - text_width(name)) + lines[0]).rstrip())
        block += [" " * indent + line for line in lines[1:]]
    return block
