"""Classes, links and counts as tables for other programs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from setset.cards import LARGEST, check_size
from setset.export.tables import COLUMNS, Output, Row, write_table
from setset.workspace.catalogue import load_catalogue

if TYPE_CHECKING:
    from setset.symmetry import Level, ListClass


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
    rows = (_class_row(one) for level in _levels(workspace, size) for one in level.classes)
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


def _class_row(one: ListClass) -> Row:
    from setset.symmetry.catalogue import catalogue_in_memory
    from setset.symmetry.description import count_exclusions, count_hyperplanes, find_directions
    from setset.symmetry.geometry import form_dimension

    known = catalogue_in_memory()
    cuts = count_hyperplanes(find_directions(one)).items()
    return {
        **{column: getattr(one, column) for column in COLUMNS["classes"][:7]},
        **known.traits(one)._asdict(),
        "dimension": form_dimension(one.cards),
        "hyperplanes": " ".join(f"{'+'.join(map(str, cards))}:{times}" for cards, times in cuts),
        "exclusions": " ".join(f"{pairs}:{cards}" for pairs, cards in count_exclusions(one).items()),
        "game_classes": known.game_classes(one),
    }


def _row(table: str, record: object) -> Row:
    return {column: getattr(record, column) for column in COLUMNS[table]}


def _levels(workspace: str | Path | None, size: int | None) -> Iterator[Level]:
    from setset.symmetry import catalogue_in_memory

    for each in range(LARGEST + 1) if size is None else [check_size(size)]:
        catalogue = catalogue_in_memory() if workspace is None else load_catalogue(workspace, each)
        yield catalogue.level(each)
