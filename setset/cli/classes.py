"""`setset classes`: the catalogue of classes."""

from __future__ import annotations

from pathlib import Path

import click

from setset.cli import options


@click.group(invoke_without_command=True)
@click.option("--size", type=int, help="Only this size, 0 to 20.")
@options.as_json
@options.workspace
@click.pass_context
def command(ctx: click.Context, size: int | None, as_json: bool, workspace: Path) -> None:
    """The table of all sizes: classes of lists up to the 1,965,150,720 symmetries, lists, chances.

    Taken from the workspace's database; what is not there is computed, which takes a few seconds.
    A class is complete if no card can be added to its lists.

    \b
    Examples:
      setset classes
      setset classes --size 12 --json
      setset classes build
    """
    if ctx.invoked_subcommand is not None:
        return
    import setset
    from setset.show.classes import print_classes

    print_classes(setset.class_totals(workspace, size), as_json)


def _given_to_classes(name: str) -> object:
    """The value of an option that was given to `setset classes`, before the word `build`."""
    parent = click.get_current_context().parent
    return parent.params[name] if parent else None


@command.command()
@click.option(
    "--size",
    type=int,
    default=lambda: _given_to_classes("size"),
    help="Build all sizes from 0 to this one [default: 20].",
)
@click.option("--force", is_flag=True, help="Build also what is there already.")
@click.option(
    "-w",
    "--workspace",
    type=click.Path(path_type=Path),
    default=lambda: _given_to_classes("workspace"),
    help="The folder with the database, as for all commands.",
)
def build(size: int | None, force: bool, workspace: Path) -> None:
    """Classify all lists into the workspace's database, size by size.

    Stopped at any moment it goes on where it was when it is run again; what is there is left alone.

    \b
    Examples:
      setset classes build
      setset sql "SELECT * FROM catalogue"
    """
    import setset
    from setset.cards import LARGEST
    from setset.show.classes import print_built
    from setset.show.progress import show_progress

    with (
        setset.open(workspace, mode="a") as opened,
        show_progress(quiet=False) as progress,
        setset.StopRequest().handling_signals() as stop,
    ):
        built = opened.build_classes(
            LARGEST if size is None else size, force=force, progress=progress, stop=stop, on_built=print_built
        )
    if not built:
        click.echo("nothing to do: these sizes are in the database")
