"""`setset run`"""

import contextlib
import shlex
import sys
import time
from pathlib import Path
from typing import Any

import click

from setset.cli import options


@click.command()
@options.size(required=True, help="Build all sizes up to this one.")
@options.target
@options.prune
@options.store
@options.count
@options.via
@click.option("--workers", type=click.IntRange(1), help="Worker processes [default: all cores].")
@options.batch_lists
@options.output
@options.first
@click.option("--count-only", is_flag=True, help="Count without files, from the largest complete size on.")
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
@click.option("--json", "as_json", is_flag=True, help="Print what happens as JSON lines (docs/unattended.md).")
@click.option("--dry-run", is_flag=True, help="Only say what it will take, as 'setset estimate' does.")
@click.option("-y", "--yes", is_flag=True, help="Do not ask before more than an hour, or half of the free disk.")
@options.quiet
@options.workspace
def command(
    size: int,
    target: int,
    prune: bool,
    store: tuple[int, ...],
    count: tuple[int, ...],
    via: int | None,
    workers: int | None,
    batch_lists: int | None,
    output: Path | None,
    first: int,
    count_only: bool,
    executor: str,
    maps: tuple[str, ...],
    ship: bool,
    log: Path | None,
    as_json: bool,
    dry_run: bool,
    yes: bool,
    quiet: bool,
    workspace: Path,
) -> None:
    """Build all that is missing up to a size.

    It says first what that will take, and asks on a terminal if it is more than an hour or half of the free disk.
    Stopped at any moment, by Ctrl-C or by a power cut, it goes on where it was when it is run again.

    \b
    Examples:
      setset run --size 6
      setset run --size 9 --dry-run
      setset run --size 9 --output /mnt/nas/caps
      setset run --size 12 --count-only
      setset run --size 20 --target 20 --prune
      setset run --size 18 --target 18 --store 18
      setset run --size 9 --quiet --log caps.log
      setset run --size 10 --executor dask=scheduler.json --output /mnt/nas/caps
    """
    import setset
    from setset.show.estimates import introduce, print_estimate
    from setset.show.progress import show_progress
    from setset.show.runs import NoEvents, describe_end, describe_start, print_end, run_events

    if workers and executor.startswith("dask="):
        raise click.UsageError("--workers cannot be combined with --executor dask=ADDRESS")
    words, began = shlex.join(["setset", *sys.argv[1:]]), time.monotonic()
    folder = output or workspace / "batches"
    shared: dict[str, Any] = {
        "workers": workers,
        "batch_lists": batch_lists,
        "output": output,
        "first": first,
        "count_only": count_only,
        "prune": prune,
        "store": store,
        "count": count,
        "via": via,
    }
    telling = run_events(as_json, log) if as_json or log else contextlib.nullcontext(NoEvents())
    with telling as events, setset.open(workspace, mode="a") as opened:
        exploration = opened.exploration(target)
        if dry_run:
            print_estimate(exploration.estimate(size, **shared), as_json=as_json)
            return
        try:
            estimate = exploration.estimate(size, **shared, thorough=False)
        except setset.SetsetError:
            estimate = None  # the run refuses bad input, and sees to a damaged database
        lines = introduce(estimate, yes, elsewhere=executor.startswith("dask="))
        if lines is None:
            raise SystemExit(1)
        with (
            show_progress(quiet or as_json, estimate, lines) as progress,
            setset.StopRequest().handling_signals() as stop,
        ):
            events.emit("started", **describe_start(words, workspace, target, size))
            made = exploration.run(
                size,
                **shared,
                executor=executor,
                maps=maps,
                ship=ship,
                progress=events.beside(progress),
                stop=stop,
                command=words,
            )
            seconds = time.monotonic() - began
            events.emit("finished", **describe_end(made, folder, seconds))
    if not (quiet or as_json):
        print_end(made, target, size, folder, seconds, prune)
