"""Classes, links and counts as tables for other programs."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from setset import durable
from setset.cards import LARGEST, check_size
from setset.errors import BadInput
from setset.export.formats import choose_format
from setset.export.tables import SUFFIXES, Kind, Row, encode_table
from setset.workspace.catalogue import load_catalogue

if TYPE_CHECKING:
    from setset.symmetry import Level

CLASSES = {
    "size": Kind.NUMBER,
    "number": Kind.NUMBER,
    "cards": Kind.CARDS,
    "lists": Kind.NUMBER,
    "stabilizer": Kind.NUMBER,
    "extensions": Kind.NUMBER,
    "complete": Kind.FLAG,
}
LINKS = dict.fromkeys(("size", "smaller", "larger", "extensions", "deletions"), Kind.NUMBER)
COUNTS = {
    "target": Kind.NUMBER,
    "size": Kind.NUMBER,
    "lists": Kind.NUMBER,
    "complete": Kind.FLAG,
    "origin": Kind.TEXT,
    "reference": Kind.NUMBER,
    "class_sum": Kind.NUMBER,
    "counts": Kind.TEXT,
    "agree": Kind.FLAG,
    "verdict": Kind.TEXT,
}


def export_classes(
    output: str | Path | BinaryIO,
    workspace: str | Path | None = None,
    *,
    size: int | None = None,
    format: str | None = None,  # noqa: A002 (the word of the command line)
    overwrite: bool = False,
) -> int:
    """Writes the classes of all lists to a file: size, number, canonical form, lists, stabilizer, extensions, complete.

    Args:
        output: Its name, or an open binary file.
        workspace: The folder of a workspace whose catalogue to use; what it does not have is computed.
        size: Only this size.
        format: csv, json, parquet or gap; what the name ends with if None.
        overwrite: Replace a file that is there.

    Returns:
        How many classes there are.

    Example:
        >>> setset.export_classes(example.parent / "classes.csv", size=5)
        3
    """
    rows = [
        {
            "size": one.size,
            "number": one.number,
            "cards": one.cards,
            "lists": one.lists,
            "stabilizer": one.stabilizer,
            "extensions": one.extensions,
            "complete": one.complete,
        }
        for level in _levels(workspace, size)
        for one in level.classes
    ]
    return _save(output, "classes", CLASSES, rows, format, overwrite)


def export_links(
    output: str | Path | BinaryIO,
    workspace: str | Path | None = None,
    *,
    size: int | None = None,
    format: str | None = None,  # noqa: A002
    overwrite: bool = False,
) -> int:
    """Writes to a file which classes one more card leads to: the size of the larger class, the numbers of the smaller
    and the larger, and how many cards lead there and back.

    Args and result are those of `export_classes`.

    Example:
        >>> setset.export_links(example.parent / "links.json", size=5)
        5
    """
    rows = [
        {"size": level.size, **link._asdict()} for level in _levels(workspace, size) for link in level.links
    ]
    return _save(output, "links", LINKS, rows, format, overwrite)


def export_counts(
    output: str | Path | BinaryIO,
    workspace: str | Path,
    *,
    size: int | None = None,
    format: str | None = None,  # noqa: A002
    overwrite: bool = False,
) -> int:
    """Writes the counts of a workspace, as `Workspace.counts` gives them, to a file.

    Args and result are those of `export_classes`.

    Example:
        >>> setset.export_counts(example.parent / "counts.csv", example)
        2
    """
    from setset.workspace.workspace import open  # noqa: A004 (as `tarfile.open`)

    with open(workspace) as opened:
        rows = [
            {**dataclasses.asdict(count), "verdict": count.verdict.value} for count in opened.counts(size)
        ]
    return _save(output, "counts", COUNTS, rows, format, overwrite)


def _levels(workspace: str | Path | None, size: int | None) -> Iterator[Level]:
    from setset.symmetry import catalogue_in_memory

    for each in range(LARGEST + 1) if size is None else [check_size(size)]:
        catalogue = catalogue_in_memory() if workspace is None else load_catalogue(workspace, each)
        yield catalogue.level(each)


def _save(
    output: str | Path | BinaryIO,
    name: str,
    columns: dict[str, Kind],
    rows: Sequence[Row],
    format: str | None,  # noqa: A002
    overwrite: bool,
) -> int:
    if isinstance(output, str | Path):
        path = Path(output)
        chosen = choose_format(path.name, format, SUFFIXES)
        if path.exists() and not overwrite:
            raise BadInput(f"{path} is there already: give --overwrite to replace it")
        durable.save(path, encode_table(chosen, name, columns, rows))
    else:
        output.write(encode_table(choose_format("-", format, SUFFIXES), name, columns, rows))
    return len(rows)
