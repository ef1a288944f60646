"""Options of an export: file formats, values that represent cards, and the content of a file."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from setset.cards import FEATURES
from setset.errors import BadInput, SetsetError, require_between

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Lists = npt.NDArray[np.uint8]
    """An array with a list of cards in each row."""


class Format(enum.StrEnum):
    """File format of lists."""

    PARQUET = "parquet"
    NPY = "npy"
    CSV = "csv"
    JSONL = "jsonl"


class Values(enum.StrEnum):
    """Value that represents a card."""

    CARDS = "cards"
    """Number of the card, 0 to 80."""
    VECTORS = "vectors"
    """Colour, count, shading and shape, each 0 to 2: a point of AG(4,3)."""
    NAMES = "names"
    """Name of the card, such as red one solid diamond."""


ROW_GROUP_SIZE = 1 << 20
"""Rows per row group of Parquet. Readers load one row group at a time."""


@dataclass(frozen=True)
class Content:
    """Description of the content of an exported file: all but the lists themselves."""

    format: Format
    values: Values
    size: int
    row_group_size: int = ROW_GROUP_SIZE
    marks: Mapping[str, str] = field(default_factory=dict)
    """Metadata of the file. A Parquet file holds its own marks, and a manifest holds the marks of other files."""

    def marked(self, **marks: object) -> Content:
        """A copy with more marks."""
        return replace(self, marks={**self.marks, **{name: str(value) for name, value in marks.items()}})

    @property
    def columns(self) -> list[str]:
        """Names of the columns, for formats with columns."""
        cards = [f"c{number}" for number in range(1, self.size + 1)]
        if self.values is Values.VECTORS:
            return [f"{card}_{feature}" for card in cards for feature in FEATURES]
        return cards


def choose_content(size: int, format: str, values: str, row_group_size: int) -> Content:  # noqa: A002
    """Content for the options of the command line. Raises BadInput if the format cannot hold the values."""
    if values not in set(Values):
        raise BadInput(f"--as {values}: expected one of {', '.join(Values)}")
    if format == Format.NPY and values == Values.NAMES:
        raise BadInput("--as names needs parquet, csv or jsonl: npy holds numbers")
    require_between("--row-group-size", row_group_size, 1)
    return Content(Format(format), Values(values), size, row_group_size)


def choose_format(name: str, given: str | None, suffixes: Mapping[str, str]) -> str:
    """Format of a file: `given`, or by the suffix of its name. Raises BadInput if they differ, or both are missing."""
    formats = list(dict.fromkeys(suffixes.values()))
    suffix_format = suffixes.get(PurePath(name).suffix.lower())
    if given is not None and given not in formats:
        raise BadInput(f"--format {given}: expected one of {', '.join(formats)}")
    if given is None and suffix_format is None:
        raise BadInput(f"which format? give --format {'|'.join(formats)}, or -o a name that ends with one")
    if given is not None and suffix_format not in (None, given):
        raise BadInput(f"--format {given} does not go with the name {name}: leave one of them out")
    return str(given or suffix_format)


def exactly(lists: int, blocks: Iterable[Lists], error: SetsetError) -> Iterator[Lists]:
    """Yields the blocks, then raises `error` unless they had `lists` lists in total."""
    count = 0
    for block in blocks:
        count += len(block)
        yield block
    if count != lists:
        raise error


def refuse_existing(path: Path, overwrite: bool) -> None:
    """Raises BadInput if the file exists, unless `overwrite`."""
    if path.exists() and not overwrite:
        raise BadInput(f"{path} is there already: add --force to replace it")


SUFFIXES = {f".{member}": str(member) for member in Format}
"""Format of lists by the suffix of their file."""
