"""`setset repair`"""

from __future__ import annotations

import dataclasses
from pathlib import Path

import click

from setset.cli import options
from setset.errors import BadInput


@click.command()
@options.size()
@click.option(
    "--batch", "number", type=click.IntRange(0), help="Redo this batch of --size, whatever its state."
)
@click.option("--dry-run", is_flag=True, help="Say what would be done, and do nothing.")
@options.target
@options.as_json
@click.option("-q", "--quiet", is_flag=True, help="No progress.")
@options.workspace
def command(
    size: int | None,
    number: int | None,
    dry_run: bool,
    target: int,
    as_json: bool,
    quiet: bool,
    workspace: Path,
) -> None:
    """Redo what `check` finds, each file byte-identical to the one lost. Nothing else is touched.

    \b
    Examples:
      setset repair --dry-run
      setset repair --size 7 --batch 12
    """
    from setset.folder import Workspace
    from setset.maintenance.repair import REBUILDABLE, remedy
    from setset.show.formatting import print_json
    from setset.show.progress import watching
    from setset.workspace.inspection import mend

    if number is not None and size is None:
        raise BadInput("--batch needs --size")
    with watching(quiet or as_json) as watcher:
        done, left = mend(Workspace(workspace), target, size, number, dry_run, watcher)
    redone = "would redo" if dry_run else "redone"
    outcomes = [(redone, finding) for finding in done] + [("left", finding) for finding in left]
    if as_json:
        print_json([{"outcome": outcome, **dataclasses.asdict(finding)} for outcome, finding in outcomes])
    else:
        for outcome, finding in outcomes:
            kind = "" if finding in done else f"{finding.kind}: "
            click.echo(f"{outcome}: {kind}{finding.where}: {finding.what}")
        if not outcomes:
            click.echo("nothing to repair")
    if advice := remedy(left):
        click.echo(f"setset: {advice}", err=True)
    if any(finding.kind in REBUILDABLE for finding in left):
        raise SystemExit(1)
