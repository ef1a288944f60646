"""The records of the catalogue."""

from __future__ import annotations

import json
from fractions import Fraction
from math import comb

import xxhash

from setset.symmetry import Catalogue, Link, Links, Totals


def test_totals_are_the_sums_over_a_level(catalogue: Catalogue) -> None:
    level = catalogue.level(16)
    totals = Totals.of(level, game_classes=36_808_384)
    assert totals == Totals(16, 748, len(level.links), 1_141_342_138_404, 74, 76_932_580_140, 36_808_384)
    assert totals.hands == comb(81, 16)
    assert totals.chance == Fraction(1_141_342_138_404, comb(81, 16))


def test_a_class_is_named_by_size_and_number(catalogue: Catalogue) -> None:
    list_class = catalogue.get(12, 700)
    assert str(list_class) == "12/700"
    assert not list_class.complete
    assert catalogue.get(20, 0).complete


def test_links_are_a_sequence(catalogue: Catalogue) -> None:
    links = catalogue.level(5).links
    assert len(links) == len(list(links)) > 3
    assert links[0] == next(iter(links)) == Link(*links.rows[0])
    assert links[-1] == list(links)[-1]
    assert list(links[1:3]) == list(links)[1:3]
    assert links[:] == links == Links(list(links))
    assert hash(links[:]) == hash(links)
    assert links != links[1:]
    assert links != list(links)


def test_the_digest_is_that_of_the_records_as_json(catalogue: Catalogue) -> None:
    level = catalogue.level(9)
    records = [(list_class.cards, list_class.stabilizer, list_class.extensions) for list_class in level.classes]
    assert level.digest == xxhash.xxh3_128_hexdigest(json.dumps([9, records, list(level.links)]).encode())
