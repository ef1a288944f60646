"""Objects shown in notebooks, and the notebooks of docs/notebooks, run cell by cell as Jupyter would."""

from __future__ import annotations

import ast
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any
from xml.etree import ElementTree

import pytest

import setset
from setset.symmetry import Catalogue

NOTEBOOKS = Path(__file__).parents[2] / "docs" / "notebooks"


class Closed(HTMLParser):
    """Fails if a tag is not closed."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.texts: list[str] = []
        self.feed(page)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, _: list[tuple[str, str | None]]) -> None:
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data.strip())


def shown(value: Any) -> str:
    """The text that a notebook shows for a value."""
    return "|".join(filter(None, Closed(value._repr_html_()).texts))


def test_a_workspace_and_what_is_in_it(reference: Path) -> None:
    with setset.open(reference) as workspace:
        exploration = workspace.exploration(16)
        size = exploration[5]
        assert f"{size.lists:,}" in shown(workspace)
        assert "complete" in shown(workspace)
        counts = workspace.counts()
        assert shown(counts).count("complete") == len(counts) == 3
        assert "lists of 5 with 11 or more cards remaining|9,396,567|stored" in shown(counts)
        assert shown(counts) in shown(exploration)
        assert "lists of 4 with 12" not in shown(counts[-1])
        assert f"{size.lists:,} lists of 5 cards for target 16, complete" in shown(size)
        assert " ".join(map(str, size[4])) in shown(size)
        assert f"5 of {size.lists:,}" in shown(size)


def test_classes_and_hands(catalogue: Catalogue) -> None:
    list_class = catalogue.get(5, 2)
    assert "Class 5/2|" in shown(list_class)
    assert list_class._repr_html_().count('class="card"') == 5
    assert "16,376,256" in shown(list_class)
    classification = setset.classify([80, 3, 14])
    assert "class 3/0" in shown(classification)
    assert classification._repr_html_().count('class="card"') == 3
    assert "20 of 33" in shown(catalogue.level(8))
    assert shown(setset.classify([])).startswith("no cards without a set")


def test_a_game_does_not_give_its_sets_away() -> None:
    game = setset.new_game(setset.deal(81, seed=7))
    assert "round 1: 12 cards on the table, 69 in the deck" in shown(game)
    assert 'class="set"' not in game._repr_html_()


def test_a_hand_is_a_picture() -> None:
    cards = setset.deal(12, seed=7)
    picture = ElementTree.fromstring(setset.draw(cards, with_sets=True)._repr_svg_())
    kinds = [element.get("class") for element in picture]
    assert (kinds.count("card"), kinds.count("set")) == (12, len(setset.find_sets(cards)))
    with pytest.raises(setset.BadInput):
        setset.draw([81])


def test_hands_that_are_dealt_or_looked_up_are_pictures() -> None:
    for hand in (setset.deal(12, seed=7), setset.unrank(12, 5), setset.lists(12)[5]):
        assert isinstance(hand, tuple)
        assert hand._repr_html_().count('class="card"') == 12  # type: ignore[attr-defined]
        assert " ".join(map(str, hand)) in shown(hand)
    assert shown(setset.deal(0)) == "no cards"


def test_progress_is_bars_in_a_notebook_and_lines_elsewhere(
    reference: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """With a stand-in for IPython, which the tests do not install."""
    pages: list[str] = []
    display = ModuleType("IPython.display")
    display.HTML = str  # type: ignore[attr-defined]
    display.display = lambda page, **_: pages.append(page) or SimpleNamespace(update=pages.append)  # type: ignore[attr-defined]
    notebook = SimpleNamespace(get_ipython=lambda: SimpleNamespace(kernel="a kernel"))
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    with setset.open(reference) as workspace:
        assert list(workspace.check(size=5, progress=setset.ProgressBars())) == []
        assert capsys.readouterr().err.startswith("check 5: ")
        monkeypatch.setitem(sys.modules, "IPython", notebook)
        assert list(workspace.check(progress=setset.ProgressBars())) == []
    assert capsys.readouterr().err == ""
    assert pages[-1].count('<progress value="1.000">') == 3
    assert "check 5" in "|".join(Closed(pages[-1]).texts)


def test_records_come_without_what_shows_them() -> None:
    check = (
        "import sys, setset; setset.Workspace, setset.ListClass, setset.Game\n"
        "assert not [name for name in sys.modules if name.startswith('setset.show')]"
    )
    subprocess.run([sys.executable, "-c", check], check=True)


def cells(path: Path) -> list[str]:
    """The code cells of a notebook in the percent format."""
    parts = path.read_text(encoding="utf-8").split("\n# %%")
    return [part for part in parts[1:] if not part.startswith(" [markdown]")]


def run_cell(source: str, names: dict[str, Any]) -> Any:
    """Runs a cell; the value of its last line if that is an expression."""
    tree = ast.parse(source)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "<cell>", "exec"), names)
    return eval(compile(ast.Expression(last.value), "<cell>", "eval"), names) if last else None


@pytest.mark.parametrize(("name", "pictures"), [("players", 6), ("researchers", 8)])
def test_a_notebook_runs(name: str, pictures: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    displayed = 0
    for source in cells(NOTEBOOKS / f"{name}.py"):
        value = run_cell(source, names)
        for method in ("_repr_html_", "_repr_svg_", "to_dict"):
            if hasattr(value, method):
                assert getattr(value, method)()
                displayed += 1
                break
    assert displayed == pictures
