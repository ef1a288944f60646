"""Classes, links and counts as tables for other programs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from setset.cards import LARGEST, check_size
from setset.export.tables import COLUMNS, Output, Row, write_table
from setset.workspace.catalogue import load_catalogue

if TYPE_CHECKING:
    from setset.symmetry import Level


def export_classes(
    output: Output,
    workspace: str | Path | None = None,
    *,
    size: int | None = None,
    format: str | None = None,  # noqa: A002 (the word of the command line)
    overwrite: bool = False,
) -> int:
    """Writes the classes of all lists to a file: size, number, canonical form, lists, stabilizer, extensions, complete.

    Args:
        output: Name of the file, or an open binary file.
        workspace: Folder of a workspace with a catalogue; sizes that it lacks come with the package.
        size: Only this size.
        format: csv, json, parquet or gap; the suffix of the name decides if None.
        overwrite: Replace an existing file.

    Returns:
        Number of classes.

    Example:
        >>> setset.export_classes(example.parent / "classes.csv", size=5)
        3
    """
    rows = (_row("classes", one) for level in _levels(workspace, size) for one in level.classes)
    return write_table("classes", rows, output, format, overwrite)


def export_links(
    output: Output,
    workspace: str | Path | None = None,
    *,
    size: int | None = None,
    format: str | None = None,  # noqa: A002
    overwrite: bool = False,
) -> int:
    """Writes the links of classes by one more card to a file: size of the larger class, numbers of both classes, and
    how many cards lead there and back. Arguments and result as for `export_classes`.

    Example:
        >>> setset.export_links(example.parent / "links.json", size=5)
        4
    """
    levels = _levels(workspace, size)
    rows = ({"size": level.size, **link._asdict()} for level in levels for link in level.links)
    return write_table("links", rows, output, format, overwrite)


def export_counts(
    output: Output,
    workspace: str | Path,
    *,
    size: int | None = None,
    format: str | None = None,  # noqa: A002
    overwrite: bool = False,
) -> int:
    """Writes `Workspace.counts` to a file. Arguments and result as for `export_classes`.

    Example:
        >>> setset.export_counts(example.parent / "counts.csv", example)
        2
    """
    from setset.workspace.workspace import open  # noqa: A004 (as `tarfile.open`)

    def rows() -> Iterator[Row]:
        with open(workspace) as opened:
            yield from (_row("counts", count) for count in opened.counts(size))

    return write_table("counts", rows(), output, format, overwrite)


def _row(table: str, record: object) -> Row:
    return {column: getattr(record, column) for column in COLUMNS[table]}


def _levels(workspace: str | Path | None, size: int | None) -> Iterator[Level]:
    from setset.symmetry import catalogue_in_memory

    for each in range(LARGEST + 1) if size is None else [check_size(size)]:
        catalogue = catalogue_in_memory() if workspace is None else load_catalogue(workspace, each)
        yield catalogue.level(each)
