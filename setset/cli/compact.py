"""`setset compact`"""

from pathlib import Path

import click

from setset.cli import options


@click.command()
@options.size("Size whose files to merge", required=True)
@click.option("--up-to", type=click.IntRange(0), help="Last batch to merge.")
@options.target
@options.quiet
@options.workspace
def command(size: int, up_to: int | None, target: int | None, quiet: bool, workspace: Path) -> None:
    """Merge neighbouring small files into full files. The lists and their order do not change.

    A size can be compacted if it is complete and no larger size was made from it yet.

    \b
    Example:
      setset compact 14
    """
    import setset
    from setset.show.formatting import how_many, number
    from setset.show.progress import show_progress

    with setset.open(workspace, mode="a") as opened, show_progress(quiet) as progress:
        result = opened.exploration(target).compact(size, up_to=up_to, progress=progress)
    click.echo(f"size {size}: {how_many(result.files_before, 'file')} before, {number(result.files_after)} now")
