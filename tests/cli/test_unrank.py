"""`setset unrank` as a user meets it; tests/cli/test_rank.py goes there and back."""

from __future__ import annotations

import pytest

from tests.cli.conftest import Refuse


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["unrank", "--size", "20", "682344"], "no list of rank 682344: the ranks in size 20 are 0 to 682343"),
        (["unrank", "--size", "20", "-1"], "no list of rank -1"),
        (["unrank", "--size", "20", "first"], "not a rank: 'first'"),
        (["unrank", "--size", "21", "0"], "there are lists of 0 to 20 cards, not of 21"),
    ],
)
def test_bad_input_is_one_clear_line(refuse: Refuse, arguments: list[str], complaint: str) -> None:
    refuse(arguments, complaint)
