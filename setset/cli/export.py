"""`setset export`"""

from __future__ import annotations

import dataclasses
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import click

from setset.cli import SuggestingGroup, options

if TYPE_CHECKING:
    from collections.abc import Callable

overwrite = click.option(
    "--force", "--overwrite", "overwrite", is_flag=True, help="Replace files that are there already (once --overwrite)."
)


def output(help: str) -> options.Decorator:  # noqa: A002 (click's word)
    return click.option("-o", "--output", type=click.Path(path_type=Path), required=True, help=help)


def table(function: Callable[..., None]) -> Callable[..., None]:
    """The options of all tables."""
    table_format = click.option(
        "--format",
        "format_",
        type=click.Choice(["csv", "json", "parquet", "gap"]),
        help="[default: what the name ends with, .g for gap]",
    )
    file = output("The file to write; - for standard output.")
    return file(table_format(overwrite(options.workspace(function))))


@click.group(cls=SuggestingGroup)
def command() -> None:
    """Write lists, classes, links or counts for other programs.

    \b
    Examples:
      setset export lists --size 7 -o seven --format parquet
      setset export classes -o classes.g
    """


@command.command()
@options.size(required=True, help="The size of the lists.")
@output("A folder, for a file a batch; or one file, if the name ends with a format; - for standard output.")
@click.option(
    "--format",
    "format_",
    type=click.Choice(["parquet", "npy", "csv", "jsonl"]),
    help="[default: what the name ends with]",
)
@click.option(
    "--as",
    "as_",
    type=click.Choice(["cards", "vectors", "names"]),
    default="cards",
    show_default=True,
    help="Cards as numbers 0 to 80, as four digits 0 to 2, or by name.",
)
@click.option("--start", type=click.IntRange(0), default=0, help="Start at this list, numbered from 0.")
@click.option("--limit", type=click.IntRange(1), help="Maximum number of lists, in one file.")
@click.option(
    "--row-group-size",
    type=click.IntRange(1, 1 << 26),
    default=1 << 20,
    show_default=True,
    help="Rows in a row group of Parquet.",
)
@click.option("--partial", is_flag=True, help="Export what there is of an incomplete size.")
@overwrite
@click.option("--dry-run", is_flag=True, help="Say how many files and bytes that would be, and write nothing.")
@click.option("--workers", type=click.IntRange(1), help="Worker processes [default: all cores].")
@options.from_classes
@options.target
@options.quiet
@click.option("--json", "as_json", is_flag=True, help="Print what was done as JSON.")
@options.workspace
def lists(
    size: int,
    output: Path,
    format_: str | None,
    as_: str,
    start: int,
    limit: int | None,
    row_group_size: int,
    partial: bool,
    overwrite: bool,
    dry_run: bool,
    workers: int | None,
    from_classes: bool,
    target: int | None,
    quiet: bool,
    as_json: bool,
    workspace: Path,
) -> None:
    """Write the lists of a size as Parquet, NumPy, CSV or JSON lines.

    Stopped at any moment it goes on where it was when it is run again; what is there already is left alone. Parquet
    needs the extra setset[export].

    \b
    Examples:
      setset export lists --size 7 -o seven --format parquet
      setset export lists --size 7 -o some.csv --start 1000000 --limit 1000 --as names
      setset export lists --size 9 -o /mnt/nas/nine --format npy --dry-run
      setset export lists --size 5 -o - --format csv | head
      setset export lists --size 20 -o twenty.csv --from-classes
    """
    import setset
    from setset.show.formatting import print_json
    from setset.show.progress import show_progress
    from setset.show.tables import print_exported

    if as_json and str(output) == "-":
        raise click.UsageError("--json cannot be combined with -o -")
    if str(output) == "-":
        options.refuse_given("cannot be combined with -o -", "overwrite", "dry_run")
    if "parquet" not in (format_, output.suffix[1:].lower()):
        options.refuse_given("is for --format parquet only", "row_group_size")
    if from_classes:
        options.refuse_given("cannot be combined with --from-classes", "target", "workspace", "workers", "partial")
    with (
        nullcontext() if from_classes else setset.open(workspace) as opened,
        show_progress(quiet or as_json) as progress,
        setset.StopRequest().handling_signals() as stop,
    ):
        found = setset.lists(size) if opened is None else opened.exploration(target)[size]
        result = found.export(
            _place(output),
            format=format_,
            as_=as_,
            start=start,
            limit=limit,
            row_group_size=row_group_size,
            partial=partial,
            overwrite=overwrite,
            dry_run=dry_run,
            workers=workers,
            progress=progress,
            stop=stop,
        )
    if as_json:
        print_json(dataclasses.asdict(result))
    elif str(output) != "-":
        print_exported(result, size, str(output), dry_run)
    if result.missing:
        raise SystemExit(setset.NoSpace.exit_code)


@command.command()
@click.option("--size", type=int, help="Only this size, 0 to 20.")
@table
def classes(output: Path, **given: Any) -> None:
    """Write the classes of lists: canonical form, lists, stabilizer, extensions.

    Taken from the workspace's database; what is not there comes with the package.

    \b
    Examples:
      setset export classes -o classes.csv
      setset export classes --size 12 -o twelve.g
    """
    import setset

    _export_table(setset.export_classes, "class", "classes", output, **given)


@command.command()
@click.option("--size", type=int, help="Only links to classes of this size, 1 to 20.")
@table
def links(output: Path, **given: Any) -> None:
    """Write which class one more card leads to from which, and by how many cards.

    \b
    Example:
      setset export links -o links.parquet
    """
    import setset

    _export_table(setset.export_links, "link", "links", output, **given)


@command.command()
@options.size()
@table
def counts(output: Path, **given: Any) -> None:
    """Write how many lists there are of each size, as `setset count` prints it.

    \b
    Example:
      setset export counts -o counts.json
    """
    import setset

    _export_table(setset.export_counts, "count", "counts", output, **given)


@command.command()
@click.argument("name", required=False)
@click.option("-o", "--output", type=click.Path(path_type=Path), help="The file to write [default: standard output].")
@overwrite
def bfile(name: str | None, output: Path | None, overwrite: bool) -> None:
    """Write an integer sequence in the format of the OEIS: a line "n a(n)" per term. Without NAME list all sequences.

    \b
    Examples:
      setset export bfile
      setset export bfile caps
      setset export bfile hands-3 -o hands-3.txt
    """
    import setset
    from setset.show.formatting import print_table

    if name is None:
        rows = [[each.name, each.title] for each in setset.sequences().values()]
        print_table("", ["name", "sequence"], rows, left=2)
        return
    text = setset.find_sequence(name).bfile()
    if output is None:
        click.echo(text, nl=False)
        return
    from setset.show.files import write_file

    if output.exists() and not overwrite:
        raise setset.BadInput(f"{output} is there already: give --overwrite to replace it")
    write_file(output, text.encode())


def _export_table(
    export: Callable[..., int], one: str, many: str, output: Path, format_: str | None, **given: Any
) -> None:
    from setset.show.formatting import print_line

    rows = export(_place(output), format=format_, **given)
    if str(output) != "-":
        print_line(f"{rows:,} {one if rows == 1 else many} in {output}")


def _place(output: Path) -> Path | BinaryIO:
    return sys.stdout.buffer if str(output) == "-" else output
