"""Charts as files: each kind is read again, and is the same bytes each time."""

from __future__ import annotations

import csv
import io
import json
import re
import struct
import subprocess
import sys
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import setset
from setset.show.charts import as_bytes, read_rows, save
from setset.show.charts.rendering import KINDS
from tests.show.charts.bench import BENCH

HISTOGRAMS = setset.Statistics(
    4,
    9,
    "all lists of 4 cards",
    (
        setset.Bin(setset.By.REMAINING, 5, None, 9),
        setset.Bin(setset.By.FEATURE, "red", 1, 4),
        setset.Bin(setset.By.FEATURE, "red", 2, 5),
        setset.Bin(setset.By.CLASS, "4/1", None, 9),
    ),
)
MAKE: dict[str, Callable[[setset.Workspace], Any]] = {
    "counts": lambda workspace: setset.charts.counts(workspace),
    "odds": lambda _: setset.charts.odds(),
    "hands": lambda _: setset.charts.hands(15),
    "rounds": lambda _: setset.charts.rounds(games=1000),
    "stabilizers": lambda _: setset.charts.stabilizers(),
    "neighbours": lambda _: setset.charts.neighbours(18, 3),
    "lattice": lambda _: setset.charts.lattice(18, 20),
    "cap": lambda _: setset.charts.cap([0, 1, 3, 9]),
    "throughput": lambda workspace: setset.charts.throughput(workspace),
    "rates": lambda workspace: setset.charts.rates(workspace),
    "gantt": lambda workspace: setset.charts.gantt(workspace),
    "bytes": lambda workspace: setset.charts.bytes(workspace, 16),
    "speed": lambda _: setset.charts.speed(BENCH),
    "statistics": lambda _: setset.charts.statistics(HISTOGRAMS),
}


class Tags(HTMLParser):
    """The tags of a page with the names of their attributes; what is inside a script is none."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, set[str]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, {name for name, _ in attrs}))


def test_every_chart_is_tried() -> None:
    assert {*MAKE, "as_bytes", "read_rows", "save"} == set(setset.charts.__all__)


@pytest.mark.parametrize("name", MAKE)
def test_a_picture_has_the_title_and_the_source_and_is_the_same_each_time(name: str, opened: setset.Workspace) -> None:
    chart = MAKE[name](opened)
    picture = as_bytes(chart, "svg")
    root = ElementTree.fromstring(picture)
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert 200 < float(root.attrib["width"]) < 620
    text = " ".join(root.itertext())
    for line in [*chart.title.text, *chart.title.subtitle]:
        assert line in text
    assert f"setset {setset.__version__}" in text
    assert not re.search(r"NaN|undefined|null", picture.decode())
    second_chart = MAKE[name](opened)
    for kind in ("svg", "pdf"):
        assert len({as_bytes(drawing, kind) for drawing in (second_chart, chart, chart, chart)}) == 1


def test_each_kind_of_file(tmp_path: Path) -> None:
    chart = setset.charts.odds()
    for kind in KINDS:
        save(chart, tmp_path / f"odds.{kind}")
    content = {path.suffix[1:]: path.read_bytes() for path in tmp_path.iterdir()}
    assert set(content) == set(KINDS)
    assert content["png"][:8] == b"\x89PNG\r\n\x1a\n"
    width, height = struct.unpack(">II", content["png"][16:24])
    assert width > 1000
    assert height > 700
    assert content["pdf"].startswith(b"%PDF-")
    assert content["pdf"].rstrip().endswith(b"%%EOF")
    specification = json.loads(content["json"])
    (values,) = specification["datasets"].values()
    assert values == read_rows(chart)
    rows = list(csv.DictReader(io.StringIO(content["csv"].decode())))
    assert [float(row["odds"]) for row in rows] == [row["odds"] for row in values]


def test_the_page_asks_no_server() -> None:
    page = as_bytes(setset.charts.odds(), "html").decode()
    assert "The chance that a random hand holds no set" in page
    parser = Tags()
    parser.feed(page)
    assert {"script", "div"} <= {tag for tag, _ in parser.found}
    assert not [(tag, name) for tag, names in parser.found for name in names & {"src", "href"}]
    assert not re.search(r"""@import|\bfetch\(["'`]https?:|\bimport\(["'`]https?:""", page)
    assert '"editor":false' in page


def test_a_name_with_another_ending_is_refused(tmp_path: Path) -> None:
    with pytest.raises(setset.BadInput, match=r"must end in \.svg"):
        save(setset.charts.odds(), tmp_path / "odds.gif")
    assert list(tmp_path.iterdir()) == []


def test_without_the_extra_one_line_says_what_to_install(tmp_path: Path) -> None:
    for missing in ("altair", "vl_convert"):
        program = f"import sys; sys.modules[{missing!r}] = None; from setset.cli import main; main()"
        words = [sys.executable, "-c", program, "plot", "cap", "0", "1"]
        result = subprocess.run(words, capture_output=True, text=True, check=False, cwd=tmp_path)
        assert (result.returncode, result.stdout) == (14, "")
        assert result.stderr == ("setset: a chart needs an extra: pip install 'setset[plot]'\n")
    assert list(tmp_path.iterdir()) == []
