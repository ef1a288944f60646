"""The documentation site that `tools/docs` builds: whole, offline, and in agreement with the program."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

import setset
from setset.cli.groups import COMMANDS
from tests.commands import SUBCOMMANDS
from tests.conftest import Run
from tests.documents import PAGES, ROOT

pytestmark = pytest.mark.docs
pytest.importorskip("sphinx", reason="needs setset[docs]")

REQUESTS = {"script": "src", "img": "src", "link": "href", "iframe": "src", "source": "src", "object": "data"}
"""Attributes that make a browser load something without a click."""


class Page(HTMLParser):
    """Requests, links, anchors and text of a page."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.requests: list[str] = []
        self.links: list[str] = []
        self.places: set[str] = set()
        self.said = ""
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        self.places.add(values.get("id", ""))
        if tag == "a" and "href" in values:
            self.links.append(values["href"])
        if REQUESTS.get(tag, "") in values:
            self.requests.append(values[REQUESTS[tag]])

    def handle_data(self, data: str) -> None:
        self.said += data


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site") / "pages"
    result = subprocess.run(
        [sys.executable, str(ROOT / "tools" / "docs.py"), str(folder)], capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stderr
    assert "pages" in result.stdout
    return folder


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[Path, Page]:
    return {path: Page(path) for path in site.rglob("*.html")}


def test_every_page_is_there(site: Path) -> None:
    for page in PAGES:
        assert (site / page.relative_to(ROOT).with_suffix(".html")).is_file()
    assert (site / "index.html").is_file()


def test_nothing_is_asked_from_another_host(site: Path, pages: dict[Path, Page]) -> None:
    for path, page in pages.items():
        assert page.requests or path == site / "index.html"
        for address in page.requests:
            assert not urlsplit(address).netloc, f"{path}: {address}"
    for path in [*site.rglob("*.css"), *site.rglob("*.js"), *site.rglob("*.html")]:
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"(?:url\(|@import|fetch\(|import\()\s*[\"']?(?:https?:)?//", text), path
        assert not re.search(r"//(?:[\w-]+\.)*(?:unpkg|jsdelivr|cdnjs|googleapis|gstatic)\.", text), path


def test_every_link_leads_somewhere(site: Path, pages: dict[Path, Page]) -> None:
    checked = 0
    for path, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or link == "#":
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            assert target.is_file(), f"{path.relative_to(site)}: {link}"
            if parts.fragment and target in pages:
                assert unquote(parts.fragment) in pages[target].places, f"{path.relative_to(site)}: {link}"
            checked += 1
    assert checked > 1000


def test_the_reference_says_what_help_says(
    site: Path, pages: dict[Path, Page], run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    for command in ["", *COMMANDS, *SUBCOMMANDS]:
        words = command.split()
        text = pages[site / "docs" / "commands" / f"{(words or ['index'])[0]}.html"].said
        assert run(*words, "--help")[1].partition("setset")[2] in text  # before it: how pytest was called


def test_the_api_has_every_public_name(pages: dict[Path, Page], site: Path) -> None:
    anchors = pages[site / "docs" / "api.html"].places
    names = [name for name in setset.__all__ if not inspect.ismodule(getattr(setset, name))]
    assert len(names) > 50
    assert {f"setset.{name}" for name in names} <= anchors
    assert {f"setset.show.charts.{name}" for name in setset.charts.__all__} <= anchors


def test_a_folder_with_other_files_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "letter").write_text("dear")
    result = subprocess.run(
        [sys.executable, str(ROOT / "tools" / "docs.py"), str(tmp_path)], capture_output=True, text=True, check=False
    )
    assert result.returncode == 2
    assert "name another folder" in result.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["letter"]
