"""The geometry of the cards: numbers of frames and maps."""

from __future__ import annotations

from setset.symmetry import GROUP_ORDER
from setset.symmetry.geometry import count_frames, pointwise_stabilizer_order


def test_the_group_has_the_order_that_the_issue_states() -> None:
    assert GROUP_ORDER == 81 * 80 * 78 * 72 * 54 == 1_965_150_720
    assert count_frames(3) == 27 * 26 * 24 * 18
    assert [pointwise_stabilizer_order(k) for k in (4, 3, 2)] == [1, 54, 72 * 54]
