"""`setset export`"""

from __future__ import annotations

import dataclasses
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import click

from setset.cli import options
from setset.cli.groups import SuggestingGroup

if TYPE_CHECKING:
    from collections.abc import Callable

overwrite = click.option("--force", "--overwrite", "overwrite", is_flag=True, help="Replace existing files.")


def output(help: str) -> options.Decorator:  # noqa: A002 (click's word)
    return click.option("-o", "--output", type=click.Path(path_type=Path), required=True, help=help)


def table(function: Callable[..., None]) -> Callable[..., None]:
    """Adds the options that the commands for classes, links and counts share."""
    table_format = click.option(
        "--format",
        "format_",
        type=click.Choice(["csv", "json", "parquet", "gap"]),
        show_default="suffix of the file name, .g for gap",
        help="File format.",
    )
    file = output("File to write; - for standard output.")
    return file(table_format(overwrite(options.workspace(function))))


@click.group(cls=SuggestingGroup)
def command() -> None:
    """Write lists, classes, links between classes, or counts for other programs.

    \b
    Examples:
      setset export lists --size 7 -o seven --format parquet
      setset export classes -o classes.g
    """


@command.command()
@options.size("Size of the lists", required=True)
@output("Folder for a file per batch, single file such as caps.csv, or - for standard output.")
@click.option(
    "--format",
    "format_",
    type=click.Choice(["parquet", "npy", "csv", "jsonl"]),
    show_default="suffix of the file name",
    help="File format.",
)
@click.option(
    "--as",
    "as_",
    type=click.Choice(["cards", "vectors", "names"]),
    default="cards",
    show_default=True,
    help="Form of a card: number 0 to 80, four digits 0 to 2, or name.",
)
@click.option("--start", type=click.IntRange(0), default=0, help="Index of the first list, from 0.")
@click.option("--limit", type=click.IntRange(1), help="Maximum number of lists; writes a single file.")
@click.option(
    "--row-group-size",
    type=click.IntRange(1, 1 << 26),
    default=1 << 20,
    show_default=True,
    help="Number of rows per row group of a Parquet file.",
)
@click.option("--partial", is_flag=True, help="Export an incomplete size up to its first missing batch.")
@overwrite
@click.option("--dry-run", is_flag=True, help="Print the number of files and bytes, and write nothing.")
@options.workers
@options.from_classes
@options.target
@options.quiet
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
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

    If the command is stopped, run it again: it resumes and keeps finished files. Parquet needs the extra
    setset[export].

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
        options.refuse_given("{option} cannot be combined with -o -", "overwrite", "dry_run")
    if "parquet" not in (format_, output.suffix[1:].lower()):
        options.refuse_given("{option} is only for --format parquet", "row_group_size")
    if from_classes:
        refused = ("target", "workspace", "workers", "partial")
        options.refuse_given("{option} cannot be combined with --from-classes", *refused)
    with (
        nullcontext() if from_classes else setset.open(workspace) as opened,
        show_progress(quiet or as_json) as progress,
        setset.StopRequest().handling_signals() as stop,
    ):
        lists = setset.lists(size) if opened is None else opened.exploration(target)[size]
        result = lists.export(
            _destination(output),
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
@click.option("--size", type=int, help="Write only this size, 0 to 20.")
@table
def classes(output: Path, **table_options: Any) -> None:
    """Write the classes: representative, number of lists, of symmetries and of cards that can be added, and more.

    The classes come from the database of the workspace, or else from the package.

    \b
    Examples:
      setset export classes -o classes.csv
      setset export classes --size 12 -o twelve.g
    """
    import setset

    _export_table(setset.export_classes, "class", "classes", output, **table_options)


@command.command()
@click.option("--size", type=int, help="Write only links to classes of this size, 1 to 20.")
@table
def links(output: Path, **table_options: Any) -> None:
    """Write the links between classes: a class, a class that one more card leads to, and the number of such cards.

    \b
    Example:
      setset export links -o links.parquet
    """
    import setset

    _export_table(setset.export_links, "link", "links", output, **table_options)


@command.command()
@options.size("Write only this size")
@table
def counts(output: Path, **table_options: Any) -> None:
    """Write the number of lists of each size, as `setset count` prints it.

    \b
    Example:
      setset export counts -o counts.json
    """
    import setset

    _export_table(setset.export_counts, "count", "counts", output, **table_options)


@command.command()
@click.argument("name", required=False)
@click.option("-o", "--output", type=click.Path(path_type=Path), show_default="standard output", help="File to write.")
@overwrite
def bfile(name: str | None, output: Path | None, overwrite: bool) -> None:
    """Write an integer sequence in the format of the OEIS: a line "n a(n)" per term. Without NAME, lists all sequences.

    \b
    Examples:
      setset export bfile
      setset export bfile caps
      setset export bfile hands-3 -o hands-3.txt
    """
    import setset
    from setset.show.formatting import print_table

    if name is None:
        rows = [[sequence.name, sequence.title] for sequence in setset.sequences().values()]
        print_table("", ["name", "sequence"], rows, left=2)
        return
    text = setset.find_sequence(name).bfile()
    if output is None:
        click.echo(text, nl=False)
        return
    from setset.show.saving import write_file

    write_file(output, text.encode(), force=overwrite)


def _export_table(
    export: Callable[..., int], singular: str, plural: str, output: Path, format_: str | None, **table_options: Any
) -> None:
    from setset.show.formatting import print_line

    rows = export(_destination(output), format=format_, **table_options)
    if str(output) != "-":
        print_line(f"{rows:,} {singular if rows == 1 else plural} in {output}")


def _destination(output: Path) -> Path | BinaryIO:
    return sys.stdout.buffer if str(output) == "-" else output
