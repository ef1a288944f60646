"""Status, counts, findings and history as tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import click

from setset.show.formatting import duration, number, print_table, share, size_of

if TYPE_CHECKING:  # `status` starts without numba
    from setset.maintenance.check import Finding
    from setset.workspace.status import Count, Progress, Throughput, Trouble

STATUS = ("size", "sources", "files", "lists", "done", "bytes", "B/list", "M lists/s", "left", "state")
HOSTS = ("host", "target", "size", "sources", "lists", "worker time", "M lists/s each", "last at")


def print_status(
    sizes: Sequence[Progress], troubles: Sequence[Trouble], hosts: Sequence[Throughput] = ()
) -> None:
    """A table for each target, one of what is running, failed or defective, and one of hosts if several worked."""
    for target in sorted({size.target for size in sizes}):
        rows = [_status_row(size) for size in sizes if size.target == target]
        print_table(f"target {target}", STATUS, rows)
        for size in sizes:
            if size.target == target and size.work == "count":
                click.echo(f"* counted from size {size.source_size}, without files")
    if not sizes:
        click.echo("nothing yet: start with 'setset run --size 6'")
    if troubles:
        click.echo("")
        rows = [[str(t.target), str(t.size), t.state, t.what, t.detail] for t in troubles]
        print_table(
            "running, failed or defective", ("target", "size", "state", "what", "detail"), rows, left=5
        )
    if len({host.host for host in hosts}) > 1:
        click.echo("")
        print_table("hosts", HOSTS, [_host_row(host) for host in hosts], left=1)


def _host_row(host: Throughput) -> list[str]:
    return [
        host.host,
        str(host.target),
        str(host.size) if host.work == "store" else f"{host.size} counted",
        number(host.expansions),
        number(host.lists),
        duration(host.seconds),
        number(host.lists_per_second / 1e6, 1) if host.lists_per_second else "-",
        host.last_finished,
    ]


def _status_row(size: Progress) -> list[str]:
    each = size.bytes / size.lists if size.bytes and size.lists else None
    return [
        str(size.size) if size.work == "store" else f"{size.size}*",
        f"{number(size.expanded)}/{number(size.sources)}",
        number(size.batches),
        number(size.lists),
        share(round(size.share * 1_000_000), 1_000_000),
        size_of(size.bytes),
        number(each, 4),
        number(size.lists_per_second / 1e6, 0 if size.lists_per_second >= 1e7 else 1)
        if size.lists_per_second
        else "-",
        "-" if size.seconds_left is None else duration(size.seconds_left),
        size.state,
    ]


def print_counts(counts: Sequence[Count], recounted: dict[tuple[int, int], int] | None) -> None:
    columns = ["size", "what is counted", "lists", "origin", "reference", "verdict"]
    by_classes = any(count.class_sum is not None for count in counts)
    if by_classes:
        columns[5:5] = ["class sum", "agree"]
    rows = []
    for count in counts:
        row = [
            str(count.size),
            count.counts,
            number(count.lists),
            count.origin,
            number(count.reference),
            count.verdict,
        ]
        if by_classes:
            row[5:5] = [number(count.class_sum), {True: "yes", False: "NO", None: "-"}[count.agree]]
        if recounted is not None:
            again = recounted.get((count.target, count.size))
            row.insert(4, number(again))
        rows.append(row)
    if recounted is not None:
        columns.insert(4, "decoded")
    print_table("", columns, rows, left=2)


def print_findings(findings: Iterable[Finding]) -> int:
    """Prints each finding as it comes; returns how many there were."""
    found = 0
    for finding in findings:
        click.echo(f"{finding.kind}: {finding.where}: {finding.what}")
        found += 1
    return found


def print_history(runs: Sequence[dict[str, Any]]) -> None:
    columns = (
        "run",
        "started",
        "finished",
        "version",
        "host",
        "outcome",
        "lists",
        "counted",
        "bytes",
        "command",
    )
    rows = [
        [
            str(run["id"]),
            run["started_at"],
            run["finished_at"] or "-",
            run["version"],
            run["host"],
            run["outcome"] or "running",
            number(run["lists_added"]),
            number(run["lists_counted"]),
            size_of(run["bytes_added"]),
            run["command"],
        ]
        for run in runs
    ]
    print_table("", columns, rows, left=6)
