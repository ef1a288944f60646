"""docs/json.md: the fields that each command's `--json` prints, and integers that every reader takes as they are."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Run

PAGE = Path(__file__).parents[2] / "docs" / "json.md"
ROWS = re.findall(r"^\| `(.+?)` \| (.+?) \| (.+?) \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
MOST_EXACT = 2**53 - 1


def integers(value: Any) -> list[int]:
    """All integers, wherever they are in a value."""
    if isinstance(value, dict):
        return [number for element in value.values() for number in integers(element)]
    if isinstance(value, list):
        return [number for element in value for number in integers(element)]
    return [value] if isinstance(value, int) else []


@pytest.mark.parametrize(("command", "shape", "fields"), ROWS, ids=[row[0] for row in ROWS])
def test_the_fields_are_those_of_the_page(
    run: Run, workspace: Path, monkeypatch: pytest.MonkeyPatch, command: str, shape: str, fields: str
) -> None:
    if command.startswith("sat"):
        pytest.importorskip("pysat")
    monkeypatch.setenv("SETSET_WORKSPACE", str(workspace))
    Path("hands").write_text("80 3 14\n", encoding="utf-8")
    out = run(*command.split(), "--json")[1]
    data = [json.loads(line) for line in out.splitlines()] if shape == "JSON lines" else json.loads(out)
    assert isinstance(data, dict) == (shape == "an object")
    for record in [data] if isinstance(data, dict) else data:
        assert list(record) == re.findall(r"`(\w+)`", fields)
    assert data
    assert all(abs(number) <= MOST_EXACT for number in integers(data))


def test_larger_integers_are_strings(run: Run) -> None:
    (twenty,) = json.loads(run("classes", "--size", "20", "--json")[1])
    assert twenty["hands"] == "4694436188839116720"
    assert json.loads(run("deal", "--seed", str(MOST_EXACT), "--json")[1])["seed"] == MOST_EXACT
    assert json.loads(run("deal", "--seed", str(MOST_EXACT + 1), "--json")[1])["seed"] == str(MOST_EXACT + 1)


def test_the_page_has_every_command_that_prints_json() -> None:
    text = PAGE.read_text(encoding="utf-8")
    folder = PAGE.parents[1] / "setset" / "cli"
    commands = [
        path.stem
        for path in folder.glob("*.py")
        if path.stem != "options" and "as_json" in path.read_text(encoding="utf-8")
    ]
    assert len(commands) > 20
    assert [command for command in commands if f"`{command}" not in text] == []
