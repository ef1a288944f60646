"""Classes, links and counts as tables for other programs."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from setset.cards import LARGEST, check_size
from setset.export.tables import COLUMNS, Output, Row, write_table
from setset.workspace.stored_classes import load_catalogue

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
    """Writes the classes of all lists to a file, with their invariants (docs/export.md describes the columns).

    Args:
        output: Name of the file, or an open binary file.
        workspace: Folder of a workspace with a catalogue; sizes missing there come from the package.
        size: Only this size.
        format: csv, json, parquet or gap; the suffix of the name decides if None.
        overwrite: Replace an existing file.

    Returns:
        Number of classes.

    Example:
        >>> setset.export_classes(example.parent / "classes.csv", size=5)
        3
    """
    rows = (row for level in _levels(workspace, size) for row in _class_rows(level))
    return write_table("classes", rows, output, format, overwrite)


def export_links(
    output: Output,
    workspace: str | Path | None = None,
    *,
    size: int | None = None,
    format: str | None = None,  # noqa: A002
    overwrite: bool = False,
) -> int:
    """Writes the links between classes to a file. A link joins two classes whose lists differ by one card.

    The row of a link has the size of the larger class, the numbers of both classes, the number of cards whose addition
    leads to the larger class, and the number of cards whose removal leads to the smaller class. Takes the arguments of
    `export_classes`. Returns the number of links.

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
    """Writes `Workspace.counts` to a file. Other arguments as in `export_classes`. Returns the number of counts.

    Example:
        >>> setset.export_counts(example.parent / "counts.csv", example)
        2
    """
    from setset.workspace.workspace import open  # noqa: A004 (as `tarfile.open`)

    def rows() -> Iterator[Row]:
        with open(workspace) as opened:
            for count in opened.counts(size):
                yield {column: getattr(count, column) for column in COLUMNS["counts"]}

    return write_table("counts", rows(), output, format, overwrite)


def _class_rows(level: Level) -> Iterator[Row]:
    from setset.symmetry.catalogue import catalogue_in_memory
    from setset.symmetry.description import write_exclusions, write_hyperplanes
    from setset.symmetry.geometry import form_dimension

    catalogue = catalogue_in_memory()
    forms = catalogue.forms(level.size)
    for list_class, cuts, excluded in zip(
        level.classes, write_hyperplanes(forms), write_exclusions(forms), strict=True
    ):
        yield {
            **{column: getattr(list_class, column) for column in COLUMNS["classes"][:7]},
            **catalogue.traits(list_class)._asdict(),
            "dimension": form_dimension(list_class.cards),
            "hyperplanes": cuts,
            "exclusions": excluded,
            "game_classes": catalogue.game_classes(list_class),
        }


CLASS_PROPERTIES: Final = "class_properties"
"""Name of a temporary table with all classes. It is made from the package when a query names it, and never stored."""
PROPERTIES: Final = COLUMNS["classes"]


@cache
def class_properties() -> tuple[tuple[str, ...], list[list[Any]]]:
    """Columns and rows of the table `class_properties`: the classes as `export_classes` writes them."""
    rows = (row for level in _levels(None, None) for row in _class_rows(level))
    return PROPERTIES, [
        [" ".join(map(str, row[name])) if name == "cards" else row[name] for name in PROPERTIES] for row in rows
    ]


def _levels(workspace: str | Path | None, size: int | None) -> Iterator[Level]:
    from setset.symmetry import catalogue_in_memory

    for number in range(LARGEST + 1) if size is None else [check_size(size)]:
        catalogue = catalogue_in_memory() if workspace is None else load_catalogue(workspace, number)
        yield catalogue.level(number)
