"""Prints lists of cards, one per line, as soon as they are computed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import click

from setset.cards import CARDS, name
from setset.listtext import ListText
from setset.show.commands import command_line
from setset.show.formatting import byte_count, print_line, to_json

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

BLOCK = 8_192
"""Number of lists to format and write at once: few enough to stay in the processor's cache."""


def print_lists(
    chunks: Iterable[npt.NDArray[np.uint8] | Sequence[Sequence[int]]],
    names: bool,
    as_json: bool,
    limit: int | None = None,
) -> None:
    """Prints at most `limit` lists as they arrive, one per line. In JSON, each line is an array."""
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


CORE_HOURS = {12: (0.19, 0.67, 12.5e9), 15: (2.1, 6.7, 190e9), 16: (2.8, 7.9, 198e9), 17: (2.4, 4.4, 100e9)}
CORE_HOURS[18] = (1.3, 1.4, 11e9)
"""For some sizes: core-hours to count all lists, core-hours to store all lists, and bytes stored (docs/answers.md)."""


def suggest_lists(error: Exception, size: int, target: int | None, lists: int) -> None:
    """Prints on stderr why a workspace has no lists of a size, and commands that compute, store or count the lists."""
    print_line(f"setset: {error}", err=True)
    without_run = {
        f"lists {size} --from-classes": "all lists, class by class",
        f"classes list {size}": "the classes of these lists",
        f"unrank {size} {lists // 2}": "the list of any rank",
        f"sample {size} --count 5": "random lists",
    }
    commands = {command_line(words): meaning for words, meaning in without_run.items()}
    width = max(map(len, commands))
    lines = [f"without a run, all {lists:,} lists of {size} cards:"]
    lines += [f"  {command:<{width}}  {meaning}" for command, meaning in commands.items()]
    lines += [f"with a run that stores or counts the lists{' size by size' if size < 12 else ''}:"]
    run = f"run {size}" + (f" --target {target or size}" if (target or size) > 12 or target else "")
    if size < 12:
        lines.append(f"  {command_line(run)}  (time and disk: {command_line(run.replace('run', 'estimate', 1))})")
    else:
        lines += [f"  {command_line(f'{run} --{work} {size}')}  {cost}" for work, cost in _costs(size).items()]
    for line in lines:
        print_line(line, err=True)


def _costs(size: int) -> dict[str, str]:
    """Texts with the time and disk space that a run needs to store, and to count, all lists of a size."""
    if size not in CORE_HOURS:
        return dict.fromkeys(("store", "count"), "(add --dry-run to see time and disk)")
    count, store, room = CORE_HOURS[size]
    return {
        "store": f"about {store} core-hours, {byte_count(int(room))}",
        "count": f"about {count} core-hours, no files",
    }
