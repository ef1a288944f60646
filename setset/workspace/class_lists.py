"""All lists of a size without any run, computed from the classes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from setset.cards import LARGEST
from setset.errors import require_between
from setset.symmetry.catalogue import catalogue_in_memory
from setset.symmetry.ranking import member_arrays
from setset.workspace.sequence import CHUNK, ListSequence

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from setset.export.stored import StoredSize
    from setset.statistics.collection import Piece


class ClassLists(ListSequence):
    """All lists of a size, class by class, in the order of `unrank`. `setset.lists(18)` returns one."""

    kind = "known"

    def __init__(self, size: int) -> None:
        require_between("size", size, 0, LARGEST)
        self.size, self.lists = size, catalogue_in_memory().lists(size)

    def __repr__(self) -> str:
        return f"<setset.ClassLists {self.size}: {self.lists:,} lists>"

    def _range(self, start: int, count: int, chunk: int = CHUNK) -> Iterator[npt.NDArray[np.uint8]]:
        catalogue = catalogue_in_memory()
        first, within = catalogue.class_at(self.size, start)
        for list_class in catalogue.classes(self.size)[first.number :]:
            for rows in member_arrays(list_class, within, min(chunk, CHUNK)):
                yield rows[:count]
                count -= len(rows)
                if count <= 0:
                    return
            within = 0

    def _pieces(self) -> Iterator[Piece]:
        from setset.statistics.collection import class_pieces

        for list_class in catalogue_in_memory().classes(self.size):
            yield from class_pieces(self.size, list_class.number, list_class.lists)

    def _stored(self) -> StoredSize:
        from setset.export.stored import StoredSize

        rule = f"all lists of {self.size} cards, class by class"
        return StoredSize(None, self.size, self.lists, rule, "", (), self._range)


def lists(size: int) -> ClassLists:
    """Returns all lists of a size as a sequence, class by class, in the order of `unrank`. Needs no run.

    Args:
        size: 0 to 20.

    Raises:
        BadInput: There is no such size.

    Example:
        >>> import setset
        >>> eighteen = setset.lists(18)
        >>> len(eighteen), eighteen[6_000_000_000] == setset.unrank(18, 6_000_000_000)
        (6482268000, True)
    """
    return ClassLists(size)
