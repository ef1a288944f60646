"""`setset members` as a user meets it."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from setset.symmetry import Catalogue, canonical_form
from tests.cli.conftest import Refuse
from tests.conftest import Run


def test_members(run: Run, catalogue: Catalogue) -> None:
    def of(*arguments: str) -> list[tuple[int, ...]]:
        return [tuple(map(int, line.split())) for line in run("members", *arguments)[1].splitlines()]

    members = of("--class", "4/0", "--all")
    assert len(set(members)) == len(members) == catalogue.get(4, 0).lists == 63_180
    assert all(canonical_form(cards) == (0, 1, 3, 4) for cards in members[::997])
    assert of("--class", "4/0") == members[:10]
    # 54 lists a plane: the parts that come together end at other places than the limit
    assert of("--class", "4/0", "--start", "50", "--limit", "9000") == members[50:9050]
    assert of("--class", "4/0", "--start", "63179") == members[-1:]
    assert of("--class", "4/0", "--limit", "0") == []
    assert json.loads(run("members", "--class", "20/0", "--limit", "1", "--json")[1])[:5] == [0, 1, 3, 4, 9]


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["members", "--class", "12/1437"], "no class 12/1437: the classes of size 12 are 0 to 1436"),
        (["members", "--class", "21/0"], "there are lists of 0 to 20 cards, not of 21"),
        (["members", "--class", "12/-1"], "no class 12/-1"),
        (["members", "--class", "twelve"], "not a class: 'twelve' (give its size and number, such as 12/700)"),
        (["members", "--class", "a/b"], "not a class: 'a/b'"),
        (["members", "--class", "3/0", "--start", "84240"], "the ranks in class 3/0 are 0 to 84239"),
        (["members", "--class", "3/0", "--start", "-1"], "no list of rank -1"),
    ],
)
def test_bad_input_is_one_clear_line(refuse: Refuse, arguments: list[str], complaint: str) -> None:
    refuse(arguments, complaint)


@pytest.mark.posix("needs a shell")
def test_a_closed_pipe_is_no_error() -> None:
    result = subprocess.run(
        f"{sys.executable} -m setset members --class 12/700 --all | head -n 2",
        shell=True,
        capture_output=True,
        text=True,
        check=True,
    )
    assert result.stdout.count("\n") == 2
    assert result.stderr == ""
