"""The outlines of diamonds, squiggles and ovals."""

from __future__ import annotations

import numpy as np

from setset.show.cards.shapes import HEIGHT, WIDTH, distance, path


def test_the_shapes_keep_to_their_box_and_differ() -> None:
    x, y = np.meshgrid(np.linspace(-WIDTH, WIDTH, 200), np.linspace(-HEIGHT, HEIGHT, 410))
    distances = [distance(shape, x, y) for shape in range(3)]
    inside = [far < 0 for far in distances]
    for far, area in zip(distances, inside, strict=True):
        assert area.any()
        assert not area[(np.abs(x) > WIDTH / 2 + 0.5) | (np.abs(y) > HEIGHT / 2 + 0.5)].any()
        np.testing.assert_allclose(far, far[::-1, ::-1], atol=1e-9)  # each is symmetric about its middle
    for a, b in ((0, 1), (0, 2), (1, 2)):
        assert (inside[a] != inside[b]).mean() > 0.01
    np.testing.assert_allclose(distances[0], distances[0][:, ::-1], atol=1e-9)
    assert (inside[1] != inside[1][:, ::-1]).any(), "a squiggle has a left and a right"
    assert path(0).startswith("M0,-34 C")


def test_distance_to_a_pill_is_what_geometry_says() -> None:
    x, y = np.array([0.0, 0.0, WIDTH]), np.array([0.0, -HEIGHT / 2 - 5, 0.0])
    np.testing.assert_allclose(distance(2, x, y), [-WIDTH / 2, 5, WIDTH / 2], atol=0.05)
