"""Picture files: written whole or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from setset.errors import BadInput
from setset.show.hands import draw_cards


def test_a_failed_drawing_leaves_the_old_picture(tmp_path: Path) -> None:
    path = tmp_path / "cards.png"
    draw_cards((1, 2), path)
    before = path.read_bytes()
    with pytest.raises(BadInput):
        draw_cards((1, 1), path)
    with pytest.raises(BadInput):
        draw_cards((), path)
    with pytest.raises(BadInput):
        draw_cards((1, 2), path, columns=0)
    assert path.read_bytes() == before
    assert [picture.name for picture in tmp_path.iterdir()] == ["cards.png"]
