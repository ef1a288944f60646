"""Lists of cards, a line each, as fast as they come."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import click

from setset.cards import CARDS, name
from setset.listtext import ListText
from setset.show.formatting import to_json

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

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

    text = _list_text(names, as_json)
    for chunk in chunks:
        rows = np.asarray(chunk[:limit], np.uint8)
        for start in range(0, len(rows), BLOCK):
            click.echo(text.encode(rows[start : start + BLOCK]), nl=False)
        if limit is not None:
            limit -= len(rows)
            if not limit:
                return


def _list_text(names: bool, as_json: bool) -> ListText:
    words = [name(card) if names else str(card) for card in range(CARDS)]
    between = ", " if names or as_json else " "
    if as_json:
        return ListText([to_json(word) if names else word for word in words], between, "[", "]\n")
    return ListText(words, between)
