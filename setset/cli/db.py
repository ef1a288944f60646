"""`setset db`"""

from pathlib import Path

import click

from setset.cli import options
from setset.cli.groups import SuggestingGroup


@click.group(cls=SuggestingGroup)
def command() -> None:
    """Back up, upgrade or rebuild the database, and show its schema revision.

    \b
    Example:
      setset db backup before.db
    """


@command.command()
@options.as_json
@options.workspace
def current(as_json: bool, workspace: Path) -> None:
    """Show the schema revision of the database and of setset.

    \b
    Example:
      setset db current
    """
    import setset
    from setset.show.formatting import print_result

    schema = setset.open(workspace, mode="a").schema()
    text = f"database {schema.database or 'none'}, setset {schema.setset}"
    print_result(schema, as_json, lambda _: click.echo(text))
    setset.open(workspace).close()  # raises an error with advice if the revisions differ


@command.command()
@options.workspace
def upgrade(workspace: Path) -> None:
    """Upgrade an older database to the current schema. Makes a backup first.

    \b
    Example:
      setset db upgrade
    """
    import setset
    from setset.show.formatting import print_line

    backup = setset.open(workspace, mode="a").upgrade()
    print_line(f"upgraded; the backup of the old database is {backup}" if backup else "up to date")


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
    help="Folder --output of earlier runs; may be repeated.",
)
@options.quiet
@options.workspace
def rebuild(outputs: tuple[Path, ...], quiet: bool, workspace: Path) -> None:
    """Make a new database from the batch files.

    Use this command if the database is lost or damaged. The counts of sizes without files come from the file
    setset.counts. If that file is lost too, 'setset run --count-only' counts again. 'setset classes build' makes the
    catalogue again.

    \b
    Example:
      setset db rebuild --output /mnt/nas/caps
    """
    import setset
    from setset.show.formatting import print_line
    from setset.show.progress import show_progress

    with show_progress(quiet) as progress:
        old_database = setset.open(workspace, mode="a").rebuild_database(outputs, progress)
    if old_database:
        print_line(f"the old database is kept as {old_database}")
    print_line("rebuilt: 'setset count' shows all lists, 'setset run' makes missing lists")
