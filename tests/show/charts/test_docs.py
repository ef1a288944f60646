"""docs/plot.md: its pictures say what the commands draw now. Its examples: tests/test_documents.py."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.conftest import Run
from tools.plots import PAGE, commands

ROOT = Path(__file__).parents[3]
COMMANDS = commands(ROOT)


def test_each_picture_is_on_the_page_and_small() -> None:
    page = (ROOT / PAGE).read_text()
    pictures = {path.name for path in (ROOT / "docs" / "plots").iterdir()}
    assert pictures == {Path(words[-1]).name for words in COMMANDS}
    for name in pictures:
        assert f"(plots/{name})" in page
        assert (ROOT / "docs" / "plots" / name).stat().st_size < 100_000


@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: words[1])
def test_a_picture_is_what_the_command_draws(
    words: list[str], run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By its text: other versions of the renderer may place it otherwise."""
    monkeypatch.chdir(tmp_path)
    assert run(*words[:-1], "now.svg")[0] == 0
    drawn, expected = (
        list(ElementTree.parse(path).getroot().itertext()) for path in (tmp_path / "now.svg", ROOT / words[-1])
    )
    assert drawn == expected
    assert len(drawn) > 10
