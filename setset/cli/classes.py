"""`setset classes`: the catalogue of classes."""

from pathlib import Path
from typing import Any

import click

from setset.cli import SuggestingGroup, options


@click.group(invoke_without_command=True, cls=SuggestingGroup)
@click.option("--size", type=int, help="Only this size, 0 to 20.")
@options.wide
@options.as_json
@options.workspace
@click.pass_context
def command(ctx: click.Context, size: int | None, wide: bool, as_json: bool, workspace: Path) -> None:
    """The table of all sizes: classes of lists up to the 1,965,150,720 symmetries, lists, chances.

    Taken from the workspace's database; what is not there comes with the package.
    A class is complete if no card can be added to its lists.

    \b
    Examples:
      setset classes
      setset classes --size 12 --json
      setset classes list 16 --complete
      setset classes show 12/786
      setset classes build
    """
    if ctx.invoked_subcommand is not None:  # what is given before `list`, `show` or `build` is their default
        ctx.default_map = {ctx.invoked_subcommand: ctx.params}
        return
    import setset
    from setset.show.classes import print_classes

    print_classes(setset.class_totals(workspace, size), as_json, wide)


_workspace = click.option(
    "-w", "--workspace", type=click.Path(path_type=Path), help="The folder with the database, as for all commands."
)
_wide = click.option("--wide", is_flag=True, help="All columns and whole values.")


@command.command("list")
@options.size(help="The size.", least=0)
@click.option("--complete", is_flag=True, help="Only classes whose lists no card can be added to.")
@click.option("--stabilizer", type=click.IntRange(1), help="Only classes with this number of symmetries.")
@click.option("--structure", metavar="NAME", help="Only this structure of the stabilizer, such as 'C2 x S4'.")
@click.option("--orbits", type=click.IntRange(0), help="Only with this many orbits on the cards of a list.")
@click.option("--spans", type=click.IntRange(-1, 4), help="Only lists that span a flat of this dimension.")
@click.option(
    "--sort",
    type=click.Choice(["number", "lists", "stabilizer", "extensions"]),
    default="number",
    show_default=True,
    help="Order of the classes.",
)
@click.option("--reverse", is_flag=True, help="Largest first.")
@click.option("--start", type=click.IntRange(0), default=0, help="Skip the first N classes.")
@click.option("--limit", type=click.IntRange(0), default=20, show_default=True, help="Maximum number of classes.")
@click.option("--all", "all_classes", is_flag=True, help="All classes from --start on.")
@_wide
@click.option(
    "--json",
    "as_json",
    is_flag=True,
    help="Print an object a line, with the neighbours and the hyperplanes of each class.",
)
@_workspace
def list_command(
    size: int | None,
    complete: bool,
    start: int,
    limit: int,
    all_classes: bool,
    wide: bool,
    as_json: bool,
    workspace: Path,
    **chosen: Any,
) -> None:
    """The classes of a size. Needs no workspace.

    Extensions are the cards that can be added to a list; smaller and larger, the classes that one card less and one
    card more leads to.

    \b
    Examples:
      setset classes list 12 --sort stabilizer --reverse
      setset classes list 16 --complete --all
      setset classes list 12 --structure S4
      setset classes list 9 --all --json
    """
    if size is None:
        raise click.UsageError("Missing argument 'N': how many cards? (the same as --size N)")
    import setset
    from setset.show.classes import print_class_list

    catalogue = setset.load_catalogue(workspace, size, neighbours=True)
    found = setset.find_classes(size, catalogue, complete=complete or None, **chosen)
    if all_classes:
        options.refuse_given("cannot be combined with --all", "limit")
    shown = found[start : None if all_classes else start + limit]
    described = [setset.describe_class(one, catalogue) for one in shown]
    print_class_list(described, start, len(found), as_json, wide)


@command.command("show")
@click.argument("which", metavar="SIZE/NUMBER", shell_complete=options.complete_classes)
@_wide
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option(
    "--code",
    type=click.Choice(["gap", "sage", "magma", "oscar", "python"]),
    help="Print the stabilizer with its generators as a program for this system instead.",
)
@_workspace
def show_command(which: str, wide: bool, as_json: bool, code: str | None, workspace: Path) -> None:
    """All about a class such as 12/786. Needs no workspace.

    \b
    Examples:
      setset classes show 12/786
      setset classes show 20/0 --json
      setset classes show 20/0 --code gap
    """
    import setset
    from setset.show.classes import print_class
    from setset.show.snippets import write_snippet

    size, _ = options.parse_class(which)
    catalogue = setset.load_catalogue(workspace, size, neighbours=True)
    if code is not None:
        one = catalogue.named(which)
        click.echo(write_snippet(one, setset.stabilizer_of(one), code), nl=False)
        return
    print_class(setset.describe_class(which, catalogue), catalogue.lists(size), as_json, wide)


@command.command()
@click.option("--size", type=int, help="Build all sizes from 0 to this one [default: 20].")
@click.option("--force", is_flag=True, help="Build also what is there already.")
@_workspace
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
