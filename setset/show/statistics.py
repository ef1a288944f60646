"""Prints histograms of lists as tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from setset.cards import name
from setset.show.columns import Column
from setset.show.formatting import number, print_table, share

if TYPE_CHECKING:
    from setset.statistics.histograms import Statistics

TITLES = {
    "remaining": "cards that remain",
    "lowest": "lowest card",
    "highest": "highest card",
    "card": "card in the list",
    "class": "class",
}


def print_statistics(statistics: Statistics, wide: bool = False) -> None:
    """Prints a table per histogram."""
    click.echo(f"{number(statistics.lists)} lists: {statistics.counts}")
    for by in dict.fromkeys(bin_.by for bin_ in statistics.bins):
        click.echo("")
        _print_features(statistics) if by == "feature" else _print_histogram(statistics, by, wide)


def _print_histogram(statistics: Statistics, by: str, wide: bool) -> None:
    columns = [Column(TITLES[by], left=True), Column("lists"), Column("share")]
    is_card = by in ("lowest", "highest", "card")
    rows = []
    for bin_ in statistics.bins:
        if bin_.by == by:
            row = [str(bin_.value), number(bin_.lists), share(bin_.lists, statistics.lists)]
            rows.append([*row, name(int(bin_.value))] if is_card else row)
    print_table("", [*columns, Column("name", 10, left=True)] if is_card else columns, rows, wide=wide)


def _print_features(statistics: Statistics) -> None:
    """Prints a row per value of a feature, such as red: the shares of the lists with 0, 1, 2, ... cards of this
    value."""
    bins = [bin_ for bin_ in statistics.bins if bin_.by == "feature"]
    counts = sorted({bin_.cards for bin_ in bins if bin_.cards is not None})
    lists = {(bin_.value, bin_.cards): bin_.lists for bin_ in bins}
    rows = [
        [str(value), *(share(lists.get((value, cards), 0), statistics.lists) for cards in counts)]
        for value in dict.fromkeys(bin_.value for bin_ in bins)
    ]
    print_table("share of the lists by number of cards", ["value", *map(str, counts)], rows, wide=True)
