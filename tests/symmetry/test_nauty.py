"""nauty as a second opinion: lists as coloured graphs of points and hyperplanes."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from setset.symmetry import Catalogue, canonical_form, canonicalize
from setset.symmetry.geometry import enumerate_subspaces
from tests.symmetry.strategies import examples, lists

pynauty: Any = pytest.importorskip("pynauty")


@cache
def adjacency() -> dict[int, list[int]]:
    """Cards are 0 to 80, hyperplanes 81 to 200; the graph's automorphisms are the affine maps."""
    rows = enumerate_subspaces(3)
    return {card: (81 + np.flatnonzero((rows == card).any(axis=1))).tolist() for card in range(81)}


def graph(cards: tuple[int, ...]) -> Any:
    rest = set(range(81)) - set(cards)
    colours = [colour for colour in (set(cards), rest, set(range(81, 201))) if colour]
    return pynauty.Graph(201, adjacency_dict=adjacency(), vertex_coloring=colours)


def group_order(cards: tuple[int, ...]) -> int:
    _, mantissa, exponent, *_ = pynauty.autgrp(graph(cards))
    return int(round(mantissa * 10**exponent))  # noqa: RUF046 (they are floats of an untyped library)


@given(lists())
@examples(60)
def test_the_stabilizers_agree(cards: tuple[int, ...]) -> None:
    assert canonicalize(cards).stabilizer == group_order(cards)


@given(lists())
@examples(30)
def test_a_list_and_its_form_have_one_certificate(cards: tuple[int, ...]) -> None:
    assert pynauty.certificate(graph(cards)) == pynauty.certificate(graph(canonical_form(cards)))


@pytest.mark.parametrize("size", [4, 5, 6, 7, 8, 9, 10, 11, 12, 17, 18])
def test_classes_have_different_certificates_and_the_right_stabilizers(catalogue: Catalogue, size: int) -> None:
    """For lists of one size the colours have the same sizes, so certificates identify the graph."""
    classes = catalogue.level(size).classes
    assert len({pynauty.certificate(graph(list_class.cards)) for list_class in classes}) == len(classes)
    assert [group_order(list_class.cards) for list_class in classes] == [
        list_class.stabilizer for list_class in classes
    ]
