"""Integer sequences that setset has, in the format of the OEIS's b-files."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Final

from setset.cards import LARGEST
from setset.distribution.counts import KNOWN_HANDS, hands
from setset.errors import BadInput
from setset.symmetry.catalogue import catalogue_in_memory
from setset.symmetry.classes import ListClass
from setset.symmetry.geometry import count_frames, form_dimension, pointwise_stabilizer_order

HAND_CLASSES: Final = (1, 1, 1, 2, 3, 6, 15, 34, 105, 384, 1658, 8135, 41407, 205211, 963708)
"""Classes of all hands by their size: built up to 12 cards by `compute_hands`, and up to 14 by Polya's theorem."""
MOST_SETS: Final = max(hands(size).most for size in KNOWN_HANDS)


@dataclass(frozen=True)
class IntegerSequence:
    """A sequence with a name; its terms are computed when asked for."""

    name: str
    title: str
    terms: Callable[[], Iterable[int]]
    offset: int = 0

    def bfile(self) -> str:
        """The b-file: a line 'n a(n)' per term, after a comment."""
        lines = (f"{index} {term}" for index, term in enumerate(self.terms(), self.offset))
        return f"# {self.title}\n" + "".join(f"{line}\n" for line in lines)


def sequences() -> dict[str, IntegerSequence]:
    """All sequences by their names."""
    catalogue, sizes = catalogue_in_memory(), range(LARGEST + 1)
    of = "in AG(4,3), by their number of points"
    found = [
        IntegerSequence("caps", f"Number of caps {of}", lambda: map(catalogue.lists, sizes)),
        IntegerSequence(
            "classes",
            f"Number of caps {of}, up to affine maps",
            lambda: (len(catalogue.classes(size)) for size in sizes),
        ),
        IntegerSequence(
            "complete-caps",
            f"Number of complete caps {of}",
            lambda: (sum(one.lists for one in catalogue.classes(size) if one.complete) for size in sizes),
        ),
        IntegerSequence(
            "complete-classes",
            f"Number of complete caps {of}, up to affine maps",
            lambda: (sum(one.complete for one in catalogue.classes(size)) for size in sizes),
        ),
        IntegerSequence(
            "game-classes",
            "Number of hands of SET cards without a set, up to renaming features and values",
            lambda: (sum(map(catalogue.game_classes, catalogue.classes(size))) for size in sizes),
        ),
        *(
            IntegerSequence(
                f"caps-{dimension}", f"Number of caps in AG({dimension},3), by points", partial(_count_caps, dimension)
            )
            for dimension in (2, 3)
        ),
        IntegerSequence("hand-classes", "Number of sets of points of AG(4,3) up to affine maps", lambda: HAND_CLASSES),
        IntegerSequence(
            "most-sets",
            "Most sets that n SET cards can hold (A380167 is the same question for three features)",
            lambda: (hands(size).most for size in KNOWN_HANDS if size >= 3),
            offset=3,
        ),
        IntegerSequence(
            "hands",
            f"Hands of n SET cards with exactly k sets, rows n = 0 to {KNOWN_HANDS[-1]}",
            lambda: (count for size in KNOWN_HANDS for count in hands(size).counts),
        ),
        *(
            IntegerSequence(
                f"hands-{sets}", f"Hands of n SET cards with exactly {sets} sets", partial(_hands_with, sets)
            )
            for sets in range(MOST_SETS + 1)
        ),
    ]
    return {each.name: each for each in found}


def find_sequence(name: str) -> IntegerSequence:
    """The sequence of this name.

    Raises:
        BadInput: there is no such sequence.

    >>> print(find_sequence("caps-2").bfile(), end="")
    # Number of caps in AG(2,3), by points
    0 1
    1 9
    2 36
    3 72
    4 54
    """
    known = sequences()
    if name not in known:
        raise BadInput(f"no sequence {name!r}: 'setset export bfile' lists all {len(known)}")
    return known[name]


def _hands_with(sets: int) -> list[int]:
    return [hands(size).counts[sets] if sets <= hands(size).most else 0 for size in KNOWN_HANDS]


def _count_caps(dimension: int) -> list[int]:
    """Caps of a smaller space by their points: the classes whose lists span no more, in the maps of that space."""
    counts = []
    for size in range(LARGEST + 1):
        inside = [one for one in catalogue_in_memory().classes(size) if form_dimension(one.cards) <= dimension]
        counts.append(sum(_lists_in(dimension, one) for one in inside))
        if not inside:
            return counts[:-1]
    return counts


def _lists_in(dimension: int, one: ListClass) -> int:
    """Number of lists of a class in a space of this dimension."""
    spans = form_dimension(one.cards)
    of_flat = one.stabilizer // pointwise_stabilizer_order(spans)
    return count_frames(dimension) // (of_flat * count_frames(dimension, spans + 1))
