"""Formats of an export, the values that stand for cards, and the content of a file."""

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
    """A format for lists."""

    PARQUET = "parquet"
    NPY = "npy"
    CSV = "csv"
    JSONL = "jsonl"


class Values(enum.StrEnum):
    """Value that stands for a card."""

    CARDS = "cards"
    """Its number, 0 to 80."""
    VECTORS = "vectors"
    """Its colour, count, shading and shape, each 0 to 2: a point of AG(4,3)."""
    NAMES = "names"
    """Its name: red one solid diamond."""


ROW_GROUP_SIZE = 1 << 20
"""Rows of a row group of Parquet, which readers take at a time."""


@dataclass(frozen=True)
class Content:
    """Content of a file of an export, apart from the lists themselves."""

    format: Format
    values: Values
    size: int
    row_group_size: int = ROW_GROUP_SIZE
    marks: Mapping[str, str] = field(default_factory=dict)
    """Metadata of the file, in a Parquet file itself or in the manifest beside other files."""

    def marked(self, **marks: object) -> Content:
        """A copy with more marks."""
        return replace(self, marks={**self.marks, **{name: str(value) for name, value in marks.items()}})

    @property
    def columns(self) -> list[str]:
        """Names of the columns, for formats with columns."""
        cards = [f"c{place}" for place in range(1, self.size + 1)]
        if self.values is Values.VECTORS:
            return [f"{card}_{feature}" for card in cards for feature in FEATURES]
        return cards


def choose_content(size: int, format: str, values: str, row_group_size: int) -> Content:  # noqa: A002
    """Content for the words of the command line; BadInput if the combination does not exist."""
    if values not in set(Values):
        raise BadInput(f"--as {values}: expected one of {', '.join(Values)}")
    if format == Format.NPY and values == Values.NAMES:
        raise BadInput("--as names needs parquet, csv or jsonl: npy holds numbers")
    require_between("--row-group-size", row_group_size, 1)
    return Content(Format(format), Values(values), size, row_group_size)


def choose_format(name: str, given: str | None, suffixes: Mapping[str, str]) -> str:
    """Format of a file: `given`, or the format of its suffix; BadInput if both exist and differ."""
    known = list(dict.fromkeys(suffixes.values()))
    found = suffixes.get(PurePath(name).suffix.lower())
    if given is not None and given not in known:
        raise BadInput(f"--format {given}: expected one of {', '.join(known)}")
    if given is None and found is None:
        raise BadInput(f"which format? give --format {'|'.join(known)}, or -o a name that ends with one")
    if given is not None and found not in (None, given):
        raise BadInput(f"--format {given} does not go with the name {name}: leave one of them out")
    return str(given or found)


def exactly(lists: int, blocks: Iterable[Lists], error: SetsetError) -> Iterator[Lists]:
    """The blocks. Raises the error at their end if they hold another number of lists."""
    found = 0
    for block in blocks:
        found += len(block)
        yield block
    if found != lists:
        raise error


def refuse_existing(path: Path, overwrite: bool) -> None:
    """Refuses to replace a file without `overwrite`."""
    if path.exists() and not overwrite:
        raise BadInput(f"{path} is there already: add --force to replace it")


SUFFIXES = {f".{each}": str(each) for each in Format}
"""Format of lists by the suffix of their file."""
