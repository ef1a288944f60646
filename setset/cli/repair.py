"""`setset repair`"""

from pathlib import Path
from typing import Any

import click

from setset.cli import options


@click.command()
@options.size()
@click.option("--batch", type=click.IntRange(0), help="Derive this batch of --size again, and compare it.")
@click.option("--deep", is_flag=True, help="Also decode each file and derive its lists again, as check --deep.")
@options.dry_run
@options.target
@options.as_json
@options.quiet
@options.workspace
def command(batch: int | None, dry_run: bool, as_json: bool, quiet: bool, workspace: Path, **more: Any) -> None:
    """Rebuild what `check` finds, each file byte-identical to the one lost. Nothing else is touched.

    \b
    Examples:
      setset repair --dry-run
      setset repair --deep
      setset repair --size 7 --batch 12
    """
    import setset
    from setset.show.formatting import print_result
    from setset.show.progress import show_progress
    from setset.show.tables import print_repaired

    if batch is not None:
        options.refuse_given("cannot be combined with --batch, which derives it again whatever its state", "deep")
    else:
        options.refuse_given("needs --batch: without, all targets are repaired", "target")
    with show_progress(quiet or as_json) as progress, setset.open(workspace, mode="a") as opened:
        result = opened.repair(batch=batch, dry_run=dry_run, progress=progress, **more)
    print_result(result, as_json, print_repaired, dry_run)
    if result.needs_rebuild or result.needs_roots or result.needs_upgrade:
        raise SystemExit(1)
