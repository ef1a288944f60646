"""Lists of cards, a line each, as fast as they come."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import click

from setset.cards import CARDS, name

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Words = npt.NDArray[np.bytes_]

BLOCK = 8_192
"""Lists whose text is made and written at once: few enough to stay in the processor's cache."""


def print_lists(
    chunks: Iterable[npt.NDArray[np.uint8] | Sequence[Sequence[int]]],
    names: bool,
    as_json: bool,
    limit: int | None = None,
) -> None:
    """A list a line, at most `limit`, as they come; JSON makes an array of each."""
    import numpy as np

    tables = _words(names, as_json)
    for chunk in chunks:
        rows = np.asarray(chunk[:limit], np.uint8)
        for start in range(0, len(rows), BLOCK):
            click.echo(_text(rows[start : start + BLOCK], tables, as_json), nl=False)
        if limit is not None:
            limit -= len(rows)
            if not limit:
                return


def _words(names: bool, as_json: bool) -> tuple[Words, Words, Words]:
    """The text of each card as the first of a line, in between, and as the last.

    All of one width, filled up with zero bytes: a power of two, which numpy is quick to copy.
    """
    import numpy as np

    words = [name(card) if names else str(card) for card in range(CARDS)]
    start, between, end = "", ", " if names or as_json else " ", "\n"
    if as_json:
        words = [json.dumps(word) if names else word for word in words]
        start, end = "[", "]\n"
    longest = max(map(len, words)) + len(start + between)
    width = 1 << (longest - 1).bit_length()
    before, amid, after = (
        np.array([f"{left}{word}{right}".encode() for word in words], f"S{width}")
        for left, right in ((start, between), ("", between), ("", end))
    )
    return before, amid, after


def _text(rows: npt.NDArray[np.uint8], tables: tuple[Words, Words, Words], as_json: bool) -> bytes:
    """The lines of some lists."""
    import numpy as np

    if rows.shape[1] < 2:  # first and last at once, or no card at all
        opening, closing = ("[", "]\n") if as_json else ("", "\n")
        last = [[table.decode() for table in tables[2][row]] for row in rows]
        return "".join(opening + (row[0] if row else closing) for row in last).encode()
    before, amid, after = tables
    cells = np.take(amid, rows)
    cells[:, 0] = np.take(before, rows[:, 0])
    cells[:, -1] = np.take(after, rows[:, -1])
    return cells.tobytes().translate(None, b"\0")
