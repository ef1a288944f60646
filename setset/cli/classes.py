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
    from setset.folder import Workspace
    from setset.show.classes import print_classes
    from setset.workspace.catalogue import table

    print_classes(table(Workspace(workspace), size), as_json)


def _as_before_build(name: str) -> object:
    """What `setset classes` was told before the word `build`."""
    parent = click.get_current_context().parent
    return parent.params[name] if parent else None


@command.command()
@click.option(
    "--size",
    type=int,
    default=lambda: _as_before_build("size"),
    help="Build all sizes from 0 to this one [default: 20].",
)
@click.option("--anew", is_flag=True, help="Build also what is there already.")
@click.option(
    "-w",
    "--workspace",
    type=click.Path(path_type=Path),
    default=lambda: _as_before_build("workspace"),
    help="The folder with the database, as for all commands.",
)
def build(size: int | None, anew: bool, workspace: Path) -> None:
    """Classify all lists into the workspace's database, size by size.

    Stopped at any moment it goes on where it was when it is run again; what is there is left alone.

    \b
    Examples:
      setset classes build
      setset sql "SELECT * FROM catalogue"
    """
    from setset.cards import LARGEST
    from setset.folder import Workspace
    from setset.show.classes import print_built
    from setset.show.progress import watching
    from setset.workspace.catalogue import build as build_catalogue

    built = []

    def tell(each: object) -> None:
        built.append(each)
        print_built(each)  # type: ignore[arg-type]

    with watching(quiet=False) as watcher:
        build_catalogue(Workspace(workspace), LARGEST if size is None else size, watcher, tell, anew)
    if not built:
        click.echo("nothing to do: these sizes are in the database")
