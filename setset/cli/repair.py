"""`setset repair`"""

from __future__ import annotations

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
@click.option("-q", "--quiet", is_flag=True, help="No progress.")
@options.workspace
def command(
    size: int | None, number: int | None, dry_run: bool, target: int, quiet: bool, workspace: Path
) -> None:
    """Redo what `check` finds, each file byte-identical to the one lost. Nothing else is touched.

    \b
    Examples:
      setset repair --dry-run
      setset repair --size 7 --batch 12
    """
    from setset.jobs.inspection import mend
    from setset.jobs.repairing import REBUILDABLE, remedy
    from setset.jobs.workspace import Workspace
    from setset.show.progress import watching

    if number is not None and size is None:
        raise BadInput("--batch needs --size")
    with watching(quiet) as watcher:
        done, left = mend(Workspace(workspace), target, size, number, dry_run, watcher)
    for finding in done:
        click.echo(f"{'would redo' if dry_run else 'redone'}: {finding.where}: {finding.what}")
    for finding in left:
        click.echo(f"left: {finding.kind}: {finding.where}: {finding.what}")
    if not done and not left:
        click.echo("nothing to repair")
    if advice := remedy(left):
        click.echo(f"setset: {advice}", err=True)
    if any(finding.kind in REBUILDABLE for finding in left):
        raise SystemExit(1)
