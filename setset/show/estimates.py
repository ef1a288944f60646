"""Prints the estimate of a run as a table or a line, and asks before a large run."""

from __future__ import annotations

import dataclasses
import sys
from typing import TYPE_CHECKING

import click

from setset.errors import BadInput
from setset.show.columns import Column
from setset.show.formatting import byte_count, duration, how_many, number, print_json, print_line, print_table

if TYPE_CHECKING:
    from setset.workspace.estimate import Estimate, SizeEstimate

COLUMNS = (
    Column("size", left=True),
    Column("lists"),
    Column("error", 30),
    Column("from", 10),
    Column("to do", 20),
    Column("files", 15),
    Column("bytes", 40),
    Column("core time", 50),
)


def print_estimate(estimate: Estimate, price: float | None = None, as_json: bool = False, wide: bool = False) -> None:
    """Prints an estimate: a row per size, the totals and the warnings. `price` is the price per core-hour."""
    cost = None if price is None else estimate.core_seconds / 3600 * price
    if as_json:
        sizes = [{**dataclasses.asdict(size), "seconds": size.seconds} for size in estimate.sizes]
        print_json({**dataclasses.asdict(estimate), "sizes": sizes, "price": cost})
        return
    pruned = ", pruned" if estimate.pruned else ""
    print_table(f"target {estimate.target}{pruned}", COLUMNS, [_row(size) for size in estimate.sizes], wide=wide)
    click.echo(describe_estimate(estimate))
    click.echo(f"core time {duration(estimate.core_seconds)}; source of speed and bytes per list: {estimate.speeds}")
    if cost is not None:
        click.echo(f"price {cost:,.2f}, at {price} per core-hour")
    for warning in estimate.warnings:
        print_line(f"setset: {warning}", err=True)


def _row(size: SizeEstimate) -> list[str]:
    return [
        str(size.size),
        number(size.lists),
        f"{size.error / size.lists:.2%}".replace("%", " %") if size.error and size.lists else "-",
        size.origin,
        number(size.due) if size.due else "-",
        number(size.files) if size.files else "-",
        byte_count(size.bytes) if size.files else "-",
        duration(size.seconds) if size.due else "-",
    ]


def describe_estimate(estimate: Estimate, on_cluster: bool = False) -> str:
    """Summarizes an estimate in one line. With `on_cluster`, the time is core time, because the number of workers is
    unknown."""
    if not estimate.lists:
        return "to do: nothing"
    first = next(size.size for size in estimate.sizes if size.due)
    sizes = f"size {first}" if first == estimate.size else f"sizes {first} to {estimate.size}"
    about = "" if all(not size.error for size in estimate.sizes) else "about "
    parts = [f"{'count ' if estimate.count_only else ''}{sizes}", f"{about}{number(estimate.lists)} lists"]
    if not estimate.count_only:
        free = byte_count(estimate.free_bytes)
        parts.append(f"about {how_many(estimate.files, 'file')}, {byte_count(estimate.bytes)} in total ({free} free)")
    time = (
        f"{duration(estimate.core_seconds)} of core time"
        if on_cluster
        else f"{duration(estimate.seconds)} with {how_many(estimate.workers, 'worker')}"
    )
    return f"to do: {', '.join(parts)}, about {time}"


def introduce(estimate: Estimate | None, yes: bool, on_cluster: bool = False) -> list[str]:
    """Returns the lines to print when a run begins: the estimate and its warnings. Before a large run without `yes`,
    prints these lines at once, asks whether to start, and returns no lines. If the answer is no, ends the command.

    Raises:
        BadInput: The run is large, `yes` is not set, and there is no terminal to ask on.
    """
    if estimate is None or not estimate.lists:
        return []
    lines = [describe_estimate(estimate, on_cluster), *estimate.warnings]
    large = estimate.takes_much_disk or (estimate.is_long and not on_cluster)
    if yes or not large:
        return lines
    if not (sys.stdin is not None and sys.stdin.isatty() and sys.stderr.isatty()):
        reason = "half of the free disk or more" if estimate.takes_much_disk else "more than an hour"
        raise BadInput(
            f"{lines[0]}: the run takes {reason}, and setset cannot ask without a terminal: add --yes, or a limit such "
            "as --max-time 8h or --max-disk 20GB"
        )
    for line in lines:
        print_line(line, err=True)
    if not click.confirm("Start it?", err=True):
        click.echo("nothing was done", err=True)
        raise SystemExit(1)
    return []
