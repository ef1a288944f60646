"""`setset rm`"""

from pathlib import Path

import click

from setset.cli import options


@click.command()
@click.option("--target", type=click.IntRange(4, 20), required=True, help="Target of the exploration to remove.")
@click.option("--size", type=click.IntRange(3, 20), help="Remove only this size and larger sizes.")
@options.dry_run
@options.yes
@options.as_json
@options.quiet
@options.workspace
def command(
    target: int, size: int | None, dry_run: bool, yes: bool, as_json: bool, quiet: bool, workspace: Path
) -> None:
    """Remove the files and records of an exploration, or of its largest sizes.

    Prints the files and bytes to remove, and asks. Removing a size removes all larger sizes too, because they are
    derived from it. A size without files keeps its count if it was counted from a smaller size that stays. If the
    command is stopped, run it again: it resumes.

    \b
    Examples:
      setset rm --target 11 --dry-run
      setset rm --target 12 --size 9
    """
    import setset
    from setset.show.formatting import how_many, print_json
    from setset.show.progress import show_progress
    from setset.show.tables import print_removed

    with setset.open(workspace, mode="a") as opened, show_progress(quiet or as_json) as progress:
        exploration = opened.exploration(target)
        removed = exploration.remove(size, dry_run=True)
        if not as_json:
            print_removed(removed)
        if removed.sizes and not dry_run:
            options.confirm(f"Remove {how_many(removed.files - removed.kept, 'file')} of target {target}?", yes)
            removed = exploration.remove(size, progress=progress)
            if not as_json:
                click.echo("removed")
    if as_json:
        print_json(removed)
