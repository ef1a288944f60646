"""`setset run`"""

from __future__ import annotations

import contextlib
import shlex
import time
from pathlib import Path
from typing import Any

import click

from setset.cli import options
from setset.cli.limits import DISK, TIME, limited
from setset.errors import BadInput

OF_ONE_RUN = ("--workspace", "--max-time", "--max-disk")
"""Options with a value that `setset run` without a size does not take from the last run."""
FIRST_SIZE = 6
"""Size that `setset run` without a size builds in a new workspace."""


class ResumingCommand(click.Command):
    """The command `run`. Without a size, it takes the options of the last run in the workspace; given options override
    them."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        arguments = list(args)
        remaining = super().parse_args(ctx, args)
        ctx.obj = arguments
        if ctx.resilient_parsing or ctx.params["n"] or ctx.params["size"]:
            return remaining
        last_run = _last_run(ctx.params["workspace"])
        ctx.obj = [*last_run, *arguments]
        if last_run != [str(FIRST_SIZE)] and not (ctx.params["quiet"] or ctx.params["as_json"]):
            click.echo(f"resuming: {shlex.join(['run', *last_run])}", err=True)
        ctx.params.clear()
        ctx.args.clear()
        return super().parse_args(ctx, [*last_run, *arguments])


def _last_run(workspace: Path) -> list[str]:
    """Arguments of the last run, without workspace, limits, --yes and --dry-run; `FIRST_SIZE` if there was no run.

    Ignores refused runs, and runs without work, because the run to resume may be older.
    """
    import setset

    try:
        with setset.open(workspace) as opened:
            runs = opened.runs(1_000)
            had_work = (run for run in runs if _had_work(run.outcome, run.batches_added + run.lists_counted))
            commands = [shlex.split(run.command) for run in had_work]
    except setset.NotAWorkspace:
        commands = []
    run_commands = [words for words in commands if words[:2] == ["setset", "run"] or ".run(" in words[0]]
    if not run_commands:
        return [str(FIRST_SIZE)]
    if ".run(" in run_commands[0][0]:
        raise BadInput(f"the last run was started from Python, by {run_commands[0][0]}: give the number of cards")
    words, arguments = iter(run_commands[0][2:]), list[str]()
    for word in words:
        if word in ("-w", *OF_ONE_RUN):
            next(words, None)
        elif word not in ("-y", "--yes", "--dry-run") and not word.startswith(
            ("-w", *(f"{option}=" for option in OF_ONE_RUN))
        ):
            arguments.append(word)
    return arguments


def _had_work(outcome: str | None, results: int) -> bool:
    return (results > 0 or outcome != "done") and not (outcome or "").startswith("refused: ")


@click.command(cls=ResumingCommand)
@options.size("Build all sizes up to this one")
@options.target
@options.plan
@click.option(
    "--executor",
    default="local",
    show_default=True,
    help="Executor: local, dask (on this machine), dask=ADDRESS or dask=FILE (a running cluster), MODULE:CALLABLE.",
)
@click.option(
    "--map",
    "maps",
    multiple=True,
    metavar="[HOST:]HERE=THERE",
    help="Folder HERE and its path THERE on Dask workers (of HOST); may be repeated.",
)
@click.option("--ship", is_flag=True, help="Send files over the network to Dask workers that share no folder.")
@click.option(
    "--log",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Append events to this file, one per line, with the time in UTC.",
)
@click.option("--json", "as_json", is_flag=True, help="Print events as JSON lines (docs/unattended.md).")
@click.option("--dry-run", is_flag=True, help="Print the estimate and stop, as 'setset estimate' does.")
@click.option("-y", "--yes", is_flag=True, help="Do not ask, however much time and disk the run needs.")
@click.option("--max-time", type=TIME, metavar="TIME", help="Stop cleanly after this time, such as 45m or 8h.")
@click.option(
    "--max-disk", type=DISK, metavar="BYTES", help="Stop cleanly when new files reach this total, such as 20GB."
)
@options.quiet
@options.workspace
@click.pass_context
def command(
    ctx: click.Context,
    /,
    size: int,
    target: int | None,
    plan: dict[str, Any],
    log: Path | None,
    as_json: bool,
    dry_run: bool,
    yes: bool,
    max_time: float | None,
    max_disk: float | None,
    quiet: bool,
    workspace: Path,
    **executor_options: Any,
) -> None:
    """Build all missing lists of up to N cards. Without N: resume the last run, or build size 6.

    Prints an estimate. If the run takes more than an hour or half of the free disk, asks before it starts or, without a
    terminal, needs --yes, --max-time or --max-disk. Ctrl-C, a crash or a power cut loses no finished work.

    \b
    Examples:
      setset run 6
      setset run
      setset run 9 --dry-run
      setset run 9 --output /mnt/nas/caps
      setset run 12 --count-only
      setset run 20 --target 20 --prune
      setset run 18 --target 18 --store 18
      setset run 9 --quiet --log caps.log --max-time 8h
      setset run 10 --executor dask=scheduler.json --output /mnt/nas/caps
    """
    import setset
    from setset.show.estimates import introduce, print_estimate
    from setset.show.progress import show_progress
    from setset.show.runs import describe_end, describe_start, print_end, run_events

    on_cluster = executor_options["executor"].startswith("dask=")
    if on_cluster:
        options.refuse_given("{option} cannot be combined with --executor dask=ADDRESS", "workers")
        plan["workers"] = None  # ignores the number in the settings
    words, began = shlex.join(["setset", "run", *ctx.obj]), time.monotonic()
    folder = plan["output"] or workspace / "batches"
    with run_events(as_json, log) as events, setset.open(workspace, mode="a") as opened:
        exploration = opened.exploration(target)
        if dry_run:
            print_estimate(exploration.estimate(size, **plan), as_json=as_json)
            return
        estimate = None
        with contextlib.suppress(setset.SetsetError):  # ignored, because the run below reports the same error
            estimate = exploration.estimate(size, **plan, thorough=False)
        lines = introduce(estimate, yes or max_time is not None or max_disk is not None, on_cluster)
        with (
            show_progress(quiet or as_json, estimate, lines) as progress,
            setset.StopRequest().handling_signals() as stop,
            limited(stop, workspace, max_time, max_disk),
        ):
            events.emit("started", **describe_start(words, workspace, exploration.target, size))
            listener = events.forward_to(progress)
            run = exploration.run(size, **plan, **executor_options, progress=listener, stop=stop, command=words)
            seconds = time.monotonic() - began
            events.emit("finished", **describe_end(run, folder, seconds))
    if not (quiet or as_json):
        print_end(run, exploration.target, size, folder, seconds, plan["prune"], plan["first"])
