"""`setset classes`: the catalogue of classes."""

from pathlib import Path
from typing import Any

import click

from setset.cli import options
from setset.cli.groups import SuggestingGroup


@click.group(invoke_without_command=True, cls=SuggestingGroup)
@click.option("--size", type=int, help="Show only this size, 0 to 20.")
@options.dimension
@options.wide
@options.as_json
@options.workspace
@click.pass_context
def command(ctx: click.Context, size: int | None, dimension: int, wide: bool, as_json: bool, workspace: Path) -> None:
    """Print the number of classes and lists of each size, and the chance that a hand of this size has no set.

    A class is all lists that the 1,965,150,720 symmetries make of one list. It is complete if no card can be added to
    its lists. The catalogue of all classes comes from the database of the workspace, or else from the package. With
    --dimension 2 or 3, prints the classes of that smaller deck under its own symmetries, named as in the whole deck.

    \b
    Examples:
      setset classes
      setset classes --size 12 --json
      setset classes list 16 --complete
      setset classes show 12/786
      setset classes --dimension 3
      setset classes build
    """
    if ctx.invoked_subcommand is not None:  # options before the subcommand (list, show, build) become its defaults
        ctx.default_map = {ctx.invoked_subcommand: ctx.params}
        return
    import setset
    from setset.show.classes import print_classes
    from setset.show.decks import print_deck_totals

    if dimension != 4:
        print_deck_totals(setset.Deck(dimension).totals(size), as_json, wide)
        return
    print_classes(setset.class_totals(workspace, size), as_json, wide)


_workspace = click.option(
    "-w", "--workspace", type=click.Path(path_type=Path), help="Folder with the database and the batch files."
)


_WHOLE_DECK = ("extension_orbits", "game_classes", "hyperplane", "exclusion")
"""Options that are only for the whole deck, because the catalogue lacks these properties for smaller decks."""


@command.command("list")
@options.size("Size of the classes", required=True, least=0)
@click.option("--complete", is_flag=True, help="List only classes to which no card can be added.")
@click.option("--stabilizer", type=click.IntRange(1), help="Filter by the number of symmetries of a list.")
@click.option("--structure", metavar="NAME", help="Filter by symmetry group, such as 'C2 x S4'.")
@click.option("--orbits", type=click.IntRange(0), help="Filter by the number of orbits on the cards of a list.")
@click.option("--spans", type=click.IntRange(-1, 4), help="Filter by spanned dimension: 1 for a line, 2 for a plane.")
@click.option("--extensions", type=click.IntRange(0), help="Filter by the number of cards that can be added.")
@click.option(
    "--extension-orbits", type=click.IntRange(0), help="Filter by the number of orbits on the cards that can be added."
)
@click.option(
    "--game-classes", type=click.IntRange(1), help="Filter by the number of classes under the game's symmetries."
)
@click.option("--hyperplane", metavar="A+B+C", help="Filter by cards in three parallel hyperplanes, such as 6+6+0.")
@click.option(
    "--exclusion", type=click.IntRange(0), help="Filter by the number of pairs that an outside card completes."
)
@options.dimension
@click.option(
    "--sort",
    type=click.Choice(["number", "lists", "stabilizer", "extensions"]),
    default="number",
    show_default=True,
    help="Column to sort by.",
)
@click.option("--reverse", is_flag=True, help="Reverse the order.")
@click.option("--start", type=click.IntRange(0), default=0, help="Number of classes to skip.")
@options.limit("classes", 20)
@options.wide
@click.option(
    "--json", "as_json", is_flag=True, help="Print JSON lines: an object per class, with neighbours and hyperplanes."
)
@_workspace
def list_command(
    size: int,
    complete: bool,
    start: int,
    limit: int | None,
    wide: bool,
    as_json: bool,
    workspace: Path,
    dimension: int,
    **chosen: Any,
) -> None:
    """List the classes of a size. Needs no workspace.

    Column extensions is the number of cards that can be added. Columns smaller and larger are the numbers of classes
    that one card less or more leads to.

    \b
    Examples:
      setset classes list 12 --sort stabilizer --reverse
      setset classes list 16 --complete --all
      setset classes list 12 --structure S4
      setset classes list 12 --hyperplane 6+6+0 --extension-orbits 1
      setset classes list 8 --dimension 3
      setset classes list 9 --all --json
    """
    import setset
    from setset.show.classes import print_class_list
    from setset.show.decks import print_deck_classes

    among = None if dimension == 4 else setset.Deck(dimension).classes(size)
    if among is not None:
        options.refuse_given("{option} is for the whole deck: leave out --dimension", *_WHOLE_DECK)
    catalogue = setset.load_catalogue(workspace, size, neighbours=True)
    classes = setset.find_classes(size, catalogue, complete=complete or None, among=among, **chosen)
    shown = classes[start : None if limit is None else start + limit]
    if among is not None:
        print_deck_classes(shown, start, len(classes), as_json, wide)
        return
    described = [setset.describe_class(list_class, catalogue) for list_class in shown]
    print_class_list(described, start, len(classes), as_json, wide)


@command.command("show")
@click.argument("class_name", metavar="SIZE/NUMBER", shell_complete=options.complete_classes)
@options.wide
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option(
    "--code",
    type=click.Choice(["gap", "sage", "magma", "oscar", "python"]),
    help="Print a program that builds the stabilizer, in this language.",
)
@options.dimension
@_workspace
def show_command(class_name: str, wide: bool, as_json: bool, code: str | None, dimension: int, workspace: Path) -> None:
    """Show all facts about a class such as 12/786. Needs no workspace.

    \b
    Examples:
      setset classes show 12/786
      setset classes show 20/0 --json
      setset classes show 20/0 --code gap
    """
    import setset
    from setset.show.classes import print_class
    from setset.show.decks import print_deck_class
    from setset.show.snippets import write_snippet

    if dimension != 4:
        options.refuse_given("{option} is for the whole deck: leave out --dimension", "code")
        deck = setset.Deck(dimension)
        print_deck_class(deck.get(class_name), deck, as_json, wide)
        return
    size, _ = options.parse_class(class_name)
    catalogue = setset.load_catalogue(workspace, size, neighbours=True)
    if code is not None:
        list_class = catalogue.named(class_name)
        click.echo(write_snippet(list_class, setset.stabilizer_of(list_class), code), nl=False)
        return
    print_class(setset.describe_class(class_name, catalogue), catalogue.lists(size), as_json, wide)


@command.command()
@click.option("--size", type=int, show_default="20", help="Build all sizes from 0 to this one.")
@click.option("--force", is_flag=True, help="Rebuild existing sizes too.")
@_workspace
def build(size: int | None, force: bool, workspace: Path) -> None:
    """Compute the catalogue of all classes again.

    Writes the catalogue to the database of the workspace, size by size. If the command is stopped, run it again: it
    resumes and keeps finished sizes.

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
        click.echo("nothing to do: the database has all these sizes")
