"""The stabilizer of a list: maps that generate it, its structure, and its orbits on the cards.

The search for the least list, applied to a canonical form, finds the maps that keep the form, limited to the flat
(affine subspace) that the form spans. If the flat is not all cards, the stabilizer also has the maps that fix each card
of the flat. In the flat of a canonical form, the first k digits of each card are 0, for some k. Linear maps of these k
digits and one shear for each other digit generate the maps that fix the flat. A shear adds one of the k digits to the
other digit.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt

from setset.cards import CARDS, Cards
from setset.symmetry.affine import AffineMap
from setset.symmetry.canonical import find_least_frames
from setset.symmetry.classes import ListClass, Traits
from setset.symmetry.geometry import (
    STANDARD_FRAME,
    CardArray,
    mark_extensions,
    pointwise_stabilizer_order,
    span_frames,
    sum_table,
)
from setset.symmetry.structures import NAMES, Invariants


@dataclass(frozen=True, slots=True)
class Stabilizer:
    """The stabilizer of a class: all maps that keep the canonical form.

    >>> from setset.symmetry.catalogue import catalogue_in_memory
    >>> kept = stabilizer_of(catalogue_in_memory().get(20, 0))
    >>> kept.order, kept.structure, [len(orbit) for orbit in kept.orbits]
    (2880, '(C2 x (A6 . C2)) : C2', [20])
    """

    order: int
    generators: tuple[AffineMap, ...]
    """A few maps whose products are all maps of the stabilizer."""
    structure: str
    """Name of the group of maps that the stabilizer induces on the flat of the list, in the notation of the program
    GAP. The flat is the smallest affine subspace that contains the list."""
    pointwise: int
    """Number of maps that fix each card of the flat (smallest affine subspace that contains the list); 1 if the list
    spans all cards."""
    orbits: tuple[Cards, ...]
    """Orbits of the stabilizer on the cards of the list."""
    extension_orbits: tuple[Cards, ...]
    """Orbits of the stabilizer on the cards that can be added to the list."""

    @property
    def traits(self) -> Traits:
        """Formats the structure and the sizes of the orbits as text, as the catalogue stores them."""
        return Traits(self.structure, _write_sizes(self.orbits), _write_sizes(self.extension_orbits))


@cache
def stabilizer_of(list_class: ListClass) -> Stabilizer:
    """Computes the stabilizer of the canonical form of a class.

    Args:
        list_class: a class of the catalogue.

    Returns:
        The stabilizer with its generators, its structure, and its orbits.
    """
    frames, maps = _maps_of_flat(list_class.cards)
    dimension = frames.shape[1] - 1
    chosen = _choose_generators(maps)
    outside = np.array(STANDARD_FRAME[dimension + 1 :], np.uint8)
    generators = [AffineMap.to_frame([*frames[index].tolist(), *outside.tolist()]) for index in chosen]
    generators += [AffineMap.to_frame(frame) for frame in _fixing_frames(dimension)]
    (free,) = mark_extensions(np.array([list_class.cards], np.uint8).reshape(1, list_class.size))
    orbits = _find_orbits([generator.table() for generator in generators])
    inside = set(list_class.cards)
    return Stabilizer(
        len(maps) * pointwise_stabilizer_order(dimension),
        tuple(generators),
        NAMES.get(find_invariants(maps, chosen), f"of order {len(maps)}"),
        pointwise_stabilizer_order(dimension),
        tuple(orbit for orbit in orbits if orbit[0] in inside),
        tuple(orbit for orbit in orbits if free[orbit[0]]),
    )


def _write_sizes(orbits: Iterable[Cards]) -> str:
    """Formats the sizes of orbits, the largest first. '6 4 1^2' means orbits of 6, 4, 1 and 1 cards."""
    sizes = sorted(Counter(map(len, orbits)).items(), reverse=True)
    return " ".join(str(size) if times == 1 else f"{size}^{times}" for size, times in sizes)


def _maps_of_flat(form: Cards) -> tuple[CardArray, CardArray]:
    """Finds the maps that keep a canonical form, limited to the flat (affine subspace) that the form spans. Returns the
    images of the standard frame under the maps, and the lookup tables of the maps, one map per row."""
    if not form:
        return np.zeros((1, 0), np.uint8), np.zeros((1, 1), np.uint8)
    _, frames = find_least_frames(form)
    return frames, span_frames(frames)


def element_orders(maps: CardArray) -> npt.NDArray[np.int64]:
    """Computes the order of each permutation, one permutation per row."""
    orders = np.zeros(len(maps), np.int64)
    power = maps
    step = 1
    while not orders.all():
        orders[(orders == 0) & (power == np.arange(maps.shape[1])).all(axis=1)] = step
        power = np.take_along_axis(maps, power.astype(np.int64), axis=1)
        step += 1
    return orders


def _choose_generators(maps: CardArray) -> list[int]:
    """Chooses a few rows (permutations) that generate all rows, and returns their indexes. Each time, chooses a row of
    the highest order among the rows that the rows chosen so far do not generate."""
    chosen: list[int] = []
    rows = [bytes(row) for row in maps]
    generated = {bytes(np.arange(maps.shape[1], dtype=np.uint8))}
    for index in np.argsort(-element_orders(maps), kind="stable").tolist():
        if len(generated) == len(maps):
            break
        if rows[index] not in generated:
            chosen.append(index)
            generated = _generate([rows[generator] for generator in chosen])
    return chosen


def _generate(generators: list[bytes]) -> set[bytes]:
    """All products of these permutations, each as bytes."""
    identity = bytes(range(len(generators[0])))
    products, waiting = {identity}, [identity]
    while waiting:
        element = waiting.pop()
        for generator in generators:
            product = element.translate(generator.ljust(256, b"\0"))
            if product not in products:
                products.add(product)
                waiting.append(product)
    return products


def find_invariants(maps: CardArray, generators: list[int]) -> Invariants:
    """Finds the key of a group in `NAMES`: the number of elements of each order, and the order of the centre."""
    orders = Counter(element_orders(maps).tolist())
    commute = np.ones(len(maps), np.bool_)
    for generator in generators:
        commute &= (maps[:, maps[generator]] == maps[generator][maps]).all(axis=1)
    return tuple(sorted(orders.items())), int(commute.sum())


def _fixing_frames(dimension: int) -> list[list[int]]:
    """Finds generators of the group of maps that fix each card below 3**dimension. Returns for each generator the
    images of 0, 1, 3, 9, 27."""
    frame = list(STANDARD_FRAME)
    fixed, outside = frame[: dimension + 1], frame[dimension + 1 :]
    if not outside:
        return []
    if not fixed:  # a shift of all cards, then the maps that fix the card 0
        return [[int(sum_table()[1, card]) for card in frame], *_fixing_frames(0)]
    first, *rest = outside
    moved = [[2 * first, *rest]]
    if rest:
        moved += [[*rest, first], [int(sum_table()[first, rest[0]]), *rest]]
    moved += [[first + low, *rest] for low in fixed[1:]]
    return [fixed + images for images in moved]


def _find_orbits(tables: list[CardArray]) -> list[Cards]:
    """Finds the orbits of a group on all cards, from lookup tables of its generators. Returns the orbits in the order
    of their least cards."""
    seen: set[int] = set()
    orbits = []
    for start in range(CARDS):
        if start in seen:
            continue
        orbit, waiting = {start}, [start]
        while waiting:
            card = waiting.pop()
            new = {int(table[card]) for table in tables} - orbit
            orbit |= new
            waiting += new
        seen |= orbit
        orbits.append(tuple(sorted(orbit)))
    return orbits
