"""Classes, links and counts as tables for other programs."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from setset import durable
from setset.cards import LARGEST, check_size
from setset.export.formats import choose_format, refuse_existing
from setset.export.parquet import require_arrow
from setset.export.tables import SUFFIXES, Kind, encode_table
from setset.workspace.catalogue import load_catalogue

if TYPE_CHECKING:
    from setset.symmetry import Level

Output = str | Path | BinaryIO
"""The name of a file, or one that is open."""
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
    output: Output,
    workspace: str | Path | None = None,
    *,
    size: int | None = None,
    format: str | None = None,  # noqa: A002 (the word of the command line)
    overwrite: bool = False,
) -> int:
    """Writes the classes of all lists to a file: size, number, canonical form, lists, stabilizer, extensions, complete.

    Args:
        output: Its name, or an open binary file.
        workspace: The folder of a workspace whose catalogue to use; what it does not have comes with the package.
        size: Only this size.
        format: csv, json, parquet or gap; what the name ends with if None.
        overwrite: Replace a file that is there.

    Returns:
        How many classes there are.

    Example:
        >>> setset.export_classes(example.parent / "classes.csv", size=5)
        3
    """
    chosen = _choose(output, format, overwrite)
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
    _save(output, encode_table(chosen, "classes", CLASSES, rows))
    return len(rows)


def export_links(
    output: Output,
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
        4
    """
    chosen = _choose(output, format, overwrite)
    rows = [
        {"size": level.size, **link._asdict()} for level in _levels(workspace, size) for link in level.links
    ]
    _save(output, encode_table(chosen, "links", LINKS, rows))
    return len(rows)


def export_counts(
    output: Output,
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

    chosen = _choose(output, format, overwrite)
    with open(workspace) as opened:
        rows = [
            {**dataclasses.asdict(count), "verdict": count.verdict.value} for count in opened.counts(size)
        ]
    _save(output, encode_table(chosen, "counts", COUNTS, rows))
    return len(rows)


def _levels(workspace: str | Path | None, size: int | None) -> Iterator[Level]:
    from setset.symmetry import catalogue_in_memory

    for each in range(LARGEST + 1) if size is None else [check_size(size)]:
        catalogue = catalogue_in_memory() if workspace is None else load_catalogue(workspace, each)
        yield catalogue.level(each)


def _choose(output: Output, format: str | None, overwrite: bool) -> str:  # noqa: A002
    """The format of a file that may be written, before anything is computed for it."""
    if not isinstance(output, str | Path):
        return choose_format("-", format, SUFFIXES)
    chosen = choose_format(Path(output).name, format, SUFFIXES)
    refuse_existing(Path(output), overwrite)
    if chosen == "parquet":
        require_arrow()
    return chosen


def _save(output: Output, data: bytes) -> None:
    if isinstance(output, str | Path):
        durable.save(Path(output), data)
    else:
        output.write(data)
