"""The catalogue of all classes: finds a class by its name, its canonical form or a rank, and its neighbours."""

from bisect import bisect_right
from collections.abc import Iterable
from functools import cache
from itertools import accumulate
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from setset.cards import LARGEST, Cards, check_size
from setset.errors import BadInput, require_whole
from setset.symmetry.classes import Level, Links, ListClass, Neighbour, Traits
from setset.symmetry.geometry import CardArray

STORED: Final = Path(__file__).with_name("classes.npz")
"""File with the classes of all sizes and the links between them. `tools/classes.py` makes it."""


class Catalogue:
    """The classes of all sizes. A level has the classes of one size.

    Args:
        levels: levels of some sizes, not checked; the other levels come from the package.

    >>> catalogue = Catalogue()
    >>> list_class = catalogue.get(4, 1)
    >>> list_class.cards, list_class.lists
    ((0, 1, 3, 9), 1516320)
    >>> [(str(larger), cards) for larger, cards in catalogue.larger(list_class)]
    [('5/0', 12), ('5/1', 5), ('5/2', 54)]
    """

    def __init__(self, levels: Iterable[Level] = ()) -> None:
        self._levels = {level.size: level for level in levels}
        self._by_form: dict[int, dict[Cards, ListClass]] = {}
        self._prints: dict[int, npt.NDArray[np.uint64]] = {}
        self._starts: dict[int, list[int]] = {}

    def level(self, size: int) -> Level:
        """All classes of a size, and their links to the classes with one card less.

        Raises:
            BadInput: there are no lists of this size.
        """
        check_size(size)
        return self._levels[size] if size in self._levels else _stored_level(size)

    def classes(self, size: int) -> tuple[ListClass, ...]:
        """All classes of a size, in order.

        Raises:
            BadInput: there are no lists of this size.
        """
        return self._classes(check_size(size))

    def _classes(self, size: int) -> tuple[ListClass, ...]:
        return self._levels[size].classes if size in self._levels else _stored_classes(size)

    def game_classes(self, list_class: ListClass) -> int:
        """Number of smaller classes into which a class falls if only renaming features and values counts as a
        symmetry."""
        return int(_stored(list_class.size, "game_classes")[0][list_class.number])

    def traits(self, list_class: ListClass) -> Traits:
        """The structure of the stabilizer of a class and the sizes of its orbits."""
        columns = _stored(list_class.size, "structures", "orbits", "extension_orbits")
        return Traits(*(column[list_class.number].decode() for column in columns))

    def lists(self, size: int) -> int:
        """Number of lists of a size."""
        return self.starts(size)[-1]

    def starts(self, size: int) -> list[int]:
        """Ranks of the first lists of all classes of a size, in order, among all lists of the size. The last entry is
        the number of lists of the size."""
        if size not in self._starts:
            self._starts[size] = list(accumulate((list_class.lists for list_class in self.classes(size)), initial=0))
        return self._starts[size]

    def class_at(self, size: int, rank: int) -> tuple[ListClass, int]:
        """Finds the list with a rank among all lists of a size. Returns its class, and its rank within the class.

        Raises:
            BadInput: there is no list of this size, or of this rank.
        """
        starts = self.starts(size)
        require_whole("rank", rank)
        if not 0 <= rank < starts[-1]:
            raise BadInput(f"no list of rank {rank}: the ranks in size {size} are 0 to {starts[-1] - 1}")
        number = bisect_right(starts, rank) - 1
        return self.get(size, number), rank - starts[number]

    def get(self, size: int, number: int) -> ListClass:
        """Returns the class with this size and number.

        Raises:
            BadInput: there is no such class.
        """
        classes = self.classes(size)
        if not 0 <= number < len(classes):
            raise BadInput(f"no class {size}/{number}: the classes of size {size} are 0 to {len(classes) - 1}")
        return classes[number]

    def named(self, list_class: ListClass | str) -> ListClass:
        """The class that a text such as "12/786" names; a class is returned as it is.

        Raises:
            BadInput: there is no such class.

        >>> catalogue_in_memory().named("5/2").cards
        (0, 1, 3, 9, 27)
        """
        if isinstance(list_class, ListClass):
            return list_class
        try:
            size, number = map(int, list_class.replace(",", "").split("/"))
        except (AttributeError, ValueError):
            raise BadInput(f"not a class: {list_class!r} (give its size and number, such as 12/700)") from None
        return self.get(size, number)

    def of_form(self, cards: Cards) -> ListClass:
        """Returns the class with this canonical form.

        Raises:
            BadInput: these cards are not a canonical form.
        """
        size = len(cards)
        if size not in self._by_form:
            self._by_form[size] = {list_class.cards: list_class for list_class in self._classes(size)}
        list_class = self._by_form[size].get(cards)
        if list_class is None:
            raise BadInput(f"not a canonical form: {' '.join(map(str, cards))}")
        return list_class

    def numbers_of(self, lists: CardArray) -> npt.NDArray[np.int64]:
        """Finds the number of the class of each list. `lists` has one list per row, all of one size.

        If only one class has the fingerprint (see `fingerprints.py`) of a list, the list is in this class. Otherwise
        its canonical form decides.

        Raises:
            BadInput: a list has no class in this catalogue.
        """
        from setset.symmetry.fingerprints import find_indices, fingerprint_rows  # which load the compiler
        from setset.symmetry.least import canonicalize_rows

        size = lists.shape[1]
        if size not in self._prints:
            self._prints[size] = fingerprint_rows(self.forms(size))
        numbers, shared = find_indices(self._prints[size], fingerprint_rows(lists))
        ambiguous = np.flatnonzero(shared != 1)
        forms = map(tuple, canonicalize_rows(lists[ambiguous])[0].tolist())
        numbers[ambiguous] = [self.of_form(form).number for form in forms]
        return numbers

    def forms(self, size: int) -> CardArray:
        """The canonical forms of all classes of a size, a form per row."""
        classes = self.classes(size)
        return np.array([list_class.cards for list_class in classes], np.uint8).reshape(len(classes), size)

    def larger(self, list_class: ListClass) -> tuple[Neighbour, ...]:
        """Classes that one more card leads to from a list of a class, each with the number of cards that lead there."""
        if list_class.size == LARGEST:
            return ()
        classes, rows = self.classes(list_class.size + 1), self.level(list_class.size + 1).links.rows
        links = rows[rows[:, 0] == list_class.number].tolist()
        return tuple(Neighbour(classes[larger], cards) for _, larger, cards, _ in links)

    def smaller(self, list_class: ListClass) -> tuple[Neighbour, ...]:
        """Classes that one card less leads to from a list of a class, each with the number of cards whose removal leads
        there."""
        if list_class.size == 0:
            return ()
        classes, rows = self.classes(list_class.size - 1), self.level(list_class.size).links.rows
        links = rows[rows[:, 1] == list_class.number].tolist()
        return tuple(Neighbour(classes[smaller], cards) for smaller, _, _, cards in links)


def make_classes(forms: CardArray, *columns: npt.NDArray[Any]) -> tuple[ListClass, ...]:
    """Makes classes from their canonical forms (one per row, in order) and two columns: the order of the stabilizer,
    and the number of cards that can be added."""
    rows = zip(forms.tolist(), *(column.tolist() for column in columns), strict=True)
    return tuple(
        ListClass(forms.shape[1], number, tuple(cards), stabilizer, extensions)
        for number, (cards, stabilizer, extensions) in enumerate(rows)
    )


@cache
def _stored(size: int, *names: str) -> list[npt.NDArray[Any]]:
    """Loads the named arrays of one size from the file `STORED`, which comes with the package."""
    with np.load(STORED, allow_pickle=False) as stored:
        return [stored[f"{name}_{size}"].T for name in names]


@cache
def _stored_classes(size: int) -> tuple[ListClass, ...]:
    return make_classes(*_stored(size, "forms", "stabilizers", "extensions"))


@cache
def _stored_level(size: int) -> Level:
    """Reads a level from the file `STORED`, which comes with the package.

    For links, the file has the differences between successive class numbers. It lacks the field `deletions` of a link,
    which follows from the field `extensions` and the stabilizers.
    """
    classes = _stored_classes(size)
    if size == 0:
        return Level(0, classes, Links())
    smaller_steps, larger_steps, extensions = _stored(size, "smaller", "larger", "link_extensions")
    smaller, larger = np.cumsum(smaller_steps, dtype=np.int64), np.cumsum(larger_steps, dtype=np.int64)
    (smaller_stabilizers,), (larger_stabilizers,) = _stored(size - 1, "stabilizers"), _stored(size, "stabilizers")
    deletions = extensions * larger_stabilizers[larger] // smaller_stabilizers[smaller]
    return Level(size, classes, Links(np.column_stack([smaller, larger, extensions, deletions])))


@cache
def catalogue_in_memory() -> Catalogue:
    """The catalogue that all parts of a process share.

    Returns:
        Always the same catalogue, with the classes that come with the package.

    >>> catalogue_in_memory().lists(3)
    84240
    """
    return Catalogue()
