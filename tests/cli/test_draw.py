"""`setset draw` as a user meets it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Refuse
from tests.conftest import Run


def test_draw_writes_the_picture_and_says_so(run: Run, tmp_path: Path) -> None:
    for kind in ("svg", "png"):
        path = tmp_path / f"table.{kind}"
        code, out, _ = run("draw", "--deal", "12", "--seed", "7", "--sets", "-o", str(path))
        assert code == 0
        assert out == f"{path}: 12 cards, 3 sets outlined\n"
        assert path.stat().st_size > 1000
    assert sorted(picture.name for picture in tmp_path.iterdir()) == ["table.png", "table.svg"]


def test_draw_without_a_file_prints_the_cards(run: Run) -> None:
    assert run("draw", "0", "80")[1] == " 0  r1fd  red one solid diamond\n80  p3eo  purple three open oval\n"


def test_a_picture_that_cannot_be_written_is_one_line(run: Run, tmp_path: Path) -> None:
    code, _, err = run("draw", "0", "-o", str(tmp_path / "missing" / "x.svg"))
    assert code == 1
    assert err.count("\n") == 1
    assert "cannot write" in err


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["draw"], "no cards: give numbers"),
        (["draw", "0", "-o", "x.jpg"], "must end in .svg or .png"),
        (["draw", "0", "--columns", "2"], "--columns needs a picture file"),
    ],
)
def test_bad_input_is_one_clear_line(refuse: Refuse, arguments: list[str], complaint: str) -> None:
    refuse(arguments, complaint)


def test_a_scale_out_of_range_is_refused(run: Run) -> None:
    code, out, err = run("draw", "0", "--scale", "0")
    assert (code, out) == (2, "")
    assert "Traceback" not in err
