"""Prints the numbers of hands with k sets (`setset hands`) as tables or JSON."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import click

from setset.distribution.counts import HandCounts, sets_by_differences
from setset.show.columns import Column
from setset.show.commands import command_line
from setset.show.formatting import how_many, number, print_json, print_records, spaced


def print_overview(tables: Sequence[HandCounts], as_json: bool, wide: bool) -> None:
    """Prints a summary of the numbers of hands with k sets: a row per size of the hands, or JSON."""
    if as_json:
        print_json([_summary(table) for table in tables])
        return
    columns = {
        Column("cards", left=True): lambda table: str(table.size),
        Column("hands"): lambda table: number(table.hands),
        Column("no set", 50): lambda table: number(table.counts[0]),
        Column("mean", 40): lambda table: number(float(table.mean), 3),
        Column("mode", 30): lambda table: str(table.mode),
        Column("most sets"): lambda table: str(table.most),
        Column("in hands", 60): lambda table: number(table.counts[-1]),
        Column("never", 20): lambda table: spaced(table.missing),
    }
    print_records(columns, tables, "Hands by the number of sets that they hold", wide)
    click.echo("\nmost sets: maximum number of sets in a hand of this size, and number of such hands")
    click.echo("never: numbers of sets that no hand of this size has")
    click.echo(f"{command_line('hands 12')} prints the number of hands for each number of sets")


def print_hands(table: HandCounts, as_json: bool, wide: bool) -> None:
    """Prints how many hands of one size have k sets: a row per k that occurs, then mean, mode and maximum of k."""
    if as_json:
        print_json(table_as_json(table))
        return
    columns = {
        Column("sets", left=True): lambda row: str(row["sets"]),
        Column("hands"): lambda row: number(row["hands"]),
        Column("percent"): lambda row: percent(row["chance"]),
        Column("1 in"): lambda row: one_in(row["chance"]),
    }
    rows = table_as_json(table)["counts"]
    title = f"{how_many(table.hands, 'hand')} of {how_many(table.size, 'card')}, by number of sets"
    print_records(columns, rows, title, wide)
    click.echo(f"\nmean   {number(float(table.mean), 4)} sets ({table.mean})")
    click.echo(f"mode   {table.mode} sets, in {percent(table.chance(table.mode))} of all hands")
    click.echo(f"most   {how_many(table.most, 'set')}, in {how_many(table.counts[-1], 'hand')}")
    if table.missing:
        click.echo(f"never  {spaced(table.missing)} sets")
    kinds = [f"{features}: {share}" for features, share in _kinds().items()]
    click.echo(f"all sets, by number of features that differ  {', '.join(kinds)}")


def table_as_json(table: HandCounts) -> dict[str, Any]:
    """Converts the counts of hands of a size to JSON: a summary, and a row for each number of sets that occurs."""
    rows = ({"sets": sets, "hands": count, "chance": table.chance(sets)} for sets, count in enumerate(table.counts))
    return {**_summary(table), "counts": [row for row in rows if row["hands"]]}


def percent(share: Fraction) -> str:
    """Formats a share as a percentage, such as '3.230 %' or '4.3e-06 %'."""
    value = float(share) * 100
    return f"{value:.3f} %" if value >= 0.01 else f"{value:.1e} %"


def one_in(share: Fraction) -> str:
    """Formats the N of '1 in N' for a share, such as '30.96' or '1,234,567'."""
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
