"""`setset db`"""

from __future__ import annotations

from pathlib import Path

import click

from setset.cli import options


@click.group()
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
    """The schema revision of the database, and the one that this setset wants.

    \b
    Example:
      setset db current
    """
    from setset.database import schema as database
    from setset.folder import Workspace
    from setset.show.formatting import print_json

    path = Workspace(workspace).database
    database.require_file(path)
    found = database.revision(path)
    if as_json:
        print_json({"database": found, "setset": database.HEAD})
    else:
        click.echo(f"database {found or 'none'}, setset {database.HEAD}")
    database.require_current(path)


@command.command()
@options.workspace
def upgrade(workspace: Path) -> None:
    """Bring an older database to the current schema, after a backup.

    \b
    Example:
      setset db upgrade
    """
    from setset.database import schema as database
    from setset.folder import Workspace

    place = Workspace(workspace)
    database.require_file(place.database)
    with place.held():
        kept = database.upgrade(place.database)
    click.echo(f"upgraded; the database as it was is {kept}" if kept else "up to date")


@command.command()
@click.argument("copy", type=click.Path(path_type=Path, dir_okay=False))
@options.workspace
def backup(copy: Path, workspace: Path) -> None:
    """Make a consistent copy of the database, even while a run is under way.

    \b
    Example:
      setset db backup before.db
    """
    from setset.database import schema as database
    from setset.folder import Workspace

    path = Workspace(workspace).database
    database.require_file(path)
    database.backup(path, copy)
    click.echo(f"copied to {copy}")


@command.command()
@click.option(
    "--output",
    "outputs",
    multiple=True,
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    help="A folder that runs were given as --output; once for each.",
)
@click.option("-q", "--quiet", is_flag=True, help="No progress.")
@options.workspace
def rebuild(outputs: tuple[Path, ...], quiet: bool, workspace: Path) -> None:
    """Make a new database from the batch files alone, when the database is lost.

    What no file holds is made again by its own command: counts without files by 'setset run --count-only', the
    catalogue of classes by 'setset classes build'.

    \b
    Example:
      setset db rebuild --output /mnt/nas/caps
    """
    from setset.folder import Workspace
    from setset.maintenance.rebuild import rebuild as rebuild_from_files
    from setset.show.progress import watching

    place = Workspace(workspace)
    with place.held(), watching(quiet) as watcher:
        kept = rebuild_from_files(place, outputs, watcher)
    if kept:
        click.echo(f"the database as it was is {kept}")
    click.echo("rebuilt: 'setset count' shows what is there, 'setset run' fills what is missing")
