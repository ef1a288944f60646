"""`setset db`"""

from pathlib import Path

import click

from setset.cli import SuggestingGroup, options


@click.group(cls=SuggestingGroup)
def command() -> None:
    """The database itself: schema, backup, rebuilding.

    \b
    Example:
      setset db backup before.db
    """


@command.command()
@options.as_json
@options.workspace
def current(as_json: bool, workspace: Path) -> None:
    """The schema revision of the database, and of this setset.

    \b
    Example:
      setset db current
    """
    import setset
    from setset.show.formatting import print_result

    schema = setset.open(workspace, mode="a").schema()
    text = f"database {schema.database or 'none'}, setset {schema.setset}"
    print_result(schema, as_json, lambda _: click.echo(text))
    setset.open(workspace).close()  # fails with advice if they differ


@command.command()
@options.workspace
def upgrade(workspace: Path) -> None:
    """Bring an older database to the current schema, after a backup.

    \b
    Example:
      setset db upgrade
    """
    import setset
    from setset.show.formatting import print_line

    kept = setset.open(workspace, mode="a").upgrade()
    print_line(f"upgraded; the database as it was is {kept}" if kept else "up to date")


@command.command()
@click.argument("copy", type=click.Path(path_type=Path, dir_okay=False))
@options.force
@options.workspace
def backup(copy: Path, force: bool, workspace: Path) -> None:
    """Make a consistent copy of the database. Works during a run.

    \b
    Example:
      setset db backup before.db
    """
    import setset
    from setset.show.formatting import print_line

    setset.open(workspace, mode="a").backup(copy, force=force)
    print_line(f"copied to {copy}")


@command.command()
@click.option(
    "--output",
    "outputs",
    multiple=True,
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    help="Folder that runs used as --output; repeat the option for each.",
)
@options.quiet
@options.workspace
def rebuild(outputs: tuple[Path, ...], quiet: bool, workspace: Path) -> None:
    """Replace a lost database by a new one, from the batch files alone.

    Counts without files come back from setset.counts, or by 'setset run --count-only'. 'setset classes build' makes the
    catalogue of classes again.

    \b
    Example:
      setset db rebuild --output /mnt/nas/caps
    """
    import setset
    from setset.show.formatting import print_line
    from setset.show.progress import show_progress

    with show_progress(quiet) as progress:
        kept = setset.open(workspace, mode="a").rebuild_database(outputs, progress)
    if kept:
        print_line(f"the database as it was is {kept}")
    print_line("rebuilt: 'setset count' shows what is there, 'setset run' fills what is missing")
