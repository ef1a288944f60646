"""The symmetries: the affine maps x -> Ax + b of the cards, which are exactly the maps that take sets to sets."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from setset.cards import CARDS, FEATURES, WEIGHTS, Cards, digits, from_digits
from setset.errors import BadInput
from setset.symmetry.geometry import DIGITS, DIMENSION, STANDARD_FRAME, CardArray, span_frames

Row = tuple[int, int, int, int]


@dataclass(frozen=True, slots=True)
class AffineMap:
    """A symmetry: the card with digits x goes to the card with digits `matrix` x + `translation`, modulo 3.

    `g(card)` is the image of a card, `g @ h` first applies h and then g, `g.inverse()` undoes g, and `str(g)`
    writes each feature of the image in terms of the features of the card.

    Args:
        matrix: four rows of four numbers 0, 1 or 2; it must have an inverse modulo 3.
        translation: four numbers 0, 1 or 2.

    Raises:
        BadInput: the numbers make no affine map.

    >>> swap = AffineMap(((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 0, 1), (0, 0, 1, 0)), (0, 0, 0, 2))
    >>> print(swap)
    colour' = colour, count' = count, shading' = shape, shape' = shading + 2
    >>> swap(0), swap.inverse()(2)
    (2, 0)
    """

    matrix: tuple[Row, Row, Row, Row]
    translation: Row

    def __post_init__(self) -> None:
        square = len(self.matrix) == DIMENSION and all(len(row) == DIMENSION for row in self.matrix)
        if not square or len(self.translation) != DIMENSION:
            raise BadInput("an affine map needs a 4 by 4 matrix and a translation of 4 numbers")
        if any(not 0 <= entry < 3 for row in (*self.matrix, self.translation) for entry in row):
            raise BadInput("the numbers of an affine map must be 0, 1 and 2")
        if len(set(self.table().tolist())) < CARDS:
            raise BadInput("the matrix of this affine map has no inverse modulo 3")

    @classmethod
    def identity(cls) -> AffineMap:
        """The map that moves no card."""
        return cls.to_frame(STANDARD_FRAME)

    @classmethod
    def to_frame(cls, frame: Sequence[int]) -> AffineMap:
        """Makes the map that takes the cards 0, 1, 3, 9, 27 to the five cards of `frame`, in this order. No hyperplane
        may hold all five cards."""
        origin, *corners = (digits(card) for card in frame)
        columns = [tuple((y - x) % 3 for x, y in zip(origin, corner, strict=True)) for corner in reversed(corners)]
        return cls(tuple(zip(*columns, strict=True)), origin)  # type: ignore[arg-type]

    @classmethod
    def inverses_of_frames(cls, frames: CardArray) -> list[AffineMap]:
        """Makes for each row of `frames` the map that takes its five cards to the cards 0, 1, 3, 9, 27. The five cards
        must be in general position."""
        flats = span_frames(frames)
        images = np.empty_like(flats)
        np.put_along_axis(images, flats.astype(np.int64), np.arange(CARDS, dtype=np.uint8)[None, :], 1)
        image_digits = DIGITS[images[:, STANDARD_FRAME]]
        matrices = ((image_digits[:, :0:-1] - image_digits[:, :1]) % 3).transpose(0, 2, 1)
        # A row of a matrix is the digits of a card. Converting five numbers per map is faster than converting twenty.
        rows = np.column_stack([matrices @ np.array(WEIGHTS), images[:, 0]]).tolist()
        all_digits = [digits(card) for card in range(CARDS)]
        maps = []
        for *matrix, translation in rows:
            affine_map = object.__new__(cls)  # without the check for an inverse, which would take most of the time
            object.__setattr__(affine_map, "matrix", tuple(all_digits[row] for row in matrix))
            object.__setattr__(affine_map, "translation", all_digits[translation])
            maps.append(affine_map)
        return maps

    def __call__(self, card: int) -> int:
        x = digits(card)
        moved = (sum(a * v for a, v in zip(row, x, strict=True)) for row in self.matrix)
        return from_digits(*((m + b) % 3 for m, b in zip(moved, self.translation, strict=True)))

    def on(self, cards: Iterable[int]) -> Cards:
        """Images of the cards under the map, in ascending order."""
        return tuple(sorted(self(card) for card in cards))

    def frame(self) -> Cards:
        """Images of the cards 0, 1, 3, 9, 27 under the map. They determine the map."""
        return tuple(self(card) for card in STANDARD_FRAME)

    def table(self) -> CardArray:
        """Lookup table of the map: the images of the cards 0 to 80, in order."""
        image_digits = DIGITS @ np.array(self.matrix).T + np.array(self.translation)
        images: CardArray = (image_digits % 3 @ np.array(WEIGHTS)).astype(np.uint8)
        return images

    def __matmul__(self, first: AffineMap) -> AffineMap:
        return AffineMap.to_frame([self(card) for card in first.frame()])

    def inverse(self) -> AffineMap:
        """Makes the inverse map, which undoes this map."""
        return AffineMap.to_frame(np.argsort(self.table())[list(STANDARD_FRAME)].tolist())

    def __str__(self) -> str:
        return ", ".join(
            f"{feature}' = {_format_row(row, constant)}"
            for feature, row, constant in zip(FEATURES, self.matrix, self.translation, strict=True)
        )


def _format_row(row: Row, constant: int) -> str:
    """Formats a row of the matrix and its constant, such as 'colour + 2 shape + 1'."""
    terms = [
        feature if factor == 1 else f"2 {feature}" for feature, factor in zip(FEATURES, row, strict=True) if factor
    ]
    return " + ".join([*terms, str(constant)] if constant else terms)
