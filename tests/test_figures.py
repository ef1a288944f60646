"""Figures of docs/performance.md and docs/reliability.md: tools write them between markers, and compare."""

from __future__ import annotations

import re
from pathlib import Path
from types import ModuleType

import pytest

pytestmark = pytest.mark.posix("the tools are for POSIX")
TOOLS = Path(__file__).parents[1] / "tools"
EMPTY = "# Page\n\n<!-- files: written by tools/bench -->\n\nNot measured yet.\n\n<!-- end of files -->\n\nMore.\n"


@pytest.fixture
def tool(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(TOOLS)
    import sections

    return sections


def test_a_section_is_replaced_and_read_again(tool: ModuleType, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(EMPTY, encoding="utf-8")
    assert tool.read_section(page, "files") == []
    for value in (1234, 5678):
        tool.write_section(page, "files", "tools/bench files", [{"figure": "one", "value": value}])
    assert tool.read_section(page, "files") == [{"figure": "one", "value": "5,678"}]
    text = page.read_text(encoding="utf-8")
    begin = re.escape("# Page\n\n<!-- files: written by tools/bench -->\n\n`tools/bench files`, commit ")
    assert re.match(rf"{begin}[0-9a-f]{{7,}}( with changes)?, \d{{4}}-\d\d-\d\d, .+ cores, .+ Python [\d.]+:\n", text)
    assert text.endswith("\n\n| figure | value |\n| --- | --- |\n| one | 5,678 |\n\n<!-- end of files -->\n\nMore.\n")
    with pytest.raises(SystemExit, match="no section '<!-- runs"):
        tool.read_section(page, "runs")


@pytest.mark.usefixtures("tool")
def test_a_figure_that_fell_by_more_than_a_tenth_is_named() -> None:
    from bench_figures import Figure, fallen

    figures = [
        Figure("rate", 89, "M lists/s"),
        Figure("ratio", 0.95, "x"),
        Figure("time", 1.2, "s"),
        Figure("less memory", 50, "MB"),
        Figure("new", 1, "x"),
    ]
    names = ("rate", "ratio", "time", "less memory")
    before = [{"figure": name, "value": "100.0" if name in ("rate", "less memory") else "1.000"} for name in names]
    assert fallen(figures, before) == [
        "WORSE: rate: 89.0 M lists/s, 100 before (11%)",
        "WORSE: time: 1.200 s, 1 before (20%)",
    ]


def test_the_pages_have_a_section_for_every_tool(tool: ModuleType) -> None:
    import bench

    for part in (*bench.PARTS, *bench.IF_NAMED):
        tool.read_section(tool.PERFORMANCE, part)
        assert (TOOLS / f"bench_{part}.py").exists()
    headings = re.findall(r"<!-- (.+): written by", tool.RELIABILITY.read_text(encoding="utf-8"))
    sources = "".join(
        (TOOLS / f"{name}.py").read_text("utf-8") for name in ("chaos", "chaos_single", "mutations", "powercut")
    )
    assert headings
    assert [name for name in headings if f'"{name}"' not in sources] == []
