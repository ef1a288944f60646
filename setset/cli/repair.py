"""`setset repair`"""

from __future__ import annotations

import dataclasses
from pathlib import Path

import click

from setset.cli import options


@click.command()
@options.size()
@click.option(
    "--batch",
    type=click.IntRange(0),
    help="Derive this batch of --size again, and compare it.",
)
@click.option(
    "--deep", is_flag=True, help="Also decode each file and derive its lists again, as check --deep."
)
@options.dry_run
@options.target
@options.as_json
@options.quiet
@options.workspace
def command(
    size: int | None,
    batch: int | None,
    deep: bool,
    dry_run: bool,
    target: int,
    as_json: bool,
    quiet: bool,
    workspace: Path,
) -> None:
    """Rebuild what `check` finds, each file byte-identical to the one lost. Nothing else is touched.

    \b
    Examples:
      setset repair --dry-run
      setset repair --deep
      setset repair --size 7 --batch 12
    """
    import setset
    from setset.show.formatting import print_json
    from setset.show.progress import show_progress
    from setset.show.tables import print_repaired

    if batch is not None:
        options.refuse_given(
            "cannot be combined with --batch, which derives it again whatever its state", "deep"
        )
    else:
        options.refuse_given("needs --batch: without, all targets are repaired", "target")
    with show_progress(quiet or as_json) as progress, setset.open(workspace, mode="a") as opened:
        result = opened.repair(
            size=size, batch=batch, target=target, deep=deep, dry_run=dry_run, progress=progress
        )
    if as_json:
        print_json(dataclasses.asdict(result))
    else:
        print_repaired(result, dry_run)
    if result.needs_rebuild or result.needs_roots:
        raise SystemExit(1)
