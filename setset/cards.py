"""The deck: 81 cards as the points of AG(4,3).

A card is an integer 0..80 whose four base-3 digits, most significant first, are colour, count, shading
and shape. Three cards form a set if in each digit they are all the same or all different, that is, if
their digits sum to 0 modulo 3 in each place: they are a line of the geometry.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from setset.errors import BadInput

CARDS: Final = 81
LARGEST: Final = 20
"""No 21 cards are without a set (Pellegrino 1970), so no list is longer than this."""

FEATURES: Final = ("colour", "count", "shading", "shape")
VALUES: Final = (
    ("red", "green", "purple"),
    ("one", "two", "three"),
    ("solid", "striped", "open"),
    ("diamond", "squiggle", "oval"),
)
WEIGHTS: Final = (27, 9, 3, 1)


def digits(card: int) -> tuple[int, int, int, int]:
    """The card's colour, count, shading and shape, each 0..2."""
    return card // 27, card // 9 % 3, card // 3 % 3, card % 3


def from_digits(colour: int, count: int, shading: int, shape: int) -> int:
    return colour * 27 + count * 9 + shading * 3 + shape


def third(a: int, b: int) -> int:
    """The one card that completes a and b to a set (a itself if a == b)."""
    return from_digits(*(-(x + y) % 3 for x, y in zip(digits(a), digits(b), strict=True)))  # type: ignore[arg-type]


def third_table() -> npt.NDArray[np.uint8]:
    """`table[a, b] == third(a, b)` for all pairs of cards."""
    places = np.array([digits(card) for card in range(CARDS)])
    sums = -(places[:, None, :] + places[None, :, :]) % 3
    return (sums @ np.array(WEIGHTS)).astype(np.uint8)


def name(card: int) -> str:
    """'red one solid diamond'"""
    return " ".join(VALUES[place][value] for place, value in enumerate(digits(card)))


def parse(text: str) -> int:
    """The card that a number 0..80 or a full name in any order of its words means."""
    word = text.strip().lower()
    if word.isdecimal() and int(word) < CARDS:
        return int(word)
    meant = {
        value: (place, index) for place, values in enumerate(VALUES) for index, value in enumerate(values)
    }
    found = dict(meant[part] for part in word.replace("-", " ").split() if part in meant)
    if len(found) != len(FEATURES) or len(word.replace("-", " ").split()) != len(FEATURES):
        raise BadInput(f"not a card: {text!r} (give 0 to 80 or a name such as 'red one solid diamond')")
    return from_digits(*(found[place] for place in range(len(FEATURES))))
