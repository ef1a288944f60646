"""`setset history`"""

from __future__ import annotations

import dataclasses
from pathlib import Path

import click

from setset.cli import options


@click.command()
@click.option("--limit", type=click.IntRange(1), default=20, show_default=True, help="How many runs.")
@options.wide
@options.as_json
@options.workspace
def command(limit: int, wide: bool, as_json: bool, workspace: Path) -> None:
    """Past runs, newest first: when, what, by which version, how it ended, what it added.

    \b
    Examples:
      setset history --limit 5
      setset history --wide
    """
    import setset
    from setset.show.formatting import print_json
    from setset.show.tables import print_history

    with setset.open(workspace) as opened:
        found = opened.runs(limit)
    if as_json:
        print_json([dataclasses.asdict(run) for run in found])
    else:
        print_history(found, wide)
