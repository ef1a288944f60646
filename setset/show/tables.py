"""Status, counts, findings and history as tables and lines."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import click

from setset.show.formatting import byte_count, duration, number, print_line, print_table, share

if TYPE_CHECKING:  # `status` starts without numpy
    from setset.database.runs import Run
    from setset.database.views import Throughput
    from setset.maintenance.findings import Finding
    from setset.workspace.counts import Count
    from setset.workspace.status import SizeStatus, Status
    from setset.workspace.workspace import Repaired

STATUS = ("size", "sources", "files", "lists", "done", "bytes", "B/list", "M lists/s", "left", "state")
HOSTS = ("host", "target", "size", "sources", "lists", "worker time", "M lists/s each", "last at")


def print_status(status: Status) -> None:
    """A table for each target, one of what is running, failed or defective, and one of hosts if several worked."""
    sizes = status.sizes
    for target in sorted({size.target for size in sizes}):
        rows = [_status_row(size) for size in sizes if size.target == target]
        print_table(f"target {target}", STATUS, rows)
        for size in sizes:
            if size.target == target and size.work == "count":
                click.echo(f"* counted from size {size.source_size}, without files")
    if not sizes:
        click.echo("nothing yet: start with 'setset run --size 6'")
    if status.items:
        click.echo("")
        rows = [
            [str(item.target), str(item.size), item.state, item.what, item.detail] for item in status.items
        ]
        columns = ("target", "size", "state", "what", "detail")
        print_table("running, failed or defective", columns, rows, left=5)
    if len({host.host for host in status.hosts}) > 1:
        click.echo("")
        print_table("hosts", HOSTS, [_host_row(host) for host in status.hosts], left=1)


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


def _status_row(size: SizeStatus) -> list[str]:
    each = size.bytes / size.lists if size.bytes and size.lists else None
    return [
        str(size.size) if size.work == "store" else f"{size.size}*",
        f"{number(size.expanded)}/{number(size.sources)}",
        number(size.batches),
        number(size.lists),
        share(round(size.share * 1_000_000), 1_000_000),
        byte_count(size.bytes),
        number(each, 4),
        number(size.lists_per_second / 1e6, 0 if size.lists_per_second >= 1e7 else 1)
        if size.lists_per_second
        else "-",
        "-" if size.seconds_left is None else duration(size.seconds_left),
        size.state,
    ]


def print_counts(counts: Sequence[Count], size: int | None) -> None:
    """A row a count; what to do if there is none of the size that was asked for."""
    if not counts and size is None:
        click.echo("nothing is counted yet: start with 'setset run --size 6'")
        return
    if not counts:
        click.echo(f"size {size} is not counted yet: 'setset run --size {size}', or faster with --count-only")
        return
    columns: list[tuple[str, Callable[[Count], str]]] = [
        ("size", lambda count: str(count.size)),
        ("what is counted", lambda count: count.counts),
        ("lists", lambda count: number(count.lists)),
        ("origin", lambda count: count.origin),
        ("reference", lambda count: number(count.reference)),
        ("verdict", lambda count: count.verdict),
    ]
    if any(count.class_sum is not None for count in counts):
        agree = {True: "yes", False: "NO", None: "-"}
        columns[5:5] = [
            ("class sum", lambda count: number(count.class_sum)),
            ("agree", lambda count: agree[count.agree]),
        ]
    if any(count.decoded is not None for count in counts):
        columns.insert(4, ("decoded", lambda count: number(count.decoded)))
    rows = [[cell(count) for _, cell in columns] for count in counts]
    print_table("", [title for title, _ in columns], rows, left=2)


def print_findings(findings: Sequence[Finding]) -> None:
    """A line each, and what to do about them."""
    from setset.maintenance.findings import advice

    for finding in findings:
        warning = "warning: " if finding.kind.is_warning else ""
        print_line(f"{warning}{finding.kind}: {finding.where}: {finding.what}")
    if all(finding.kind.is_warning for finding in findings):
        click.echo("no problems found")
    if line := advice(findings):
        click.echo(f"setset: {line}", err=True)


def print_repaired(result: Repaired, dry_run: bool) -> None:
    """What a repair did or would do, what it left, and what to do about that."""
    from setset.maintenance.findings import advice

    for finding in result.repaired:
        print_line(f"{'would rebuild' if dry_run else 'rebuilt'}: {finding.where}: {finding.what}")
    for finding in result.left:
        print_line(f"left: {finding.kind}: {finding.where}: {finding.what}")
    if not result.repaired and not result.left:
        click.echo("nothing to repair")
    if line := advice(result.left):
        click.echo(f"setset: {line}", err=True)


HISTORY = (
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


def print_history(runs: Sequence[Run]) -> None:
    """A row a run."""
    rows = [
        [
            str(run.id),
            run.started_at,
            run.finished_at or "-",
            run.version,
            run.host,
            run.outcome or "running",
            number(run.lists_added),
            number(run.lists_counted),
            byte_count(run.bytes_added),
            run.command,
        ]
        for run in runs
    ]
    print_table("", HISTORY, rows, left=6)
