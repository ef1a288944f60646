"""Integer sequences that setset computes, as b-files of the OEIS."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Final

from setset.cards import LARGEST
from setset.distribution.counts import KNOWN_HANDS, hands
from setset.errors import BadInput
from setset.spaces.decks import Deck
from setset.symmetry.catalogue import catalogue_in_memory

HAND_CLASSES: Final = (1, 1, 1, 2, 3, 6, 15, 34, 105, 384, 1658, 8135, 41407, 205211, 963708)
"""Number of classes of all hands, by size. `compute_hands` builds the classes of up to 12 cards. The numbers for 13 and
14 cards come from Polya's theorem."""
MOST_SETS: Final = max(hands(size).most for size in KNOWN_HANDS)


@dataclass(frozen=True)
class IntegerSequence:
    """A sequence with a name. `terms()` computes its terms."""

    name: str
    title: str
    terms: Callable[[], Iterable[int]]
    offset: int = 0

    def bfile(self) -> str:
        """Formats the sequence as a b-file of the OEIS: a comment, then a line 'n a(n)' per term."""
        lines = (f"{index} {term}" for index, term in enumerate(self.terms(), self.offset))
        return f"# {self.title}\n" + "".join(f"{line}\n" for line in lines)


def sequences() -> dict[str, IntegerSequence]:
    """All sequences by their names."""
    catalogue, sizes = catalogue_in_memory(), range(LARGEST + 1)
    entries = [
        IntegerSequence(
            "caps", "Number of caps in AG(4,3), by their number of points", lambda: map(catalogue.lists, sizes)
        ),
        IntegerSequence(
            "classes",
            "Number of caps in AG(4,3), by their number of points, up to affine maps",
            lambda: (len(catalogue.classes(size)) for size in sizes),
        ),
        IntegerSequence(
            "complete-caps",
            "Number of complete caps in AG(4,3), by their number of points",
            lambda: (
                sum(list_class.lists for list_class in catalogue.classes(size) if list_class.complete) for size in sizes
            ),
        ),
        IntegerSequence(
            "complete-classes",
            "Number of complete caps in AG(4,3), by their number of points, up to affine maps",
            lambda: (sum(list_class.complete for list_class in catalogue.classes(size)) for size in sizes),
        ),
        IntegerSequence(
            "game-classes",
            "Number of hands of SET cards without a set, up to renaming features and values",
            lambda: (sum(map(catalogue.game_classes, catalogue.classes(size))) for size in sizes),
        ),
        *(
            IntegerSequence(
                f"caps-{deck.dimension}",
                f"Number of caps in AG({deck.dimension},3), by points",
                partial(map, deck.lists, range(deck.largest + 1)),
            )
            for deck in (Deck(2), Deck(3))
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
                f"hands-{sets}",
                f"Hands of n SET cards with exactly {sets} set{'s' * (sets != 1)}",
                partial(_hands_with, sets),
            )
            for sets in range(MOST_SETS + 1)
        ),
    ]
    return {sequence.name: sequence for sequence in entries}


def find_sequence(name: str) -> IntegerSequence:
    """Finds a sequence by its name.

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
    by_name = sequences()
    if name not in by_name:
        raise BadInput(f"no sequence {name!r}: 'setset export bfile' lists all {len(by_name)}")
    return by_name[name]


def _hands_with(sets: int) -> list[int]:
    return [hands(size).counts[sets] if sets <= hands(size).most else 0 for size in KNOWN_HANDS]
