"""Classes under the game's own symmetries: 4! * 3!**4 = 31,104 ways to rename features and values.

In the geometry, a feature is a *direction*: a way to cut the cards into three parallel hyperplanes. There are 40
directions (linear forms other than 0, up to their sign). The game is four of them, and the 31,104 maps of the game take
these four directions to each other. Any other four independent directions would make an equally good game. There are
63,180 such games, and the affine maps take any game to any other game.

The classes of the game inside an affine class are the orbits of its lists under the 31,104 maps that keep the game.
These maps have as many orbits on the lists of the class as the stabilizer of one list has on the 63,180 games. By
Burnside's lemma, this number of orbits is the mean number of games that a map of the stabilizer keeps. So no list is
enumerated.
"""

from collections.abc import Iterable
from functools import cache
from itertools import combinations, permutations
from typing import Final

import numpy as np
import numpy.typing as npt

from setset.cards import CARDS
from setset.compiler import njit
from setset.errors import SetsetError
from setset.symmetry.classes import ListClass
from setset.symmetry.geometry import (
    DIGITS,
    DIMENSION,
    GROUP_ORDER,
    CardArray,
    difference_table,
    linear_forms,
    span_frames,
)
from setset.symmetry.least import find_least_frames

GAME_ORDER: Final = 31_104
GAMES: Final = GROUP_ORDER // GAME_ORDER
DIRECTIONS: Final = 40

SMALL_SIZES: Final = (1, 1, 4)
"""Number of classes under the game's own symmetries, for 0, 1 and 2 cards. The stabilizers of such lists have too many
maps to try.

Renaming features and values takes any card to any other card. It takes a pair of cards to all pairs that differ in the
same number of features, 1 to 4.
"""


@njit(cache=True)
def _map_directions(frame, forms, direction_of, values, minus, moved):  # type: ignore[no-untyped-def]
    """Writes to `moved` the image of each of the 40 directions under the map that takes the frame to 0, 1, 3, 9, 27.

    The caller may also give the frame of the inverse map, because a map and its inverse keep the same games.
    """
    for direction in range(len(forms)):
        image = 0
        for corner in range(4, 0, -1):
            image = 3 * image + values[forms[direction], minus[frame[corner], frame[0]]]
        moved[direction] = direction_of[image]


@njit(cache=True)
def _find_cycles(moved, cycles, counts):  # type: ignore[no-untyped-def]
    """Finds the cycles of at most four directions in `moved`, a permutation of the 40 directions. Writes the i-th cycle
    of n directions to `cycles[n, i]`, and the number of cycles of n directions to `counts[n]`."""
    counts[:] = 0
    for direction in range(len(moved)):
        length = 1
        image = moved[direction]
        while image > direction and length < 5:
            length += 1
            image = moved[image]
        if image != direction or length > 4:
            continue  # counts each cycle once, at its least direction
        for index in range(length):
            cycles[length, counts[length], index] = image
            image = moved[image]
        counts[length] += 1


@njit(cache=True)
def _count_kept_games(cycles, counts, games):  # type: ignore[no-untyped-def]
    """Counts the games that a map keeps. A map keeps a game if the game's four directions are one or more whole
    cycles."""
    ones, twos, threes, fours = cycles[1, :, 0], cycles[2], cycles[3], cycles[4]
    kept = 0
    for i in range(counts[1]):
        for j in range(i):
            for k in range(j):
                for m in range(k):
                    kept += games[ones[i], ones[j], ones[k], ones[m]]
            for k in range(counts[2]):
                kept += games[ones[i], ones[j], twos[k, 0], twos[k, 1]]
        for j in range(counts[3]):
            kept += games[ones[i], threes[j, 0], threes[j, 1], threes[j, 2]]
    for i in range(counts[2]):
        for j in range(i):
            kept += games[twos[i, 0], twos[i, 1], twos[j, 0], twos[j, 1]]
    for i in range(counts[4]):
        kept += games[fours[i, 0], fours[i, 1], fours[i, 2], fours[i, 3]]
    return kept


@njit(cache=True)
def _sum_kept_games(frames, forms, direction_of, values, games, minus, all_games):  # type: ignore[no-untyped-def]
    """Adds up, over many maps, the number of games that a map keeps. Each row of `frames` gives a map: the cards to
    which it takes 0, 1, 3, 9, 27."""
    moved = np.zeros(len(forms), np.uint8)
    cycles = np.zeros((5, len(forms), 4), np.uint8)
    counts = np.zeros(5, np.int64)
    kept = 0
    for row in range(len(frames)):
        _map_directions(frames[row], forms, direction_of, values, minus, moved)
        _find_cycles(moved, cycles, counts)
        # A map that keeps every direction, such as the identity, keeps all games, so they need not be counted.
        kept += all_games if counts[1] == len(forms) else _count_kept_games(cycles, counts, games)
    return kept


def game_classes(classes: Iterable[ListClass]) -> int:
    """Number of smaller classes into which these classes split under the game's own 31,104 symmetries alone.

    Args:
        classes: any classes of the catalogue.

    Returns:
        The number of classes under the game's symmetries.

    Raises:
        SetsetError: the stabilizer of a class is wrong.

    >>> from setset.symmetry.catalogue import catalogue_in_memory
    >>> game_classes(catalogue_in_memory().level(4).classes)
    128
    """
    return sum(game_classes_of_each(classes))


def game_classes_of_each(classes: Iterable[ListClass]) -> list[int]:
    """For each class, the number of smaller classes into which the game's own 31,104 symmetries split it."""
    return [_divide_games(list_class) for list_class in classes]


def _divide_games(list_class: ListClass) -> int:
    """Number of smaller classes into which one class splits under the game's own 31,104 symmetries."""
    if list_class.size < len(SMALL_SIZES):
        return SMALL_SIZES[list_class.size]
    if list_class.stabilizer == 1:
        return GAMES
    # These frames are the images of the standard frame under the maps that keep the canonical form.
    _, frames = find_least_frames(list_class.cards, is_form=True)
    kept = int(_sum_kept_games(_complete_frames(frames), *_make_tables(), difference_table(), GAMES))
    number, rest = divmod(kept, list_class.stabilizer)
    if rest:
        raise SetsetError(f"the stabilizer of class {list_class} is wrong: its maps keep {kept} games in total")
    return number


def _complete_frames(frames: CardArray) -> CardArray:
    """Completes each frame to five cards in general position, in every possible way."""
    while frames.shape[1] <= DIMENSION:
        free = np.ones((len(frames), CARDS), np.bool_)
        np.put_along_axis(free, span_frames(frames).astype(np.int64), False, axis=1)
        rows, cards = np.nonzero(free)
        frames = np.column_stack([frames[rows], cards.astype(np.uint8)])
    return frames


@cache
def _make_tables() -> tuple[CardArray, CardArray, npt.NDArray[np.uint8], npt.NDArray[np.bool_]]:
    """Makes the four tables of the kernels.

    - `forms`: for each direction its linear form, given as the card whose digits are the coefficients;
    - `direction_of`: for each linear form its direction;
    - `values`: the value of each form at each card;
    - `games`: for any four directions, whether they are independent, and so make a game.
    """
    values = (DIGITS @ DIGITS.T % 3).astype(np.uint8)
    forms = linear_forms()
    direction_of = np.full(CARDS, DIRECTIONS, np.uint8)  # the form 0 gives no direction
    direction_of[forms] = direction_of[difference_table()[0, forms]] = np.arange(DIRECTIONS)
    fours = np.array(list(combinations(range(DIRECTIONS), DIMENSION)))
    combined = span_frames(np.column_stack([np.zeros(len(fours), np.uint8), forms[fours]]))
    independent = fours[(combined[:, 1:] != 0).all(axis=1)]
    games = np.zeros((DIRECTIONS,) * DIMENSION, np.bool_)
    for order in permutations(range(DIMENSION)):
        games[tuple(independent[:, order].T)] = True
    return forms, direction_of, values, games
