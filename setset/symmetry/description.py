"""Description of a class (neighbours, dimension, cuts by hyperplanes), and search for classes by their properties."""

import enum
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import NamedTuple

import numpy as np

from setset.cards import CARDS, Triple
from setset.errors import BadInput
from setset.symmetry.affine import Row
from setset.symmetry.catalogue import Catalogue, catalogue_in_memory
from setset.symmetry.classes import ListClass, Neighbour, Traits
from setset.symmetry.geometry import DIGITS, CardArray, form_dimension, linear_forms, third_cards


class Direction(NamedTuple):
    """One of the 40 ways to cut the deck into three parallel hyperplanes, and the number of a list's cards in each
    hyperplane."""

    form: Row
    """Factors of colour, count, shading and shape. The sum of a card's digits times these factors, modulo 3, is the
    number of the card's hyperplane."""
    cards: Triple
    """Numbers of cards of the representative in the hyperplanes 0, 1 and 2."""


@dataclass(frozen=True, slots=True)
class ClassDescription:
    """A class with its neighbours, its dimension, its cuts by hyperplanes and its stabilizer.

    >>> description = describe_class(catalogue_in_memory().get(4, 0))
    >>> description.list_class.cards, description.dimension, description.hyperplanes
    ((0, 1, 3, 4), 2, {(4, 0, 0): 4, (2, 2, 0): 18, (2, 1, 1): 18})
    """

    list_class: ListClass
    dimension: int
    """Dimension of the flat (affine subspace) that a list spans: 4 for all of AG(4,3), 0 for a card, -1 for no card at
    all."""
    smaller: tuple[Neighbour, ...]
    """Classes of the lists with one card less."""
    larger: tuple[Neighbour, ...]
    """Classes of the lists with one card more."""
    directions: tuple[Direction, ...]
    """The 40 ways to cut the deck into three parallel hyperplanes, and the number of cards of the canonical form in
    each hyperplane."""
    traits: Traits
    """Structure of the stabilizer, and sizes of its orbits."""
    game_classes: int
    """Number of smaller classes into which the class falls under the game's own symmetries, which rename features and
    values."""

    @property
    def hyperplanes(self) -> dict[Triple, int]:
        """Number of directions for each cut. A direction is one of the 40 ways to cut the deck into three parallel
        hyperplanes. A cut is the number of a list's cards in each hyperplane, such as (6, 6, 0), largest first. All
        lists of the class have the same cuts."""
        return count_hyperplanes(self.directions)

    @property
    def exclusions(self) -> dict[int, int]:
        """For each k that occurs, the number of cards outside a list that complete k pairs of the list to a set. All
        lists of the class have the same numbers."""
        return count_exclusions(self.list_class)


def describe_class(list_class: ListClass | str, catalogue: Catalogue | None = None) -> ClassDescription:
    """Describes a class: its neighbours, dimension, cuts by hyperplanes and stabilizer.

    Args:
        list_class: the class, such as "12/786".
        catalogue: source of its neighbours; by default the catalogue of the package.

    Returns:
        The class with its description.

    >>> description = describe_class(catalogue_in_memory().get(5, 2))
    >>> [(str(larger), cards) for larger, cards in description.larger]
    [('6/3', 30), ('6/4', 25), ('6/5', 10), ('6/6', 1)]
    """
    catalogue = catalogue or catalogue_in_memory()
    list_class = catalogue.named(list_class)
    return ClassDescription(
        list_class,
        form_dimension(list_class.cards),
        catalogue.smaller(list_class),
        catalogue.larger(list_class),
        find_directions(list_class),
        catalogue.traits(list_class),
        catalogue.game_classes(list_class),
    )


def count_hyperplanes(directions: Iterable[Direction]) -> dict[Triple, int]:
    """Number of directions for each cut: the number of a list's cards in each of three parallel hyperplanes, largest
    first."""
    cuts = Counter(tuple(sorted(direction.cards, reverse=True)) for direction in directions)
    return {(a, b, c): times for (a, b, c), times in sorted(cuts.items(), reverse=True)}


def count_exclusions(list_class: ListClass) -> dict[int, int]:
    """For each k that occurs, the number of cards outside a list of the class that complete k pairs of the list to a
    set."""
    thirds = third_cards(np.array([list_class.cards], np.uint8).reshape(1, list_class.size))[0]
    completed = np.delete(np.bincount(thirds, minlength=CARDS), list_class.cards)
    pairs, cards = np.unique(completed, return_counts=True)
    return dict(zip(pairs.tolist(), cards.tolist(), strict=True))


def write_hyperplanes(forms: CardArray) -> list[str]:
    """Formats the result of `count_hyperplanes` for each list (one per row), such as '6+6+0:1 6+5+1:4'."""
    values = DIGITS[forms] @ DIGITS[linear_forms()].T % 3
    counts = np.sort(np.stack([(values == value).sum(axis=1) for value in range(3)], axis=2), axis=2)
    texts = []
    for row in (counts @ np.array([1, 100, 10_000])).tolist():
        cuts = sorted(Counter(row).items(), reverse=True)
        texts.append(" ".join(f"{cut // 10_000}+{cut // 100 % 100}+{cut % 100}:{times}" for cut, times in cuts))
    return texts


def write_exclusions(forms: CardArray) -> list[str]:
    """Formats the result of `count_exclusions` for each list (one per row), such as '0:11 1:40'."""
    pairs = np.zeros((len(forms), CARDS), np.int64)
    np.add.at(pairs, (np.arange(len(forms))[:, None], third_cards(forms)), 1)
    inside = Counter({0: forms.shape[1]})  # to subtract: the cards of the list itself, which complete none of its pairs
    counted = (Counter(row) - inside for row in pairs.tolist())
    return [" ".join(f"{number}:{cards}" for number, cards in sorted(counts.items())) for counts in counted]


def find_directions(list_class: ListClass) -> tuple[Direction, ...]:
    """For each of the 40 directions, counts the cards of the canonical form in each of its three hyperplanes."""
    forms = DIGITS[linear_forms()]
    values = DIGITS[list(list_class.cards)] @ forms.T % 3
    counts = np.stack([(values == value).sum(axis=0) for value in range(3)], axis=1)
    return tuple(
        Direction((p, q, r, s), (a, b, c))
        for (p, q, r, s), (a, b, c) in zip(forms.tolist(), counts.tolist(), strict=True)
    )


class ClassOrder(enum.StrEnum):
    """Attribute by which `find_classes` sorts the classes. Classes with the same value are in the order of their
    numbers."""

    NUMBER = "number"
    LISTS = "lists"
    STABILIZER = "stabilizer"
    EXTENSIONS = "extensions"


def find_classes(
    size: int,
    catalogue: Catalogue | None = None,
    *,
    complete: bool | None = None,
    stabilizer: int | None = None,
    structure: str | None = None,
    orbits: int | None = None,
    spans: int | None = None,
    extensions: int | None = None,
    extension_orbits: int | None = None,
    game_classes: int | None = None,
    hyperplane: str | None = None,
    exclusion: int | None = None,
    among: Sequence[ListClass] | None = None,
    sort: ClassOrder | str = ClassOrder.NUMBER,
    reverse: bool = False,
) -> list[ListClass]:
    """Finds the classes of a size that meet all given conditions.

    Args:
        size: 0 to 20.
        catalogue: source of the classes; by default the catalogue of the package.
        complete: only classes to whose lists no card can be added (True), or some card can be added (False).
        stabilizer: only classes whose stabilizer has this many maps.
        structure: only classes with this structure of the stabilizer, such as "C2 x S4".
        orbits: only classes whose stabilizer has this many orbits on the cards of a list.
        spans: only classes whose lists span a flat (affine subspace) of this dimension.
        extensions: only classes to whose lists this many cards can be added.
        extension_orbits: only classes whose stabilizer has this many orbits on the cards that can be added.
        game_classes: only classes that fall into this many smaller classes under the game's own symmetries.
        hyperplane: only classes whose lists have these numbers of cards in some three parallel hyperplanes, such as
            "6+6+0".
        exclusion: only classes in which some card outside a list completes this many pairs of the list to sets.
        among: search only these classes, of a smaller deck; by default all classes of the size.
        sort: attribute that the classes are sorted by.
        reverse: whether the greatest value comes first.

    Raises:
        BadInput: there are no lists of this size, no such order, or the hyperplanes are not three numbers.

    >>> [str(list_class) for list_class in find_classes(18, complete=False)]
    ['18/14', '18/15']
    """
    if sort not in list(ClassOrder):
        raise BadInput(f"sort {sort!r}: expected {', '.join(ClassOrder)}")
    catalogue = catalogue or catalogue_in_memory()
    cut = None if hyperplane is None else _parse_cut(hyperplane)
    classes = [
        list_class
        for list_class in (catalogue.classes(size) if among is None else among)
        if complete in (None, list_class.complete)
        and stabilizer in (None, list_class.stabilizer)
        and extensions in (None, list_class.extensions)
        and structure in (None, catalogue.traits(list_class).structure)
        and orbits in (None, catalogue.traits(list_class).orbit_count)
        and spans in (None, form_dimension(catalogue.get(list_class.size, list_class.number).cards))
        and extension_orbits in (None, catalogue.traits(list_class).extension_orbit_count)
        and game_classes in (None, catalogue.game_classes(list_class))
        and (cut is None or cut in count_hyperplanes(find_directions(list_class)))
        and (exclusion is None or exclusion in count_exclusions(list_class))
    ]
    return sorted(classes, key=attrgetter(sort), reverse=reverse)


def _parse_cut(text: str) -> tuple[int, ...]:
    """Parses numbers of cards in three parallel hyperplanes, such as "6+6+0"; returns the largest number first."""
    words = text.split("+")
    if len(words) != 3 or not all(word.isascii() and word.isdecimal() and len(word) < 4 for word in words):
        raise BadInput(f"hyperplane {text!r}: expected three numbers of cards such as 6+6+0")
    return tuple(sorted(map(int, words), reverse=True))
