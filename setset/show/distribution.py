"""Hands by their number of sets, as tables and as JSON."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import click

from setset.distribution.counts import HandCounts, sets_by_differences
from setset.show.columns import Column
from setset.show.formatting import how_many, number, print_json, print_records, spaced


def print_overview(tables: Sequence[HandCounts], as_json: bool, wide: bool) -> None:
    """A row per size."""
    if as_json:
        print_json([_summary(each) for each in tables])
        return
    columns = {
        Column("cards", left=True): lambda each: str(each.size),
        Column("hands"): lambda each: number(each.hands),
        Column("no set", 50): lambda each: number(each.counts[0]),
        Column("mean", 40): lambda each: number(float(each.mean), 3),
        Column("mode", 30): lambda each: str(each.mode),
        Column("most sets"): lambda each: str(each.most),
        Column("in hands", 60): lambda each: number(each.counts[-1]),
        Column("never", 20): lambda each: spaced(each.missing),
    }
    print_records(columns, tables, "Hands by the number of sets that they hold", wide)
    click.echo("\nmost sets: the most that these cards can hold, and in how many hands; never: sets in no hand")
    click.echo("setset hands 12 has the number of hands for each number of sets")


def print_hands(table: HandCounts, as_json: bool, wide: bool) -> None:
    """A row per number of sets that occurs, then the figures of the whole."""
    rows = [(sets, count, table.chance(sets)) for sets, count in enumerate(table.counts) if count]
    if as_json:
        found = [{"sets": sets, "hands": count, "chance": chance} for sets, count, chance in rows]
        print_json({**_summary(table), "counts": found})
        return
    columns = {
        Column("sets", left=True): lambda row: str(row[0]),
        Column("hands"): lambda row: number(row[1]),
        Column("percent"): lambda row: percent(row[2]),
        Column("1 in"): lambda row: one_in(row[2]),
    }
    cards = how_many(table.size, "card")
    print_records(columns, rows, f"The {number(table.hands)} hands of {cards} by the sets that they hold", wide)
    click.echo(f"\nmean   {number(float(table.mean), 4)} sets ({table.mean})")
    click.echo(f"mode   {table.mode} sets, in {percent(table.chance(table.mode))} of all hands")
    click.echo(f"most   {how_many(table.most, 'set')}, in {how_many(table.counts[-1], 'hand')}")
    if table.missing:
        click.echo(f"never  {spaced(table.missing)} sets")
    kinds = [f"in {features}: {share}" for features, share in _kinds().items()]
    click.echo(f"of all sets, features that differ  {', '.join(kinds)}")


def percent(share: Fraction) -> str:
    """'3.230 %', '4.3e-06 %'"""
    value = float(share) * 100
    return f"{value:.3f} %" if value >= 0.01 else f"{value:.1e} %"


def one_in(share: Fraction) -> str:
    """The number of hands per such hand: '30.96', '1,234,567'"""
    value = 1 / share
    return number(float(value), 2) if value < 1000 else number(round(value))


def _kinds() -> dict[int, str]:
    counts = sets_by_differences()
    return {features: f"{count * 100 // sum(counts)} %" for features, count in enumerate(counts) if count}


def _summary(table: HandCounts) -> dict[str, Any]:
    return {
        "cards": table.size,
        "hands": table.hands,
        "mean": table.mean,
        "mode": table.mode,
        "least": table.least,
        "most": table.most,
        "hands_with_most": table.counts[-1],
        "never": table.missing,
    }
