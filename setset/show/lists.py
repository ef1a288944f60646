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


def print_lists(
    chunks: Iterable[npt.NDArray[np.uint8] | Sequence[Sequence[int]]],
    names: bool,
    as_json: bool,
    limit: int | None = None,
) -> None:
    """A list a line, at most `limit`, as they come; JSON makes an array of each."""
    words = [name(card) if names else str(card) for card in range(CARDS)]
    start, between, end = "", ", " if names else " ", ""
    if as_json:
        words = [json.dumps(word) if names else word for word in words]
        start, between, end = "[", ", ", "]"
    for chunk in chunks:
        rows = chunk[:limit]
        if len(rows):  # an echo each would take most of the time
            lines = (start + between.join([words[card] for card in row]) + end for row in rows)
            click.echo("\n".join(lines))
        if limit is not None:
            limit -= len(rows)
            if not limit:
                return
