"""Histograms of lists as tables."""

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
    """A table for each histogram."""
    click.echo(f"{number(statistics.lists)} lists: {statistics.counts}")
    for by in dict.fromkeys(each.by for each in statistics.bins):
        click.echo("")
        _print_features(statistics) if by == "feature" else _print_histogram(statistics, by, wide)


def _print_histogram(statistics: Statistics, by: str, wide: bool) -> None:
    columns = [Column(TITLES[by], left=True), Column("lists"), Column("share")]
    is_card = by in ("lowest", "highest", "card")
    rows = []
    for each in statistics.bins:
        if each.by == by:
            row = [str(each.value), number(each.lists), share(each.lists, statistics.lists)]
            rows.append([*row, name(int(each.value))] if is_card else row)
    print_table("", [*columns, Column("name", 10, left=True)] if is_card else columns, rows, wide=wide)


def _print_features(statistics: Statistics) -> None:
    """A row for each value of a feature: shares of the lists with 0, 1, 2 and so on cards that have it."""
    bins = [each for each in statistics.bins if each.by == "feature"]
    counts = sorted({each.cards for each in bins if each.cards is not None})
    found = {(each.value, each.cards): each.lists for each in bins}
    rows = [
        [str(value), *(share(found.get((value, cards), 0), statistics.lists) for cards in counts)]
        for value in dict.fromkeys(each.value for each in bins)
    ]
    print_table("share of the lists by number of cards", ["value", *map(str, counts)], rows, wide=True)
