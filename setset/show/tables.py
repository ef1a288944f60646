"""Prints the status, counts, findings of checks, storage roots and runs of a workspace as tables and lines."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import click

from setset.errors import quoted
from setset.show.columns import Column
from setset.show.formatting import (
    byte_count,
    duration,
    how_many,
    millions,
    number,
    print_line,
    print_records,
    print_table,
    share,
)

if TYPE_CHECKING:  # not imported at run time, so that `status` starts without numpy
    from setset.activity import WorkerActivity
    from setset.batches.ownership import Root
    from setset.database.runs import Run
    from setset.database.views import SizeStatus, Status, StatusItem, Throughput
    from setset.export.lists import Exported
    from setset.maintenance.findings import Finding, Repaired
    from setset.maintenance.moved import MovedRoot
    from setset.maintenance.remove import Removed
    from setset.workspace.counts import Count

TARGET = Column("target", left=True)
STATUS: dict[Column, Callable[[SizeStatus], str]] = {
    Column("size", left=True): lambda size: f"{size.size}{'' if size.work == 'store' else '*'}",
    Column("sources", 20): lambda size: f"{number(size.expanded)}/{number(size.sources)}",
    Column("files", 15): lambda size: number(size.batches),
    Column("lists"): lambda size: number(size.lists),
    Column("done", 60): lambda size: share(round(size.share * 1_000_000), 1_000_000),
    Column("bytes", 40): lambda size: byte_count(size.bytes),
    Column("B/list", 10): lambda size: number(size.bytes / size.lists if size.bytes and size.lists else None, 4),
    Column("M lists/s", 30): lambda size: millions(
        size.lists_per_second, 0 if (size.lists_per_second or 0) >= 1e7 else 1
    ),
    Column("left", 50): lambda size: duration(size.seconds_left),
    Column("checked", 5): lambda size: _checked(size),
    Column("state"): lambda size: size.state,
}
ITEMS: dict[Column, Callable[[StatusItem], str]] = {
    Column("target", 10, left=True): lambda item: str(item.target),
    Column("size", left=True): lambda item: str(item.size),
    Column("state", left=True): lambda item: item.state,
    Column("what", least=16, left=True): lambda item: item.what,
    Column("detail", least=16, left=True): lambda item: item.detail,
}
HOSTS: dict[Column, Callable[[Throughput], str]] = {
    Column("host", least=12, left=True): lambda host: host.host,
    Column("target", 10): lambda host: str(host.target),
    Column("size"): lambda host: f"{host.size}{'' if host.work == 'store' else ' counted'}",
    Column("sources", 20): lambda host: number(host.expansions),
    Column("lists"): lambda host: number(host.lists),
    Column("worker time", 40): lambda host: duration(host.seconds),
    Column("M lists/s each", 50): lambda host: millions(host.lists_per_second),
    Column("last at", 15): lambda host: _moment(host.last_finished),
}
WORKERS: dict[Column, Callable[[WorkerActivity], str]] = {
    Column("host", least=12, left=True): lambda worker: worker.host,
    Column("state", left=True): lambda worker: worker.state,
    Column("has", least=12, left=True): lambda worker: ", ".join(
        f"{task.source_size}/{task.source}" for task in worker.tasks
    ),
    Column("since", 30, left=True): lambda worker: _moment(next((task.since or "" for task in worker.tasks), "")),
    Column("done", 40): lambda worker: number(worker.done),
    Column("failed", 45): lambda worker: number(worker.failed),
    Column("reason", 50, least=16, left=True): lambda worker: worker.detail,
    Column("address", 10, least=12, left=True): lambda worker: worker.address,
}


def print_status(status: Status, target: int | None = None, wide: bool = False) -> None:
    """Prints the status of a workspace: sizes, storage roots with problems, running and failed expansions, workers,
    hosts.

    `target` is the value of the option --target; None without the option.
    """
    if status.sizes:
        _print_sizes(status.sizes, wide)
    else:
        print_line(_nothing("no lists yet", target))
    for root in status.roots:
        if root.state not in ("present", "moved") and root.files:
            content = f"{how_many(root.files, 'file')}, {byte_count(root.bytes)}"
            advice = f"bring it back, or run 'setset roots move {quoted(root.path)} NEW'"
            advice = advice if root.state == "absent" else "see 'setset check'"
            print_line(f"storage root {root.path}: {root.state}, with {content}: {advice}")
    for row in status.altered[:1]:
        print_line(f"{row} was changed by hand: run 'setset repair'")
    if status.items:
        click.echo("")
        title = ", ".join(dict.fromkeys(item.state for item in status.items))
        print_records(ITEMS, status.items, title, wide)
    if status.workers and not all(worker.address.startswith("pid") for worker in status.workers):
        click.echo("")
        print_records(WORKERS, status.workers, "workers", wide)
        if status.dashboard:
            click.echo(f"dashboard of the scheduler: {status.dashboard}")
    if len({host.host for host in status.hosts}) > 1:
        click.echo("")
        print_records(HOSTS, status.hosts, "hosts", wide)


def _print_sizes(sizes: Sequence[SizeStatus], wide: bool) -> None:
    if len({size.target for size in sizes}) == 1:
        print_records(STATUS, sizes, f"target {_target(sizes[0])}", wide)
    else:
        print_records({TARGET: _target, **STATUS}, sizes, wide=wide)
    counted = {size.source_size for size in sizes if size.work == "count"}
    for source in sorted(counted):
        click.echo(f"* counted from size {source}, without files")


def _nothing(message: str, target: int | None = None, size: int | None = None) -> str:
    """Makes the message that there are no lists or counts, with the command that computes them."""
    for_target, option = ("", "") if target is None else (f" for target {target}", f" --target {target}")
    if size is None:
        return f"{message}{for_target}: start with 'setset run 6{option}'"
    return (
        f"size {size} is not counted yet{for_target}: start with 'setset run {size}{option}', faster with --count-only"
    )


def _checked(size: SizeStatus) -> str:
    """Cell of a table: the time of the last check of a size, and the number of problems that it found."""
    if size.checked_at is None:
        return "never" if size.work == "store" else ""
    problems = f", {how_many(size.findings, 'problem')}" if size.findings else ""
    return f"{_moment(size.checked_at)}{problems}"


def _target(size: SizeStatus) -> str:
    return f"{size.target}, pruned" if size.pruned else str(size.target)


def print_counts(counts: Sequence[Count], size: int | None, target: int | None = None, wide: bool = False) -> None:
    """Prints a row per count. Without counts, prints the command that computes them."""
    if not counts:
        print_line(_nothing("nothing is counted yet", target, size))
        return
    agree = {True: "yes", False: "NO", None: "-"}
    several = len({count.target for count in counts}) > 1
    by_classes = any(count.class_sum is not None for count in counts)
    by_decoding = any(count.decoded is not None for count in counts)
    columns: dict[Column, tuple[bool, Callable[[Count], str]]] = {
        TARGET: (several, lambda count: str(count.target)),
        Column("size", left=True): (True, lambda count: str(count.size)),
        Column("what is counted", left=True): (True, _what_is_counted),
        Column("lists"): (True, lambda count: number(count.lists)),
        Column("origin", 10): (True, lambda count: count.origin),
        Column("decoded", 50): (by_decoding, lambda count: number(count.decoded)),
        Column("reference", 40): (True, lambda count: number(count.reference)),
        Column("class sum", 30): (by_classes, lambda count: number(count.class_sum)),
        Column("agree", 20): (by_classes, lambda count: agree[count.agree]),
        Column("verdict"): (True, lambda count: count.verdict),
    }
    print_records({column: cell for column, (shown, cell) in columns.items() if shown}, counts, wide=wide)


def _what_is_counted(count: Count) -> str:
    """Describes the counted lists in words that are short enough for a narrow terminal."""
    if count.size >= count.target or count.size == 3 or count.pruned:
        return count.counts
    return f"{count.size} cards, {count.target - count.size} or more remain"


def print_findings(findings: Sequence[Finding], strict: bool = False) -> None:
    """Prints a line per finding of a check, and advice. With `strict`, warnings count as problems."""
    for finding in findings:
        warning = "warning: " if finding.kind.is_warning else ""
        print_line(f"{warning}{finding.kind}: {finding.where}: {finding.what}")
    if not findings or (not strict and all(finding.kind.is_warning for finding in findings)):
        click.echo("no problems found")
    _print_advice(findings)


def _print_advice(findings: Sequence[Finding]) -> None:
    from setset.maintenance.findings import advice

    if line := advice(findings):
        print_line(f"setset: {line}", err=True)


def print_repaired(result: Repaired, dry_run: bool) -> None:
    """Prints the findings that a repair has removed, the findings that remain, and the next command."""
    for finding in result.repaired:
        print_line(f"{'would rebuild' if dry_run else 'rebuilt'}: {finding.where}: {finding.what}")
    for finding in result.left:
        print_line(f"not repaired: {finding.kind}: {finding.where}: {finding.what}")
    if not result.repaired and not result.left:
        click.echo("nothing to repair")
    _print_advice(result.left)


HISTORY: dict[Column, Callable[[Run], str]] = {
    Column("run", left=True): lambda run: str(run.id),
    Column("started", 60, left=True): lambda run: _moment(run.started_at),
    Column("finished", 10, left=True): lambda run: _moment(run.finished_at or "-"),
    Column("version", 20, left=True): lambda run: run.version,
    Column("host", 30, left=True): lambda run: run.host,
    Column("outcome", least=9, left=True): lambda run: (
        (run.outcome or "running") + (f"; repaired {run.repaired}" if run.repaired else "")
    ),
    Column("lists", 50): lambda run: number(run.lists_added),
    Column("counted", 15): lambda run: number(run.lists_counted),
    Column("bytes", 40): lambda run: byte_count(run.bytes_added),
    Column("command", least=28, left=True): lambda run: run.command,
}


def print_history(runs: Sequence[Run], wide: bool = False) -> None:
    """Prints the history of a workspace: a row per run."""
    if runs:
        print_records(HISTORY, runs, wide=wide)
    else:
        print_line(_nothing("nothing yet"))


def _moment(text: str) -> str:
    """Formats a time as 2026-07-01T12:00:00Z. This form is shorter than the form in the database, with +00:00."""
    return text.removesuffix("+00:00") + "Z" if text.endswith("+00:00") else text


def print_exported(result: Exported, size: int, output: str, dry_run: bool) -> None:
    """Prints the files that an export wrote, or with `dry_run` would write, and a line if the disk is too small."""
    about = "about " if dry_run else ""
    existing = result.files - result.written
    existing_files = f", {number(existing)} of them existed before" if existing else ""
    print_line(
        f"size {size}: {number(result.lists)} lists in {how_many(result.files, 'file')}, "
        f"{about}{byte_count(result.bytes)}{existing_files}: {output}"
    )
    if result.missing:
        print_line(
            f"the disk is too small: {byte_count(result.free)} are free, {byte_count(result.missing)} more are needed",
            err=True,
        )


ROOTS: dict[Column, Callable[[Root], str]] = {
    Column("root", left=True): lambda root: str(root.number),
    Column("path", least=16, left=True): lambda root: root.path,
    Column("state", left=True): lambda root: root.state,
    Column("files", 30): lambda root: number(root.files),
    Column("lists", 20): lambda root: number(root.lists),
    Column("bytes", 40): lambda root: byte_count(root.bytes),
    Column("free", 50): lambda root: byte_count(root.free_bytes),
}


def print_roots(roots: Sequence[Root], wide: bool = False) -> None:
    """Prints a row per storage root."""
    if roots:
        print_records(ROOTS, roots, wide=wide)
    else:
        print_line("no storage roots yet: 'setset run' makes one")


def print_moved(moved: MovedRoot) -> None:
    """Prints the new folder of a moved storage root, and the command that repairs missing or damaged files in it."""
    if not moved.moved:
        print_line(f"{moved.path} is recorded already: nothing to do")
        return
    content = f"{how_many(moved.files, 'file')}, {byte_count(moved.bytes)}"
    print_line(f"recorded: the storage root is {moved.path} ({content})")
    if moved.damaged:
        files = how_many(moved.damaged, "file")
        print_line(f"setset: {files} missing or damaged: run 'setset repair'", err=True)


def print_removed(removed: Removed) -> None:
    """Prints the files, lists and bytes that `setset rm` removes, per size."""
    if not removed.sizes:
        click.echo(f"nothing to remove for target {removed.target}")
        return
    names = ("files", "unrecorded", "lists", "bytes")
    figures = {str(size.size): [getattr(size, name) for name in names] for size in removed.sizes}
    figures["all"] = [sum(column) for column in zip(*figures.values(), strict=True)]
    rows = [[size, *map(number, counts), byte_count(bytes_)] for size, (*counts, bytes_) in figures.items()]
    print_table(f"target {removed.target}", ("size", *names), rows)
    if removed.kept:
        files = how_many(removed.kept, "file")
        print_line(f"{files} of them stay, because setset may only read their storage root: see 'setset roots'")
