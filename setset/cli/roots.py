"""`setset roots`"""

import dataclasses
from pathlib import Path

import click

from setset.cli import options
from setset.cli.groups import SuggestingGroup

COMMAND_LINE = click.core.ParameterSource.COMMANDLINE


@click.group(invoke_without_command=True, cls=SuggestingGroup)
@options.wide
@options.as_json
@options.workspace
@click.pass_context
def command(context: click.Context, wide: bool, as_json: bool, workspace: Path) -> None:
    """List the storage roots, the folders with the batch files: state, files, lists, bytes.

    \b
    Examples:
      setset roots
      setset roots move /mnt/nas/caps /mnt/new/caps
      setset roots forget /mnt/nas/caps
    """
    if context.invoked_subcommand is not None:
        options_before = [name for name in context.params if context.get_parameter_source(name) is COMMAND_LINE]
        if options_before:
            raise click.UsageError(f"give --{options_before[0].removeprefix('as_')} after {context.invoked_subcommand}")
        return
    import setset
    from setset.show.formatting import print_json
    from setset.show.tables import print_roots

    with setset.open(workspace) as opened:
        roots = opened.roots()
    if as_json:
        print_json([dataclasses.asdict(root) for root in roots])
    else:
        print_roots(roots, wide)


@command.command()
@click.argument("old")
@click.argument("new", type=click.Path(path_type=Path))
@click.option("--fast", is_flag=True, help="Compare only the names and sizes of files.")
@click.option("--incomplete", is_flag=True, help="Record the move even if files are missing or damaged.")
@options.as_json
@options.quiet
@options.workspace
def move(old: str, new: Path, fast: bool, incomplete: bool, as_json: bool, quiet: bool, workspace: Path) -> None:
    """Record the new folder of a storage root that was moved.

    OLD is the former folder of the root, or its number. First move or copy the folder with its content to NEW. The
    command compares every file in NEW, and the token that names the owner, with the database. If the command is
    stopped, run it again: it resumes.

    If you moved the workspace itself, it can only read its roots outside the workspace. Give such a root as OLD and as
    NEW: then the workspace owns the root again.

    \b
    Examples:
      setset roots move /mnt/nas/caps /mnt/new/caps
      setset roots move /mnt/nas/caps /mnt/nas/caps
      setset roots move 2 /mnt/new/caps --fast
    """
    import setset
    from setset.show.formatting import print_json
    from setset.show.progress import show_progress
    from setset.show.tables import print_moved

    with setset.open(workspace, mode="a") as opened, show_progress(quiet or as_json) as progress:
        moved = opened.move_root(old, new, fast=fast, incomplete=incomplete, progress=progress)
    if as_json:
        print_json(dataclasses.asdict(moved))
    else:
        print_moved(moved)


@command.command()
@click.argument("old")
@click.option(
    "--output",
    type=click.Path(path_type=Path, file_okay=False),
    show_default="in the workspace",
    help="Folder for the files made again.",
)
@options.dry_run
@options.yes
@options.workspace
def forget(old: str, output: Path | None, dry_run: bool, yes: bool, workspace: Path) -> None:
    """Give up a storage root that is lost for good.

    OLD is the folder of the root, or its number. The command records the files of the root as missing in the folder
    --output. 'setset repair' makes them again there, byte-identical.

    \b
    Example:
      setset roots forget /mnt/nas/caps
    """
    import setset
    from setset.show.formatting import print_line
    from setset.show.tables import print_roots

    with setset.open(workspace, mode="a") as opened:
        print_roots([opened.forget_root(old, dry_run=True)])
        if not dry_run:
            options.confirm("Forget this storage root, so that repair can make its files again?", yes)
            opened.forget_root(old, output=output)
            print_line("storage root forgotten: run 'setset repair' to make its files again")
