"""`setset run`"""

from __future__ import annotations

import os
import shlex
import sys
import time
from pathlib import Path

import click

from setset.cli import options


@click.command()
@options.size(required=True, help="Build all sizes up to this one.")
@options.target
@click.option("--workers", type=click.IntRange(1), help="Worker processes [default: all cores].")
@click.option("--batch-lists", type=click.IntRange(1), help="Most lists in a file [default: 16,000,000].")
@click.option(
    "--output",
    type=click.Path(path_type=Path, file_okay=False),
    help="Where this run's files go: another disk, a NAS. The database remembers.",
)
@click.option(
    "--from",
    "first",
    type=click.IntRange(0),
    default=0,
    help="Expand only source batches from this number on.",
)
@click.option("--count-only", is_flag=True, help="Count without files, from the largest complete size on.")
@click.option("--no-compact", is_flag=True, help="Do not merge small files after sizes from 13 on.")
@click.option(
    "--executor",
    default="local",
    show_default=True,
    help="Where the work is done: local; dask (a cluster on this machine); dask=ADDRESS or "
    "dask=SCHEDULER_FILE (one that is there); MODULE:CALLABLE (any concurrent.futures.Executor).",
)
@click.option(
    "--map",
    "maps",
    multiple=True,
    metavar="HERE=THERE",
    help="Dask workers see the folder HERE as THERE. Can be repeated.",
)
@click.option("--ship", is_flag=True, help="Dask workers see no common folder: send them the files' bytes.")
@click.option(
    "--log",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Append to this file what happens, a line each with the time in UTC.",
)
@click.option(
    "--json", "as_json", is_flag=True, help="Print what happens as JSON lines (docs/unattended.md)."
)
@options.quiet
@options.workspace
def command(
    size: int,
    target: int,
    workers: int | None,
    batch_lists: int | None,
    output: Path | None,
    first: int,
    count_only: bool,
    no_compact: bool,
    executor: str,
    maps: tuple[str, ...],
    ship: bool,
    log: Path | None,
    as_json: bool,
    quiet: bool,
    workspace: Path,
) -> None:
    """Build all that is missing up to a size.

    Stopped at any moment, by Ctrl-C or by a power cut, it goes on where it was when it is run again.

    \b
    Examples:
      setset run --size 6
      setset run --size 9 --output /mnt/nas/caps
      setset run --size 12 --count-only
      setset run --size 9 --quiet --log caps.log
      setset run --size 10 --executor dask=scheduler.json --output /mnt/nas/caps
    """
    import setset
    from setset.show.events import Several, run_events
    from setset.show.progress import show_progress
    from setset.show.runs import describe_end, describe_start, print_end

    if workers and executor.startswith("dask="):
        raise click.UsageError("--workers cannot be combined with --executor dask=ADDRESS")
    words, began = shlex.join(["setset", *sys.argv[1:]]), time.monotonic()
    with (
        setset.open(workspace, mode="a") as opened,
        run_events(as_json, log) as events,
        show_progress(quiet or as_json, sizes=1 if count_only else size - 2) as progress,
        setset.StopRequest().handling_signals() as stop,
    ):
        events.emit("started", **describe_start(words, workspace, target, size))
        opened.exploration(target).run(
            size,
            workers=workers,
            batch_lists=batch_lists,
            output=output,
            first=first,
            count_only=count_only,
            compact=not no_compact,
            executor=executor,
            maps=maps,
            ship=ship,
            progress=Several(progress, events),
            stop=stop,
            command=words,
        )
        made = next(run for run in opened.runs() if run.pid == os.getpid())
        seconds = time.monotonic() - began
        events.emit("finished", **describe_end(made, output or workspace / "batches", seconds))
    if not (quiet or as_json):
        print_end(made, target, size, output or workspace / "batches", seconds)
