"""Caps of several dimensions, against slow twins and published ones."""

from __future__ import annotations

from itertools import combinations, product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import setset
from tests.conftest import Run

CAP_512 = Path(__file__).with_name("data") / "funsearch_512.txt"


def on_line(a: tuple[int, ...], b: tuple[int, ...], c: tuple[int, ...]) -> bool:
    return all(sum(digits) % 3 == 0 for digits in zip(a, b, c, strict=True))


@given(st.integers(1, 3).flatmap(lambda n: st.lists(st.tuples(*[st.integers(0, 2)] * n), unique=True, max_size=12)))
def test_against_every_triple(points: list[tuple[int, ...]]) -> None:
    dimension = len(points[0]) if points else 1
    verification = setset.verify(points, dimension)
    assert verification.cap == (not any(on_line(*triple) for triple in combinations(points, 3)))
    if verification.line is not None:
        assert on_line(*verification.line)
        assert set(verification.line) <= set(points)
        return
    free = [
        point
        for point in product(range(3), repeat=dimension)
        if point not in points and not any(on_line(*pair, point) for pair in combinations(points, 2))
    ]
    assert verification.extensions == len(free)


def test_the_cap_of_512_points_in_dimension_8() -> None:
    verification = setset.verify(setset.read_points(CAP_512))
    assert (
        verification.points,
        verification.dimension,
        verification.spans,
        verification.cap,
        verification.complete,
    ) == (512, 8, 8, True, True)


def test_a_product_of_caps_in_dimension_10() -> None:
    square = np.array(list(product((0, 1), repeat=2)))
    points = [np.concatenate(pair) for pair in product(setset.read_points(CAP_512), square)]
    verification = setset.verify(points)
    assert (verification.points, verification.dimension, verification.cap, verification.complete) == (
        2048,
        10,
        True,
        True,
    )


def test_a_line_among_512_points_is_found() -> None:
    points = setset.read_points(CAP_512)
    points[100] = -(points[0] + points[1]) % 3
    verification = setset.verify(points)
    assert verification.line is not None
    assert on_line(*verification.line)


@pytest.mark.parametrize(("dimension", "cards"), [(1, [0, 1]), (2, [0, 1, 3, 4]), (3, (9, 14)), (4, (20, 0))])
def test_largest_caps_and_their_symmetries(dimension: int, cards: list[int] | tuple[int, int]) -> None:
    """The group of the space, divided by the number of such caps, is what keeps one: 3, 54, 2,106 and 682,344."""
    given_cards = setset.catalogue_in_memory().get(*cards).cards if isinstance(cards, tuple) else cards
    verification = setset.verify(given_cards, dimension)
    assert verification.complete
    assert verification.points == setset.LARGEST_CAPS[dimension]
    order = {1: 6, 2: 432, 3: 303_264, 4: setset.GROUP_ORDER}[dimension]
    assert order // (verification.symmetries or 1) == {1: 3, 2: 54, 3: 2106, 4: 682_344}[dimension]


def test_the_command(run: Run, tmp_path: Path) -> None:
    code, out, err = run("verify", str(CAP_512))
    assert (code, err) == (0, "")
    assert "512 points in dimension 8" in out
    assert "complete      yes" in out
    (tmp_path / "cards.txt").write_text("0 1 2 40\n")
    code, out, _ = run("verify", str(tmp_path / "cards.txt"), "--integers", "--dimension", "4", "--json")
    assert code == 1
    assert '"cap": false' in out
    code, out, _ = run("verify", str(tmp_path / "cards.txt"), "--integers", "--dimension", "4")
    assert code == 1
    assert "no, on a line: 0000  0001  0002" in out
    (tmp_path / "nine.txt").write_text("000000000\n000000001\n")
    assert "not known in dimension 9" in run("verify", str(tmp_path / "nine.txt"))[1]
    code, out, err = run("verify", str(tmp_path / "cards.txt"))
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert run("verify", str(tmp_path / "none.txt"))[0] == 2
