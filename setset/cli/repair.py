"""`setset repair`"""

from pathlib import Path
from typing import Any

import click

from setset.cli import options


@click.command()
@options.size("Repair only this size")
@click.option(
    "--batch", type=click.IntRange(0), help="Make this batch of --size again, and compare the file with the database."
)
@click.option("--source", type=click.IntRange(0), help="Make all files of --size from this source batch again.")
@click.option("--deep", is_flag=True, help="Decode all files and derive their lists first, like check --deep.")
@options.dry_run
@options.target
@options.as_json
@options.quiet
@options.workspace
def command(dry_run: bool, as_json: bool, quiet: bool, workspace: Path, **chosen: Any) -> None:
    """Repair the problems that 'setset check' finds. Files made again are byte-identical; sound files do not change.

    \b
    Examples:
      setset repair --dry-run
      setset repair --deep
      setset repair 7 --batch 12
      setset repair 7 --source 3
    """
    import setset
    from setset.show.formatting import print_result
    from setset.show.progress import show_progress
    from setset.show.tables import print_repaired

    if (chosen["batch"], chosen["source"]) != (None, None):
        message = "{option} cannot be combined with --batch or --source, which always derive the lists again"
        options.refuse_given(message, "deep")
    else:
        message = "{option} needs --batch or --source; without them, setset repairs all targets"
        options.refuse_given(message, "target")
    with show_progress(quiet or as_json) as progress, setset.open(workspace, mode="a") as opened:
        result = opened.repair(dry_run=dry_run, progress=progress, **chosen)
    print_result(result, as_json, print_repaired, dry_run)
    if result.needs_rebuild or result.needs_roots or result.needs_upgrade:
        raise SystemExit(1)
