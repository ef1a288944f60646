"""Ranks of lists: the members of a class in order, and the rank of a list among the lists of its size.

The lists of a size are in the order of their class numbers. The lists of a class are in the order of the flats that
they span, see `enumerate_subspaces`. `geometry.py` defines flats and frames. The lists of a class in one flat are in
the order of their least frames, as follows.

Let R be the canonical form of the class, and H the group of maps of its flat that keep R. Each map g of the flat gives
a list g^-1(R). Two maps g and g' give the same list if and only if g' = hg for an h in H. The frame
F = (g(0), g(1), g(3), ...) determines g, and the frame of hg is h(F). So

    the lists of the class in one flat correspond to the orbits of H on the frames,

and the least frame of an orbit represents the list. Only the identity takes a frame to itself, so orbits can be
counted. Let K be the maps in H that fix the first i cards of F. Then the number of orbits of frames that begin with
these i cards is the number of ways to complete the i cards to a frame, divided by the order of K. The least frame of an
orbit is found card by card: the next card is the least of its orbit under K, then K shrinks to the maps that fix it.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from setset.cards import CARDS, Cards, CardsLike, Hand, check_list
from setset.errors import BadInput
from setset.symmetry.canonical import find_least_frames
from setset.symmetry.catalogue import Catalogue, catalogue_in_memory
from setset.symmetry.classes import ListClass
from setset.symmetry.geometry import (
    DIMENSION,
    STANDARD_FRAME,
    CardArray,
    count_frames,
    difference_table,
    enumerate_subspaces,
    flat_size,
    form_dimension,
    span_frames,
    subspace_number,
    sum_table,
)

CHUNK = 1 << 15


@lru_cache(maxsize=64)
def stabilizer_maps(form: Cards) -> CardArray:
    """Finds the affine maps that keep a canonical form, limited to the flat (affine subspace) that the form spans.
    Returns their lookup tables, one per row.

    If a canonical form spans a k-flat, the cards of the flat are the cards below 3**k. Affine maps of all 81 cards that
    are equal on the flat share one row.
    """
    _, frames = find_least_frames(form)
    labelled = span_frames(frames)
    tables = np.empty_like(labelled)
    np.put_along_axis(tables, labelled.astype(np.int64), np.arange(labelled.shape[1], dtype=np.uint8)[None, :], 1)
    return tables


def _find_orbits(maps: CardArray, frame: Sequence[int]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Finds the orbits of the group `maps` on the cards outside the flat (affine subspace) that `frame` spans. All maps
    fix each card of `frame`. Returns the least card of each orbit, ascending, and the size of each orbit."""
    sizes = np.bincount(maps.min(axis=0), minlength=maps.shape[1])
    if len(frame):
        sizes[span_frames(np.array([frame], np.uint8))[0]] = 0
    firsts = np.flatnonzero(sizes)
    return firsts, sizes[firsts]


def _rank_frame(frame: list[int], maps: CardArray, ways: npt.NDArray[np.int64]) -> int:
    """Computes the rank of a list among the lists of its class in one flat (affine subspace). An orbit of frames stands
    for the list (see the module); `frame` is any frame of the orbit."""
    rank = 0
    for depth in range(len(frame)):
        best = maps[maps[:, frame[depth]].argmin()]
        frame = [*frame[:depth], *best[frame[depth:]].tolist()]
        firsts, sizes = _find_orbits(maps, frame[:depth])
        before = sizes[firsts < frame[depth]].sum()
        rank += int(ways[depth + 1]) * int(before) // len(maps)
        maps = maps[maps[:, frame[depth]] == frame[depth]]
    return rank


def _frame_at(rank: int, maps: CardArray, ways: npt.NDArray[np.int64]) -> list[int]:
    """Inverse of `_rank_frame`. Returns the least frame of the orbit that stands for the list of this rank."""
    frame: list[int] = []
    for depth in range(len(ways) - 1):
        firsts, sizes = _find_orbits(maps, frame)
        starts = np.concatenate([[0], np.cumsum(sizes)]) * int(ways[depth + 1]) // len(maps)
        turn = int(np.searchsorted(starts, rank, "right")) - 1
        rank -= int(starts[turn])
        frame.append(int(firsts[turn]))
        maps = maps[maps[:, frame[depth]] == frame[depth]]
    return frame


def members(list_class: ListClass | str, start: int = 0) -> Iterator[Cards]:
    """Yields every list of a class once, in the order of ranks.

    Args:
        list_class: a class of the catalogue, or its name such as "12/786".
        start: the rank within the class to begin with, 0 to `list_class.lists` - 1.

    Returns:
        An iterator, which computes each list when the caller asks for it.

    Raises:
        BadInput: there is no list of rank `start`.

    >>> from setset.symmetry.catalogue import catalogue_in_memory
    >>> next(members(catalogue_in_memory().get(12, 700), start=1_000_000_000))
    (4, 7, 12, 18, 19, 22, 24, 28, 41, 52, 78, 79)
    """
    return (tuple(cards) for chunk in member_arrays(list_class, start, 256) for cards in chunk.tolist())


def member_arrays(list_class: ListClass | str, start: int = 0, chunk: int = CHUNK) -> Iterator[CardArray]:
    """Yields the lists of a class in the order of ranks, as arrays with one list per row.

    Args:
        list_class: a class of the catalogue, or its name such as "12/786".
        start: the rank within the class to begin with, 0 to `list_class.lists` - 1.
        chunk: maximum number of rows per array.

    Returns:
        An iterator over arrays of type uint8.

    Raises:
        BadInput: there is no list of rank `start`.

    >>> from setset.symmetry.catalogue import catalogue_in_memory
    >>> next(member_arrays(catalogue_in_memory().get(3, 0), chunk=2)).tolist()
    [[0, 1, 3], [0, 1, 5]]
    """
    list_class = catalogue_in_memory().named(list_class)
    if not 0 <= start < list_class.lists:
        raise BadInput(f"no list of rank {start}: the ranks in class {list_class} are 0 to {list_class.lists - 1}")
    return _member_arrays(list_class, start, chunk)


def _member_arrays(list_class: ListClass, start: int, chunk: int) -> Iterator[CardArray]:
    """Yields the arrays of `member_arrays`. A generator would check its arguments only when the caller takes the first
    array, so `member_arrays` is a function that checks them at once."""
    from setset.symmetry.enumeration import fill_members

    maps = stabilizer_maps(list_class.cards)
    dimension = form_dimension(list_class.cards)
    if dimension < 0:
        yield np.zeros((1, 0), np.uint8)
        return
    inside = np.array(list_class.cards, np.uint8)
    ways = _count_completions(dimension)
    in_flat = int(ways[0]) // len(maps)
    rank = start
    while rank < list_class.lists:
        flat, within = divmod(rank, in_flat)
        lists = np.zeros((min(chunk, in_flat - within), list_class.size), np.uint8)
        fill_members(within, inside, maps, ways, lists, sum_table(), difference_table())
        rank += len(lists)
        yield lists if dimension == DIMENSION else np.sort(enumerate_subspaces(dimension)[flat][lists], axis=1)


def member_rank(cards: CardsLike) -> int:
    """Computes the rank of a list among the lists of its class.

    Args:
        cards: different cards without a set, in any order.

    Returns:
        The rank, from 0: `members(list_class, rank)` begins with the list.

    Raises:
        BadInput: something is not a card, or a card is given twice.
        HoldsSet: there is a set among the cards.

    >>> member_rank([4, 7, 12, 18, 19, 22, 24, 28, 41, 52, 78, 79])
    1000000000
    """
    return _member_rank(*find_least_frames(check_list(cards)))


def rank(cards: CardsLike, catalogue: Catalogue | None = None) -> int:
    """Computes the rank of a list among all lists of its size.

    Args:
        cards: different cards without a set, in any order.
        catalogue: source of the class; by default the catalogue of the package.

    Returns:
        The rank, from 0: the inverse of `unrank`.

    Raises:
        BadInput: something is not a card, or a card is given twice.
        HoldsSet: there is a set among the cards.

    >>> rank([19, 23, 29, 40, 41, 46, 54, 58, 66, 69, 72, 79])
    1234567890123
    """
    form, leading = find_least_frames(check_list(cards))
    catalogue = catalogue or catalogue_in_memory()
    return catalogue.starts(len(form))[catalogue.of_form(form).number] + _member_rank(form, leading)


def _member_rank(form: Cards, leading: CardArray) -> int:
    """Computes the rank of a list within its class, from its canonical form and from `leading`, the frames of the list
    that lead to the form."""
    if not form:
        return 0
    dimension = leading.shape[1] - 1
    flat = subspace_number(leading[0].tolist())
    labels = np.arange(flat_size(dimension + 1), dtype=np.uint8)
    label_of = np.zeros(CARDS, np.uint8)
    label_of[enumerate_subspaces(dimension)[flat]] = labels
    # The map g from the list to the form takes the leading frame to the standard frame. The rank needs
    # the frame of g, which is the image of the standard frame.
    image_of = np.empty_like(labels)
    image_of[span_frames(label_of[leading[:1]])[0]] = labels
    frame = image_of[list(STANDARD_FRAME[: dimension + 1])].tolist()
    maps = stabilizer_maps(form)
    ways = _count_completions(dimension)
    return flat * (int(ways[0]) // len(maps)) + _rank_frame(frame, maps, ways)


def unrank(size: int, rank: int, catalogue: Catalogue | None = None) -> Cards:
    """Returns the list that has a rank among all lists of a size. The inverse of `rank`.

    Args:
        size: 0 to 20.
        rank: 0 to the number of lists of this size - 1.
        catalogue: source of the class; by default the catalogue of the package.

    Returns:
        The list, in ascending order.

    Raises:
        BadInput: there is no list of this size, or of this rank.

    >>> unrank(12, 1_234_567_890_123)
    (19, 23, 29, 40, 41, 46, 54, 58, 66, 69, 72, 79)
    """
    list_class, within = (catalogue or catalogue_in_memory()).class_at(size, rank)
    maps = stabilizer_maps(list_class.cards)
    dimension = form_dimension(list_class.cards)
    if dimension < 0:
        return ()
    ways = _count_completions(dimension)
    flat, rank_in_flat = divmod(within, int(ways[0]) // len(maps))
    # The image of each label of the flat under the map of the frame. The list is the cards with images in the form.
    image_of = span_frames(np.array([_frame_at(rank_in_flat, maps, ways)], np.uint8))[0]
    cards = enumerate_subspaces(dimension)[flat][np.isin(image_of, list_class.cards)]
    return Hand(sorted(cards.tolist()))


def _count_completions(dimension: int) -> npt.NDArray[np.int64]:
    """Array whose entry i is the number of ways to complete i cards of a frame of this dimension to a whole frame."""
    return np.array([count_frames(dimension, chosen) for chosen in range(dimension + 2)], np.int64)
