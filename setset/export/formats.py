"""File formats of an export, the ways to represent a card, and the description of a file's content."""

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
    """An array of lists, one list of cards per row."""


class Format(enum.StrEnum):
    """File format for exported lists."""

    PARQUET = "parquet"
    NPY = "npy"
    CSV = "csv"
    JSONL = "jsonl"


class Values(enum.StrEnum):
    """The way in which exported files represent a card."""

    CARDS = "cards"
    """Number of the card, 0 to 80."""
    VECTORS = "vectors"
    """Colour, count, shading and shape, each 0 to 2: a point of AG(4,3)."""
    NAMES = "names"
    """Name of the card, such as red one solid diamond."""


ROW_GROUP_SIZE = 1 << 20
"""Number of rows per row group of a Parquet file. Readers load one row group at a time."""


@dataclass(frozen=True)
class Content:
    """Description of an exported file: format, representation of cards, size of the lists, and metadata."""

    format: Format
    values: Values
    size: int
    row_group_size: int = ROW_GROUP_SIZE
    metadata: Mapping[str, str] = field(default_factory=dict)
    """Metadata of the file, in a Parquet file itself, otherwise in the manifest of the folder."""

    def with_metadata(self, **metadata: object) -> Content:
        """Returns a copy with the given metadata added. A given value replaces an old value of the same key."""
        return replace(self, metadata={**self.metadata, **{name: str(value) for name, value in metadata.items()}})

    @property
    def columns(self) -> list[str]:
        """Names of the columns, for formats with columns."""
        cards = [f"c{number}" for number in range(1, self.size + 1)]
        if self.values is Values.VECTORS:
            return [f"{card}_{feature}" for card in cards for feature in FEATURES]
        return cards


def choose_content(size: int, format: str, values: str, row_group_size: int) -> Content:  # noqa: A002
    """Makes the description of a file from command-line options. Raises BadInput if options contradict each other."""
    if values not in set(Values):
        raise BadInput(f"--as {values}: expected one of {', '.join(Values)}")
    if format == Format.NPY and values == Values.NAMES:
        raise BadInput("--as names needs --format parquet, csv or jsonl: npy holds only numbers")
    require_between("--row-group-size", row_group_size, 1)
    return Content(Format(format), Values(values), size, row_group_size)


def choose_format(name: str, option: str | None, suffixes: Mapping[str, str]) -> str:
    """Chooses the format of a file by the option --format or by the suffix of the file's name. Raises BadInput if both
    are missing or contradict each other."""
    formats = list(dict.fromkeys(suffixes.values()))
    suffix_format = suffixes.get(PurePath(name).suffix.lower())
    if option is not None and option not in formats:
        raise BadInput(f"--format {option}: expected one of {', '.join(formats)}")
    if option is None and suffix_format is None:
        raise BadInput(f"no format: give --format {'|'.join(formats)}, or -o NAME{', NAME'.join(suffixes)}")
    if option is not None and suffix_format not in (None, option):
        raise BadInput(f"--format {option} contradicts the suffix of {name}: leave --format out, or give another name")
    return str(option or suffix_format)


def exactly(lists: int, blocks: Iterable[Lists], error: SetsetError) -> Iterator[Lists]:
    """Yields the blocks of lists. At the end raises `error` unless the blocks had `lists` lists in total."""
    count = 0
    for block in blocks:
        count += len(block)
        yield block
    if count != lists:
        raise error


def refuse_existing(path: Path, overwrite: bool) -> None:
    """Raises BadInput if the file exists, unless `overwrite` is set."""
    if path.exists() and not overwrite:
        raise BadInput(f"{path} exists already: add --force to replace it")


SUFFIXES = {f".{member}": str(member) for member in Format}
"""Format of a file of lists, by the suffix of its name."""
