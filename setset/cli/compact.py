"""`setset compact`"""

from __future__ import annotations

from pathlib import Path

import click

from setset.cli import options


@click.command()
@options.size(required=True, help="The size whose files to merge.")
@click.option("--up-to", type=click.IntRange(0), help="Only batches up to this number.")
@options.target
@click.option("-q", "--quiet", is_flag=True, help="No progress.")
@options.workspace
def command(size: int, up_to: int | None, target: int, quiet: bool, workspace: Path) -> None:
    """Merge neighbouring small files into full ones. The lists and their order do not change.

    A size can be compacted when it is complete and nothing is derived from it yet.

    \b
    Example:
      setset compact --size 14
    """
    from setset.folder import Workspace
    from setset.show.formatting import number
    from setset.show.progress import watching
    from setset.workspace.inspection import compact_size

    with watching(quiet) as watcher:
        before, after = compact_size(Workspace(workspace), target, size, up_to, watcher)
    click.echo(f"size {size}: {number(before)} files before, {number(after)} now")
