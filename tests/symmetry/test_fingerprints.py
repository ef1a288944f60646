from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from setset.symmetry import AffineMap, Catalogue
from setset.symmetry.fingerprints import fingerprint_deletions, fingerprint_extensions, fingerprint_rows
from tests.symmetry import naive
from tests.symmetry.strategies import examples, lists, maps


@given(lists(least=2), maps())
@examples()
def test_a_map_does_not_change_the_fingerprint(cards: tuple[int, ...], g: AffineMap) -> None:
    both = np.array([cards, g.on(cards)], np.uint8)
    one, other = fingerprint_rows(both).tolist()
    assert one == other
    shorter = np.sort(fingerprint_deletions(both), axis=1)
    assert np.array_equal(shorter[0], shorter[1])
    if len(cards) < 20:
        longer = fingerprint_extensions(both)
        assert np.flatnonzero(longer[0]).tolist() == naive.extensions(cards)
        for card in naive.extensions(cards):
            grown = np.array([sorted((*cards, card))], np.uint8)
            assert fingerprint_rows(grown)[0] == longer[0, card]


@pytest.mark.parametrize("size", [4, 6, 8, 9, 10])
def test_fingerprints_tell_apart_what_writing_it_all_out_tells_apart(catalogue: Catalogue, size: int) -> None:
    forms = [each.cards for each in catalogue.level(size).classes]
    short = fingerprint_rows(np.array(forms, np.uint8)).tolist()
    full = [str(naive.fingerprint(cards)) for cards in forms]
    assert len(set(zip(short, full, strict=True))) == len(set(short)) == len(set(full))
