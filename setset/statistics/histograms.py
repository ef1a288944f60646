"""Histograms of lists: `Statistics`, the result for callers, and `Tally`, the partial sums that workers return."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from setset.cards import CARDS, LARGEST, VALUES
from setset.errors import BadInput

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


class By(enum.StrEnum):
    """Property of lists for a histogram."""

    REMAINING = "remaining"
    """Number of cards that can be added and are higher than all cards of the list."""
    LOWEST = "lowest"
    """Lowest card of the list."""
    HIGHEST = "highest"
    """Highest card of the list."""
    CARD = "card"
    """Each card of the list. A list of 9 cards is counted 9 times, once per card."""
    FEATURE = "feature"
    """Number of cards with a value of a feature. A list is counted 12 times, once per value."""
    CLASS = "class"
    """Class of the list under the affine symmetries. Takes much longer than all other properties."""


USUAL = tuple(by for by in By if by is not By.CLASS)


@dataclass(frozen=True)
class Bin:
    """One bar of a histogram: the number of lists with a value of a property.

    Example:
        >>> statistics = setset.lists(20).statistics(by="feature")
        >>> [bin for bin in statistics.bins if bin.value == "red" and bin.cards == 9]
        [Bin(by=<By.FEATURE: 'feature'>, value='red', cards=9, lists=113724)]
    """

    by: By
    value: int | str
    """Value of the property: a number of cards, a card, a class such as 12/786, or a value of a feature such as red."""
    cards: int | None
    """For the property `feature`, the number of cards with the value in each of these lists; otherwise None."""
    lists: int


@dataclass(frozen=True)
class Statistics:
    """Histograms over all lists of a size. `exploration[9].statistics()` gives them.

    `statistics["remaining"]` is one histogram as a dictionary; `pandas.DataFrame(statistics.bins)` has all histograms.

    Example:
        >>> statistics = setset.open(example).exploration(18)[4].statistics(by=["lowest", "remaining"])
        >>> statistics.lists, statistics["lowest"][0], max(statistics["remaining"])
        (681201, 41565, 72)
    """

    size: int
    lists: int
    counts: str
    """Description of the counted lists, for headings."""
    bins: tuple[Bin, ...]

    def __getitem__(self, by: str) -> dict[int | str | tuple[str, int], int]:
        """One histogram: number of lists by value. For `feature`, a key is a pair of value and number of cards."""
        histogram = {
            bin_.value if bin_.cards is None else (str(bin_.value), bin_.cards): bin_.lists for bin_ in self._of(by)
        }
        if not histogram:
            raise KeyError(by)
        return histogram

    def _of(self, by: str) -> Iterator[Bin]:
        return (bin_ for bin_ in self.bins if bin_.by == by)


def parse_by(by: str | Iterable[str]) -> tuple[By, ...]:
    """Converts names to properties, without repeats and in the order of `By`."""
    names = {by} if isinstance(by, str) else set(by)
    unknown = sorted(names - set(By))
    if unknown or not names:
        raise BadInput(f"by {', '.join(unknown) or 'is empty'}: expected one or more of {', '.join(By)}")
    return tuple(member for member in By if member in names)


class Tally:
    """Partial sums for the histograms over some lists of a size. A worker returns one per piece."""

    def __init__(self, size: int, by: tuple[By, ...]) -> None:
        import numpy as np

        self.size, self.by, self.lists = size, by, 0
        self._positions = np.zeros((size, CARDS), np.int64)
        self._remaining = np.zeros(CARDS + 1, np.int64)
        self._features = np.zeros((3 * len(VALUES), LARGEST + 2), np.int64)
        self._classes = np.zeros(0, np.int64)

    def add_rows(self, rows: npt.NDArray[np.uint8]) -> None:
        """Counts lists, one list per row."""
        import numpy as np

        from setset.statistics import kernel

        self.lists += len(rows)
        if set(self.by) - {By.CLASS}:
            kernel.tally_rows(rows, *kernel.tables(), self._positions, self._remaining, self._features)
        if By.CLASS in self.by:
            from setset.symmetry.catalogue import catalogue_in_memory

            catalogue = catalogue_in_memory()
            numbers = catalogue.numbers_of(rows)
            self._add_classes(np.bincount(numbers, minlength=len(catalogue.classes(self.size))))

    def _add_classes(self, counts: npt.NDArray[np.int64]) -> None:
        if len(counts):
            self._classes = self._classes + counts if len(self._classes) else counts

    def add(self, tally: Tally) -> None:
        """Adds the partial sums of another tally, which has counted other lists."""
        self.lists += tally.lists
        self._positions += tally._positions
        self._remaining += tally._remaining
        self._features += tally._features
        self._add_classes(tally._classes)

    def bins(self) -> Iterator[Bin]:
        """All bins that are not empty, property by property."""
        counted = {
            By.REMAINING: self._remaining,
            By.LOWEST: self._positions[0],
            By.HIGHEST: self._positions[-1],
            By.CARD: self._positions.sum(axis=0),
        }
        for by in self.by:
            if by is By.FEATURE:
                names = [name for names in VALUES for name in names]
                for name, counts in zip(names, self._features.tolist(), strict=True):
                    yield from (Bin(by, name, cards, lists) for cards, lists in enumerate(counts) if lists)
            elif by is By.CLASS:
                numbers = enumerate(self._classes.tolist())
                yield from (Bin(by, f"{self.size}/{number}", None, lists) for number, lists in numbers if lists)
            else:
                yield from (Bin(by, value, None, n) for value, n in enumerate(counted[by].tolist()) if n)
