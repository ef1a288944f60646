"""Writes a class and its stabilizer as a short program for GAP, Sage, Magma, Oscar or Python."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from setset.cards import CARDS, Cards

if TYPE_CHECKING:
    from setset.symmetry import AffineMap, ListClass, Stabilizer


def find_cycles(map: AffineMap) -> list[Cards]:  # noqa: A002 (the word of the field)
    """Finds the cycles of a map as points 1 to 81; card c is point c + 1. Leaves out fixed points."""
    table, seen, cycles = map.table().tolist(), set(), []
    for start in range(CARDS):
        cycle = [start]
        while table[cycle[-1]] != start:
            cycle.append(table[cycle[-1]])
        if len(cycle) > 1 and start not in seen:
            seen.update(cycle)
            cycles.append(tuple(card + 1 for card in cycle))
    return cycles


def _product(map: AffineMap) -> str:  # noqa: A002
    """Formats a map in cycle notation, such as '(1,2,3)(5,6)'."""
    return "".join(str(cycle).replace(" ", "") for cycle in find_cycles(map))


def _gap(points: Sequence[int], stabilizer: Stabilizer) -> str:
    generators = ", ".join(map(_product, stabilizer.generators)) or "()"
    return (
        f"cap := {list(points)};\nG := Group({generators});\n"
        f'Print(Size(G) = {stabilizer.order}, " ", StructureDescription(Action(G, cap)), "\\n");\n'
        'Print(ForAll(GeneratorsOfGroup(G), g -> OnSets(cap, g) = cap), "\\n");\n'
    )


def _sage(points: Sequence[int], stabilizer: Stabilizer) -> str:
    generators = ", ".join(f'"{_product(generator)}"' for generator in stabilizer.generators)
    return (
        f"cap = {set(points) or 'set()'}\nG = PermutationGroup([{generators}], domain=range(1, {CARDS + 1}))\n"
        f"print(G.order() == {stabilizer.order}, G.structure_description())\n"
        "print(all({g(point) for point in cap} == cap for g in G.gens()))\n"
    )


def _magma(points: Sequence[int], stabilizer: Stabilizer) -> str:
    generators = ", ".join(map(_product, stabilizer.generators))
    return (
        f"cap := {{{', '.join(map(str, points))}}};\nG := PermutationGroup<{CARDS} | {generators}>;\n"
        f"Order(G) eq {stabilizer.order};\nforall{{g : g in Generators(G) | cap^g eq cap}};\n"
    )


def _oscar(points: Sequence[int], stabilizer: Stabilizer) -> str:
    cycles = (", ".join(str(list(cycle)) for cycle in find_cycles(generator)) for generator in stabilizer.generators)
    generators = ", ".join(f"cperm({product})" for product in cycles)
    return (
        f"using Oscar\ncap = Set({list(points)})\nG = permutation_group({CARDS}, PermGroupElem[{generators}])\n"
        f"println(order(G) == {stabilizer.order})\nprintln(all(g -> Set(i^g for i in cap) == cap, gens(G)))\n"
    )


LANGUAGES: dict[str, Callable[[Sequence[int], Stabilizer], str]] = {
    "gap": _gap,
    "sage": _sage,
    "magma": _magma,
    "oscar": _oscar,
}
"""For each computer algebra system, the function that writes the program. In the programs, card c is point c + 1. Tests
run only the program for GAP."""


def write_snippet(list_class: ListClass, stabilizer: Stabilizer, language: str) -> str:
    """Returns a program in a language of `LANGUAGES` or in Python. The program builds a list of the class and the
    stabilizer of the list, and checks the stabilizer."""
    if language == "python":
        return (
            f"import setset\n\nlist_class = setset.catalogue_in_memory().get({list_class.size}, {list_class.number})\n"
            "stabilizer = setset.stabilizer_of(list_class)\n"
            f"print(stabilizer.order == {stabilizer.order}, stabilizer.structure)\n"
            "print(all(g.on(list_class.cards) == list_class.cards for g in stabilizer.generators))\n"
        )
    return LANGUAGES[language]([card + 1 for card in list_class.cards], stabilizer)
