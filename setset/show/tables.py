"""Status, counts, findings and history as tables and lines."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import click

from setset.show.columns import Column
from setset.show.formatting import byte_count, duration, how_many, number, print_line, print_table, share

if TYPE_CHECKING:  # `status` starts without numpy
    from setset.database.runs import Run
    from setset.database.views import Throughput
    from setset.export.lists import Exported
    from setset.maintenance.findings import Finding, Repaired
    from setset.maintenance.relocation import MovedRoot
    from setset.maintenance.remove import Removed
    from setset.workspace.counts import Count
    from setset.workspace.roots import Root
    from setset.workspace.status import SizeStatus, Status

TARGET = Column("target", left=True)
STATUS = (
    Column("size", left=True),
    Column("sources", importance=20),
    Column("files", importance=15),
    Column("lists"),
    Column("done", importance=60),
    Column("bytes", importance=40),
    Column("B/list", importance=10),
    Column("M lists/s", importance=30),
    Column("left", importance=50),
    Column("state"),
)
ITEMS = (
    Column("target", importance=10, left=True),
    Column("size", left=True),
    Column("state", left=True),
    Column("what", least=16, left=True),
    Column("detail", least=16, left=True),
)
HOSTS = (
    Column("host", least=12, left=True),
    Column("target", importance=10),
    Column("size"),
    Column("sources", importance=20),
    Column("lists"),
    Column("worker time", importance=40),
    Column("M lists/s each", importance=50),
    Column("last at", importance=15),
)


def print_status(status: Status, target: int | None = None, wide: bool = False) -> None:
    """How far the sizes are, then what needs attention or is under way, and what each host did if several worked.

    `target` is the only one that was asked for, if one was.
    """
    if status.sizes:
        _print_sizes(status.sizes, wide)
    elif target is not None:
        click.echo(f"nothing yet for target {target}: start with 'setset run --size 6 --target {target}'")
    else:
        click.echo("nothing yet: start with 'setset run --size 6'")
    for root in status.roots:
        if root.state != "present" and root.files:
            lies = f"{how_many(root.files, 'file')}, {byte_count(root.bytes)}"
            advice = f"bring it back, or run 'setset roots move {root.path} NEW'"
            advice = advice if root.state == "absent" else "see 'setset check'"
            print_line(f"storage root {root.path}: {root.state}, with {lies}: {advice}")
    if status.items:
        rows = [
            [str(each.target), str(each.size), each.state, each.what, each.detail] for each in status.items
        ]
        click.echo("")
        print_table(", ".join(dict.fromkeys(each.state for each in status.items)), ITEMS, rows, wide=wide)
    if len({host.host for host in status.hosts}) > 1:
        click.echo("")
        print_table("hosts", HOSTS, [_host_row(host) for host in status.hosts], wide=wide)


def _print_sizes(sizes: Sequence[SizeStatus], wide: bool) -> None:
    targets = {size.target for size in sizes}
    if len(targets) == 1:
        print_table(f"target {_target(sizes[0])}", STATUS, [_status_row(size) for size in sizes], wide=wide)
    else:
        rows = [[_target(size), *_status_row(size)] for size in sizes]
        print_table("", (TARGET, *STATUS), rows, wide=wide)
    counted = {size.source_size for size in sizes if size.work == "count"}
    for source in sorted(counted):
        click.echo(f"* counted from size {source}, without files")


def _target(size: SizeStatus) -> str:
    return f"{size.target}, pruned" if size.pruned else str(size.target)


def _host_row(host: Throughput) -> list[str]:
    return [
        host.host,
        str(host.target),
        str(host.size) if host.work == "store" else f"{host.size} counted",
        number(host.expansions),
        number(host.lists),
        duration(host.seconds),
        number(host.lists_per_second / 1e6, 1) if host.lists_per_second else "-",
        _moment(host.last_finished),
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


def print_counts(
    counts: Sequence[Count], size: int | None, target: int | None = None, wide: bool = False
) -> None:
    """A row a count; what to do if there is none of the size and target that were asked for."""
    if not counts:
        aim = "" if target is None else f" --target {target}"
        if size is None:
            what = "nothing is counted yet" + (aim and f" for target {target}")
            click.echo(f"{what}: start with 'setset run --size 6{aim}'")
        else:
            what = f"size {size} is not counted yet" + (aim and f" for target {target}")
            click.echo(f"{what}: 'setset run --size {size}{aim}', or faster with --count-only")
        return
    agree = {True: "yes", False: "NO", None: "-"}
    several = len({count.target for count in counts}) > 1
    by_classes = any(count.class_sum is not None for count in counts)
    by_decoding = any(count.decoded is not None for count in counts)
    every: list[tuple[bool, Column, Callable[[Count], str]]] = [
        (several, TARGET, lambda count: str(count.target)),
        (True, Column("size", left=True), lambda count: str(count.size)),
        (True, Column("what is counted", 60, least=20, left=True), lambda count: count.counts),
        (True, Column("lists"), lambda count: number(count.lists)),
        (True, Column("origin", importance=10), lambda count: count.origin),
        (by_decoding, Column("decoded", importance=50), lambda count: number(count.decoded)),
        (True, Column("reference", importance=40), lambda count: number(count.reference)),
        (by_classes, Column("class sum", importance=30), lambda count: number(count.class_sum)),
        (by_classes, Column("agree", importance=20), lambda count: agree[count.agree]),
        (True, Column("verdict"), lambda count: count.verdict),
    ]
    columns = [(column, cell) for shown, column, cell in every if shown]
    rows = [[cell(count) for _, cell in columns] for count in counts]
    print_table("", [column for column, _ in columns], rows, wide=wide)


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
    Column("run", left=True),
    Column("started", importance=60, left=True),
    Column("finished", importance=10, left=True),
    Column("version", importance=20, left=True),
    Column("host", importance=30, left=True),
    Column("outcome", least=9, left=True),
    Column("lists", importance=50),
    Column("counted", importance=15),
    Column("bytes", importance=40),
    Column("command", least=28, left=True),
)


def print_history(runs: Sequence[Run], wide: bool = False) -> None:
    """A row a run."""
    if not runs:
        click.echo("nothing yet: start with 'setset run --size 6'")
        return
    rows = [
        [
            str(run.id),
            _moment(run.started_at),
            _moment(run.finished_at or "-"),
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
    print_table("", HISTORY, rows, wide=wide)


def _moment(text: str) -> str:
    """2026-07-01T12:00:00Z: the database writes +00:00, which takes more room."""
    return text.removesuffix("+00:00") + "Z" if text.endswith("+00:00") else text


def print_exported(result: Exported, size: int, output: str, dry_run: bool) -> None:
    """One line on what was written, or would be, and one if the disk is too small for it."""
    about = "about " if dry_run else ""
    there = result.files - result.written
    kept = f", {number(there)} of them there before" if there else ""
    print_line(
        f"size {size}: {number(result.lists)} lists in {how_many(result.files, 'file')}, "
        f"{about}{byte_count(result.bytes)}{kept}: {output}"
    )
    if result.missing:
        print_line(
            f"the disk is too small: {byte_count(result.free)} are free, {byte_count(result.missing)} more are needed",
            err=True,
        )


ROOTS = (
    Column("root", left=True),
    Column("path", least=16, left=True),
    Column("state", left=True),
    Column("files", importance=30),
    Column("lists", importance=20),
    Column("bytes", importance=40),
    Column("free", importance=50),
)


def print_roots(roots: Sequence[Root], wide: bool = False) -> None:
    """A row a storage root."""
    rows = [
        [
            str(root.number),
            root.path,
            root.state,
            number(root.files),
            number(root.lists),
            byte_count(root.bytes),
            byte_count(root.free_bytes),
        ]
        for root in roots
    ]
    if rows:
        print_table("", ROOTS, rows, wide=wide)
    else:
        click.echo("no storage roots yet: 'setset run' makes one")


def print_moved(moved: MovedRoot) -> None:
    """Where a storage root is now, and what to do about files that are not there."""
    if not moved.moved:
        print_line(f"{moved.path} is recorded already: nothing to do")
        return
    lies = f"{how_many(moved.files, 'file')}, {byte_count(moved.bytes)}"
    print_line(f"recorded: the storage root is {moved.path} ({lies})")
    if moved.damaged:
        many = how_many(moved.damaged, "file")
        click.echo(f"setset: {many} missing or damaged: run 'setset repair'", err=True)


def print_removed(removed: Removed) -> None:
    """What is removed of each size."""
    if not removed.sizes:
        click.echo(f"nothing to remove of target {removed.target}")
        return
    sizes = removed.sizes
    rows = [
        [str(size.size), *map(number, (size.files, size.unrecorded, size.lists)), byte_count(size.bytes)]
        for size in sizes
    ]
    total = [sum(getattr(size, name) for size in sizes) for name in ("files", "unrecorded", "lists")]
    rows.append(["all", *map(number, total), byte_count(sum(size.bytes for size in sizes))])
    print_table(f"target {removed.target}", ("size", "files", "unrecorded", "lists", "bytes"), rows)
    if removed.kept:
        many = how_many(removed.kept, "file")
        click.echo(f"{many} of them in storage roots that are not there stay, see 'setset roots'")
