"""Stabilizers: their generators keep the cap, their orders agree, and GAP gives them the same names."""

from __future__ import annotations

import json
import shutil
import subprocess
from itertools import chain
from pathlib import Path

import pytest

import setset
from setset.symmetry import Catalogue, game_representatives, stabilizer_of
from setset.symmetry.representatives import _all_games
from setset.symmetry.stabilizers import _generate

SOME = ["4/1", "6/2", "8/3", "9/14", "12/59", "12/786", "15/1000", "16/700", "18/15", "20/0"]
GAP = shutil.which("gap")
needs_gap = pytest.mark.skipif(GAP is None, reason="GAP is not installed: apt-get install gap-core gap-smallgrp")


def gap(program: str, folder: Path) -> list[str]:
    assert GAP is not None
    (folder / "program.g").write_text(program + "\nQUIT;\n")
    words = [GAP, "-q", "program.g"]
    result = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=True, stdin=subprocess.DEVNULL)
    return result.stdout.replace("\\\n", "").splitlines()


@pytest.mark.parametrize("which", SOME)
def test_generators_keep_the_cap_and_generate_the_order(catalogue: Catalogue, which: str) -> None:
    size, number = map(int, which.split("/"))
    list_class = catalogue.get(size, number)
    stabilizer = stabilizer_of(list_class)
    assert stabilizer.order == list_class.stabilizer
    assert all(generator.on(list_class.cards) == list_class.cards for generator in stabilizer.generators)
    if stabilizer.generators and stabilizer.order < 10_000:
        assert len(_generate([bytes(generator.table()) for generator in stabilizer.generators])) == stabilizer.order
    assert sorted(chain(*stabilizer.orbits)) == list(list_class.cards)
    assert len(list(chain(*stabilizer.extension_orbits))) == list_class.extensions
    assert stabilizer.traits == catalogue.traits(list_class)


def test_cards_of_one_orbit_lead_to_the_same_class(catalogue: Catalogue) -> None:
    """Orbits on the cards are at least as many as the neighbours."""
    for pair in ((12, 59), (18, 15), (9, 14)):
        list_class = catalogue.get(*pair)
        for orbit in stabilizer_of(list_class).orbits:
            smaller = {setset.classify(set(list_class.cards) - {card}).list_class for card in orbit}
            assert len(smaller) == 1
        for orbit in stabilizer_of(list_class).extension_orbits:
            assert len({setset.classify([*list_class.cards, card]).list_class for card in orbit}) == 1


def test_every_stabilizer_has_a_name(catalogue: Catalogue) -> None:
    traits = [catalogue.traits(list_class) for size in range(21) for list_class in catalogue.classes(size)]
    assert len({trait.structure for trait in traits}) == 34
    assert not any(trait.structure.startswith("of order") for trait in traits)
    classes = setset.find_classes(12, structure="S4", orbits=4, spans=4)
    assert [str(list_class) for list_class in classes] == ["12/391"]


def test_exclusions(catalogue: Catalogue) -> None:
    """In 20 cards without a set ten pairs have the anchor as their third card (Pellegrino's caps)."""
    assert setset.describe_class(catalogue.get(20, 0)).exclusions == {3: 60, 10: 1}
    for size in (0, 1, 2, 12):
        exclusions = setset.describe_class(catalogue.get(size, 0)).exclusions
        assert sum(exclusions.values()) == 81 - size
        assert sum(pairs * cards for pairs, cards in exclusions.items()) == size * (size - 1) // 2


@pytest.mark.parametrize("which", [(2, 0), (4, 0), (7, 1), (18, 15), (19, 0), (20, 0)])
def test_lists_of_the_classes_of_the_game(catalogue: Catalogue, which: tuple[int, int]) -> None:
    """As many as Burnside's lemma counts, and all of them in the class."""
    list_class = catalogue.get(*which)
    lists = game_representatives(list_class)
    assert len(lists) == catalogue.game_classes(list_class)
    assert tuple(lists[0].tolist()) == list_class.cards
    assert set(catalogue.numbers_of(lists).tolist()) == {list_class.number}
    assert len(_all_games()[0]) == 63_180


def test_pairs_differ_in_one_to_four_features(catalogue: Catalogue) -> None:
    pairs = game_representatives(catalogue.get(2, 0)).tolist()
    assert sorted(sum(map(bool, setset.cards.digits(b))) for _, b in pairs) == [1, 2, 3, 4]


@needs_gap
def test_gap_agrees_on_orders_and_names(catalogue: Catalogue, tmp_path: Path) -> None:
    """For the empty list, whose stabilizer is the whole group, and one class of each order."""
    classes = {
        list_class.stabilizer: list_class for size in range(20, -1, -1) for list_class in catalogue.classes(size)
    }
    program = ['LoadPackage("smallgrp");;']
    for list_class in classes.values():
        stabilizer = stabilizer_of(list_class)
        maps = (
            ", ".join(
                f"PermList({(generator.table().astype(int) + 1).tolist()})" for generator in stabilizer.generators
            )
            or "()"
        )
        name = "StructureDescription(G)" if stabilizer.pointwise == 1 else f'"{stabilizer.structure}"'
        program.append(f'G := Group({maps});; Print("{list_class}:", Size(G), ":", {name}, "\\n");')
    lines = gap("\n".join(program), tmp_path)
    assert lines == [
        f"{list_class}:{list_class.stabilizer}:{catalogue.traits(list_class).structure}"
        for list_class in classes.values()
    ]


@needs_gap
def test_gap_counts_the_classes_of_all_hands(catalogue: Catalogue, tmp_path: Path) -> None:
    """Polya's theorem: the number of classes of hands of each size, from the cycles of the whole group."""
    generators = stabilizer_of(catalogue.get(0, 0)).generators
    maps = ", ".join(f"PermList({(generator.table().astype(int) + 1).tolist()})" for generator in generators)
    program = (
        f'G := Group({maps});; x := Indeterminate(Rationals, "x");; p := 0 * x;;\n'
        "for c in ConjugacyClasses(G) do q := x^0;;\n"
        "for l in CycleLengths(Representative(c), [1 .. 81]) do q := q * (1 + x^l);; od;\n"
        "p := p + Size(c) * q / Size(G);; od;\n"
        'Print(CoefficientsOfUnivariatePolynomial(p){[1 .. 15]}, "\\n");'
    )
    output = "".join(gap(program, tmp_path))
    expected = [1, 1, 1, 2, 3, 6, 15, 34, 105, 384, 1658, 8135, 41407, 205211, 963708]
    assert json.loads(output) == expected
