"""The stabilizer of a list: maps that generate it, its structure, and its orbits on the cards.

The frames that lead from a canonical form to itself are the images of the standard frame under the maps that keep it.
Where the form spans only a flat, these are the maps of the flat; the stabilizer is larger by the maps that fix each
card of the flat. Generators of these are generators of GL(k,3) on the other k places of a card, and a shear along each
place of the flat.
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
    """All maps that keep the representative of a class.

    >>> from setset.symmetry.catalogue import catalogue_in_memory
    >>> kept = stabilizer_of(catalogue_in_memory().get(20, 0))
    >>> kept.order, kept.structure, [len(orbit) for orbit in kept.orbits]
    (2880, '(C2 x (A6 . C2)) : C2', [20])
    """

    order: int
    generators: tuple[AffineMap, ...]
    """A few maps whose products are all of them."""
    structure: str
    """Name of the group that it induces on the flat of the list, as GAP describes it."""
    pointwise: int
    """Number of the maps that fix each card of the flat; 1 if the list spans all cards."""
    orbits: tuple[Cards, ...]
    """Orbits on the cards of the list."""
    extension_orbits: tuple[Cards, ...]
    """Orbits on the cards that can be added."""

    @property
    def traits(self) -> Traits:
        """The structure and the sizes of the orbits, as the catalogue has them."""
        return Traits(self.structure, _write_sizes(self.orbits), _write_sizes(self.extension_orbits))


@cache
def stabilizer_of(one: ListClass) -> Stabilizer:
    """The stabilizer of the representative of a class.

    Args:
        one: a class of the catalogue.

    Returns:
        Its generators, its structure, and its orbits.
    """
    frames, maps = _maps_of_flat(one.cards)
    dimension = frames.shape[1] - 1
    chosen = _choose_generators(maps)
    others = np.array(STANDARD_FRAME[dimension + 1 :], np.uint8)
    generators = [AffineMap.to_frame([*frames[place].tolist(), *others.tolist()]) for place in chosen]
    generators += [AffineMap.to_frame(frame) for frame in _fixing_frames(dimension)]
    (free,) = mark_extensions(np.array([one.cards], np.uint8).reshape(1, one.size))
    orbits = _find_orbits([each.table() for each in generators])
    inside = set(one.cards)
    return Stabilizer(
        len(maps) * pointwise_stabilizer_order(dimension),
        tuple(generators),
        NAMES.get(find_invariants(maps, chosen), f"of order {len(maps)}"),
        pointwise_stabilizer_order(dimension),
        tuple(orbit for orbit in orbits if orbit[0] in inside),
        tuple(orbit for orbit in orbits if free[orbit[0]]),
    )


def _write_sizes(orbits: Iterable[Cards]) -> str:
    """'6 4 1^2': the sizes of orbits, the largest first, with their numbers."""
    sizes = sorted(Counter(map(len, orbits)).items(), reverse=True)
    return " ".join(str(size) if times == 1 else f"{size}^{times}" for size, times in sizes)


def _maps_of_flat(form: Cards) -> tuple[CardArray, CardArray]:
    """The maps of the flat of a canonical form that keep it: their frames, and the images of the labels."""
    if not form:
        return np.zeros((1, 0), np.uint8), np.zeros((1, 1), np.uint8)
    _, frames = find_least_frames(form)
    return frames, span_frames(frames)


def element_orders(maps: CardArray) -> npt.NDArray[np.int64]:
    """The order of each permutation, a row each."""
    orders = np.zeros(len(maps), np.int64)
    power = maps
    step = 1
    while not orders.all():
        orders[(orders == 0) & (power == np.arange(maps.shape[1])).all(axis=1)] = step
        power = np.take_along_axis(maps, power.astype(np.int64), axis=1)
        step += 1
    return orders


def _choose_generators(maps: CardArray) -> list[int]:
    """Rows that generate all others: again and again a row of the highest order that is not generated yet."""
    chosen: list[int] = []
    rows = [bytes(row) for row in maps]
    known = {bytes(np.arange(maps.shape[1], dtype=np.uint8))}
    for place in np.argsort(-element_orders(maps), kind="stable").tolist():
        if len(known) == len(maps):
            break
        if rows[place] not in known:
            chosen.append(place)
            known = _generate([rows[each] for each in chosen])
    return chosen


def _generate(generators: list[bytes]) -> set[bytes]:
    """All products of permutations, each as bytes."""
    identity = bytes(range(len(generators[0])))
    known, waiting = {identity}, [identity]
    while waiting:
        one = waiting.pop()
        for other in generators:
            product = one.translate(other.ljust(256, b"\0"))
            if product not in known:
                known.add(product)
                waiting.append(product)
    return known


def find_invariants(maps: CardArray, generators: list[int]) -> Invariants:
    """Elements by their orders, and how many of them commute with all."""
    orders = Counter(element_orders(maps).tolist())
    commute = np.ones(len(maps), np.bool_)
    for place in generators:
        commute &= (maps[:, maps[place]] == maps[place][maps]).all(axis=1)
    return tuple(sorted(orders.items())), int(commute.sum())


def _fixing_frames(dimension: int) -> list[list[int]]:
    """Frames of maps that generate all maps which fix each card below 3**dimension."""
    frame = list(STANDARD_FRAME)
    fixed, others = frame[: dimension + 1], frame[dimension + 1 :]
    if not others:
        return []
    if not fixed:  # a shift of all cards, then the maps that fix the card 0
        return [[int(sum_table()[1, card]) for card in frame], *_fixing_frames(0)]
    first, *rest = others
    moved = [[2 * first, *rest]]
    if rest:
        moved += [[*rest, first], [int(sum_table()[first, rest[0]]), *rest]]
    moved += [[first + low, *rest] for low in fixed[1:]]
    return [fixed + each for each in moved]


def _find_orbits(tables: list[CardArray]) -> list[Cards]:
    """The orbits on all cards, in the order of their least cards."""
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
