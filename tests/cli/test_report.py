"""`setset report`: one page that needs nothing else, and says what the workspace says."""

from __future__ import annotations

import hashlib
import html
import json
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest

import setset
from tests.conftest import Run
from tests.small import change

OUTSIDE = re.compile(
    r"""(src|href|action|data)\s*=\s*["']?(?!#)|@import|url\((?!#)|<script|<link|<iframe|javascript:"""
)


class Page(HTMLParser):
    """The text of a page, and whether each tag is closed."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.texts: list[str] = []
        self.open: list[str] = []
        self.handlers: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handlers += [name for name, _ in attrs if name.startswith("on")]
        if tag not in ("meta", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


@pytest.fixture
def report(run: Run, workspace: Path, nowhere: Path) -> tuple[str, dict[str, object]]:
    """The page and the data of the workspace that is not changed."""
    code, out, err = run("report", "-w", str(workspace), "--json")
    assert (code, err) == (0, "")
    assert [line.split(":")[0] for line in out.splitlines()] == ["report.html", "report.json"]
    return (nowhere / "report.html").read_text(), json.loads((nowhere / "report.json").read_text())


def test_the_page_stands_alone(report: tuple[str, dict[str, object]]) -> None:
    page, _ = report
    assert len(page.encode()) < 1_000_000
    assert not OUTSIDE.search(page)
    parsed = Page(page)
    assert (parsed.open, parsed.handlers) == ([], [])
    assert page.count("<svg") == page.count("<figure>") == 5
    assert '<th class="n">lists</th>' in page  # above numbers
    names = re.findall(r'\bid="([^"]+)"', page)
    assert len(names) == len(set(names))


def test_it_says_what_the_workspace_says(report: tuple[str, dict[str, object]], workspace: Path) -> None:
    page, data = report
    text = "|".join(Page(page).texts)
    with setset.open(workspace) as opened:
        for count in opened.counts():
            assert f"{count.lists:,}|stored|OK|a published or independent count" in text.replace("\n", "")
        for run in opened.runs():
            assert run.command in text
            assert run.started_at in text
        for size in opened.exploration(12):
            digests = opened.sql(f"SELECT digest FROM files WHERE target = 12 AND size = {size.size}")
            digest = hashlib.sha256("".join(f"{row['digest']}\n" for row in digests).encode()).hexdigest()
            assert digest in text
    assert "setset run --target 12 --size 5 --batch-lists 16000000" in text
    assert "No known defects" in text
    assert data["reproduce"] == [
        f"pip install setset=={setset.__version__}",
        "setset run --target 12 --size 5 --batch-lists 16000000",
        "setset check --deep",
        "setset count",
    ]


def test_the_same_workspace_gives_the_same_page_but_for_the_date(
    report: tuple[str, dict[str, object]], run: Run, workspace: Path, tmp_path: Path
) -> None:
    path = tmp_path / "again.html"
    assert run("report", "-w", str(workspace), "-o", str(path))[0] == 0
    lines, new_lines = report[0].splitlines(), path.read_text().splitlines()
    assert len(lines) == len(new_lines)
    assert all(
        line == new_line or line.startswith("<p>Made 2") for line, new_line in zip(lines, new_lines, strict=True)
    )


def test_what_comes_from_the_database_is_escaped_and_defects_are_told(
    run: Run, own_workspace: Path, nowhere: Path
) -> None:
    evil = "<script>alert(1)</script>&\x1b[31m"
    change(
        own_workspace,
        f"UPDATE runs SET command = '{evil}', host = '<b>host</b>'",
        "UPDATE expansions SET host = '<b>host</b>'",
        f"UPDATE batches SET defect = '{evil}' WHERE size = 5 AND number = 0",
    )
    assert run("report", "-w", str(own_workspace))[0] == 0
    page = (nowhere / "report.html").read_text()
    assert not OUTSIDE.search(page)
    assert "\x1b" not in page
    assert "<b>" not in page
    assert html.escape("<script>alert(1)</script>&\\x1b[31m") in page
    assert 'class="defective"' in page
    Page(page)


def test_an_empty_workspace_has_a_report_too(run: Run, nowhere: Path) -> None:
    from setset.database import schema

    schema.create(nowhere / "setset.db")
    assert run("report", "-w", ".")[0] == 0
    assert "Nothing yet." in (nowhere / "report.html").read_text()
    code, _, err = run("report", "-w", "missing", "--force")
    assert code == 10
    assert "no workspace at missing" in err
    code, _, err = run("report", "-w", ".", "--json", "-o", "x.json")
    assert code == 2
    assert "does not end in .json" in err


def test_without_the_extra_the_figures_are_left_out(workspace: Path, nowhere: Path) -> None:
    program = "import sys; sys.modules['altair'] = None; from setset.cli import main; main()"
    words = [sys.executable, "-c", program, "report", "-w", str(workspace)]
    result = subprocess.run(words, capture_output=True, text=True, check=False, cwd=nowhere)
    assert (result.returncode, result.stderr) == (0, "")
    page = (nowhere / "report.html").read_text()
    assert "<svg" not in page
    assert html.escape("pip install 'setset[plot]'") in page
    assert "13,394,538" in page


@pytest.mark.posix("needs /dev/full")
def test_a_full_disk_is_exit_code_12(run: Run, workspace: Path) -> None:
    code, out, err = run("report", "-o", "/dev/full", "-w", str(workspace))
    assert (code, out) == (12, "")
    assert err == "setset: cannot write /dev/full: No space left on device\n"
