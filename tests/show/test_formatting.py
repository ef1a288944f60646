"""Text that reaches a terminal."""

from __future__ import annotations

import pytest

from setset.show.formatting import printable


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("0000001-000.setset", "0000001-000.setset"),
        ("größer, 集合", "größer, 集合"),
        ("\x1b[2J\x1b]0;owned\x07", "\\x1b[2J\\x1b]0;owned\\x07"),
        ("one\ntwo\r", "one\\ntwo\\r"),
        ("\u202egnp.exe", "\\u202egnp.exe"),
        ("\x9b31m", "\\x9b31m"),
        ("\udcff", "\\udcff"),
    ],
)
def test_what_a_terminal_would_obey_is_shown_instead(text: str, shown: str) -> None:
    assert printable(text) == shown
