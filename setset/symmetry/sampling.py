"""Exactly uniform random lists. Draws a class, weighted by its number of lists, then an affine map. Applies the map to
the canonical form of the class.

Class and map are drawn as integers below a bound, which numpy does without bias. The number of maps that take the
canonical form to a list is the same for each list of the class. So a uniform map gives a uniform list of the class.
"""

import numpy as np

from setset.cards import check_size
from setset.compiler import njit
from setset.errors import BadInput, require_whole
from setset.symmetry.catalogue import Catalogue, catalogue_in_memory
from setset.symmetry.geometry import GROUP_ORDER, CardArray, difference_table, sum_table


@njit(cache=True)
def _apply_maps(numbers, forms, lists, total, minus):  # type: ignore[no-untyped-def]
    """Applies an affine map to each canonical form in `forms`. Writes the resulting list, in ascending order, to the
    same row of `lists`.

    `numbers` has the number of each map. Its digits in the mixed base 81, 80, 78, 72, 54 choose the images of the cards
    0, 1, 3, 9, 27, one after another. Each image is chosen among the cards outside the flat (affine subspace) that the
    images before it span.
    """
    points = np.zeros(81, np.uint8)
    free = np.zeros(81, np.bool_)
    for row in range(len(numbers)):
        number = numbers[row]
        free[:] = True
        width = 0
        for _ in range(5):
            number, turn = divmod(number, 81 - width)
            card = 0
            while not free[card] or turn > 0:
                turn -= free[card]
                card += 1
            step = minus[card, points[0]]
            for label in range(width, max(3 * width, 1)):
                points[label] = total[points[label - width], step] if width else card
                free[points[label]] = False
            width = max(3 * width, 1)
        size = forms.shape[1]
        for column in range(size):
            card = points[forms[row, column]]
            to = column
            while to > 0 and lists[row, to - 1] > card:
                lists[row, to] = lists[row, to - 1]
                to -= 1
            lists[row, to] = card


def sample(size: int, count: int = 1, seed: int | None = None, catalogue: Catalogue | None = None) -> CardArray:
    """Draws random lists of a size, independent of each other. Every list has the same chance.

    Args:
        size: 1 to 20.
        count: number of lists, 0 or more.
        seed: 0 or more; by default a new one. The same seed gives the same lists with the same numpy; a new release
            of numpy may change its random numbers. A larger count begins with the lists of a smaller count.
        catalogue: source of the classes; by default the catalogue of the package.

    Returns:
        An array of type uint8, a list per row, its cards in ascending order.

    Raises:
        BadInput: one of the numbers is out of range.

    >>> sample(12, count=3, seed=7)[0].tolist()
    [1, 21, 22, 30, 43, 54, 57, 64, 67, 71, 75, 79]
    """
    check_size(size, least=1)
    for name, value in (("count", count), ("seed", seed)):
        if value is not None:
            require_whole(name, value)
        if value is not None and value < 0:
            raise BadInput(f"the {name} of a sample cannot be negative: {value}")
    catalogue = catalogue or catalogue_in_memory()
    starts = np.array(catalogue.starts(size))
    # Separate streams for classes and maps, so that a larger count begins with the lists of a smaller count.
    classes, maps = (np.random.Generator(np.random.PCG64(child)) for child in np.random.SeedSequence(seed).spawn(2))
    chosen = np.searchsorted(starts, classes.integers(0, starts[-1], count), side="right") - 1
    numbers = maps.integers(0, GROUP_ORDER, count)
    forms = catalogue.forms(size)[chosen]
    lists = np.zeros((count, size), np.uint8)
    _apply_maps(numbers, forms, lists, sum_table(), difference_table())
    return lists
