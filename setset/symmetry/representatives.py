"""Splits an affine class into its classes under the game's own symmetries, and finds a representative of each part.

`game.py` defines the 63,180 games, and explains why each part belongs to one orbit of a list's stabilizer on the games.
To find the representative of a part, take any game of its orbit, and an affine map that takes the four features of this
game to the features of SET. The map takes the list to the representative.
"""

from functools import cache
from itertools import combinations

import numpy as np
import numpy.typing as npt

from setset.cards import CARDS, WEIGHTS
from setset.symmetry.classes import ListClass
from setset.symmetry.geometry import DIGITS, DIMENSION, CardArray, linear_forms
from setset.symmetry.stabilizers import stabilizer_of

Integers = npt.NDArray[np.int64]


def game_representatives(list_class: ListClass) -> CardArray:
    """Splits a class under the game's own 31,104 symmetries, and returns one list of each part.

    Args:
        list_class: a class of the catalogue.

    Returns:
        An array with one list per row, its cards ascending. The first row is the canonical form of the class.

    >>> from setset.symmetry.catalogue import catalogue_in_memory
    >>> game_representatives(catalogue_in_memory().get(2, 0)).tolist()
    [[0, 1], [0, 28], [0, 37], [0, 40]]
    """
    games, numbers = _all_games()
    orbit = np.arange(len(games))
    images = [
        _move_games(np.array(generator.matrix), games, numbers) for generator in stabilizer_of(list_class).generators
    ]
    while True:
        least = orbit
        for image in images:
            joined = np.minimum(least, least[image])
            least = joined.copy()
            np.minimum.at(least, image, joined)
        if np.array_equal(least, orbit):
            break
        orbit = least
    chosen = games[np.unique(orbit)]
    features = DIGITS[linear_forms()][chosen[:, ::-1]]  # for each game four rows of four factors, colour first
    moved = np.einsum("gfd,cd->gcf", features, DIGITS[list(list_class.cards)].reshape(-1, DIMENSION)) % 3
    lists: CardArray = np.sort(moved @ np.array(WEIGHTS), axis=1).astype(np.uint8)
    return lists


@cache
def _all_games() -> tuple[Integers, Integers]:
    """Returns the 63,180 games, and a lookup table. A game is a row with the numbers of its four directions
    (see `game.py`); SET is the first row. For the four directions of a game, ascending, the
    table has the row number of the game."""
    forms = linear_forms()
    fours = np.array(list(combinations(range(len(forms)), DIMENSION)))
    determinants = np.rint(np.linalg.det(DIGITS[forms][fours])).astype(np.int64)
    games = fours[determinants % 3 != 0]
    deck = np.searchsorted(forms, sorted(WEIGHTS))
    games = np.concatenate([deck[None, :], games[(games != deck).any(axis=1)]])
    numbers = np.zeros((len(forms),) * DIMENSION, np.int64)
    numbers[tuple(games.T)] = np.arange(len(games))
    return games, numbers


def _move_games(matrix: Integers, games: Integers, numbers: Integers) -> Integers:
    """For each game, the number of the game to which a map with this matrix takes it."""
    forms = linear_forms()
    direction_of = np.zeros(CARDS, np.int64)
    opposite = (-DIGITS[forms] % 3) @ np.array(WEIGHTS)
    direction_of[forms] = direction_of[opposite] = np.arange(len(forms))
    moved = direction_of[DIGITS[forms] @ matrix % 3 @ np.array(WEIGHTS)]
    image: Integers = numbers[tuple(np.sort(moved[games], axis=1).T)]
    return image
