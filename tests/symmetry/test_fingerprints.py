from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from setset.symmetry import AffineMap, Catalogue
from setset.symmetry.fingerprints import fingerprint_rows
from tests.symmetry import naive
from tests.symmetry.strategies import examples, lists, maps


@given(lists(least=2), maps())
@examples()
def test_a_map_does_not_change_the_fingerprint(cards: tuple[int, ...], g: AffineMap) -> None:
    hands = np.array([cards, g.on(cards)], np.uint8)
    first, second = fingerprint_rows(hands).tolist()
    assert first == second


@pytest.mark.parametrize("size", [4, 6, 8, 9, 10])
def test_fingerprints_tell_apart_what_writing_it_all_out_tells_apart(catalogue: Catalogue, size: int) -> None:
    forms = [list_class.cards for list_class in catalogue.level(size).classes]
    short = fingerprint_rows(np.array(forms, np.uint8)).tolist()
    full = [str(naive.fingerprint(cards)) for cards in forms]
    assert len(set(zip(short, full, strict=True))) == len(set(short)) == len(set(full))
