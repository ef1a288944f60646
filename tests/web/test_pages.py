"""Pages agree with the commands."""

from __future__ import annotations

import csv
import html
import io
import re
import subprocess
import sys
import time
from math import comb
from pathlib import Path

import pytest
from starlette.testclient import TestClient

import setset
from setset.symmetry import Catalogue
from setset.web import workspace
from setset.web.pages import PAGES
from setset.web.workspace import EXAMPLES
from tests.database.test_sql import ONE_INSTRUCTION
from tests.small import change, rows

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("path", [page.path for page in PAGES if "{" not in page.path and page.template])
def test_every_page_and_its_json(page: TestClient, path: str) -> None:
    response = page.get(path, params={"seed": "7"})
    assert (response.status_code, response.headers["Content-Type"]) == (200, "text/html; charset=utf-8")
    api = next(entry.api for entry in PAGES if entry.path == path)
    answer = page.get(api, params={"seed": "7"})
    assert (answer.status_code, answer.headers["Content-Type"]) == (200, "application/json")
    assert "error" not in answer.json()


def test_progress_is_that_of_status(page: TestClient, reference: Path) -> None:
    answer = page.get("/api/progress").json()
    with setset.open(reference) as workspace_read:
        sizes = workspace_read.status().sizes
    assert [(size["size"], size["lists"], size["state"]) for size in answer["sizes"]] == [
        (size.size, size.lists, size.state) for size in sizes
    ]
    assert (answer["running"], answer["run"], answer["bytes_left"]) == (False, None, 0)
    assert answer["roots"][0]["free_bytes"] > 0
    text = page.get("/progress").text
    assert f"{sizes[-1].lists:,}" in text
    assert answer["runs"][0]["command"] in html.unescape(text)
    assert re.search(r'<time datetime="[^"]*">\d{4}-\d\d-\d\d \d\d:\d\d UTC</time>', text)


def test_what_is_wrong_comes_with_the_command_that_mends_it(copy: object) -> None:
    from tests.web.conftest import visitor

    folder = copy().path  # type: ignore[operator]
    change(folder, "UPDATE batches SET defect = '<b>altered</b>' WHERE size = 5 AND number = 1")
    change(folder, "UPDATE runs SET command = 'setset run 5 --target 16'")
    page = visitor(folder)
    (item,) = page.get("/api/progress").json()["items"]
    assert (item["state"], item["remedy"]) == ("defective", f"setset repair -w {folder}")
    text = page.get("/progress").text
    assert "&lt;b&gt;altered" in text
    assert text.count('<rect class="bad"') == 1


def test_a_damaged_database_comes_with_the_command_that_mends_it(copy: object) -> None:
    from tests.web.conftest import visitor

    folder = copy().path  # type: ignore[operator]
    with (folder / "setset.db").open("r+b") as database:
        database.seek(4096)
        database.write(b"\xff" * 20_000)
    page = visitor(folder)
    for path, status in (("/", 200), ("/counts", 200), ("/progress", 503), ("/sql?query=SELECT+*+FROM+files", 503)):
        answer = page.get(path)
        assert answer.status_code == status, path
        assert f'data-copy="the command">setset db rebuild -w {folder}</code>' in answer.text, path
    assert page.get("/charts/counts.svg").status_code == 200


def test_a_storage_root_that_is_gone_is_red(copy: object) -> None:
    from tests.web.conftest import visitor

    folder = copy().path  # type: ignore[operator]
    (folder / "batches").rename(folder / "away")
    page = visitor(folder)
    change(folder, "UPDATE runs SET command = 'setset run 5 --target 16'")
    data = page.get("/api/progress").json()
    assert [problem["state"] for problem in data["problems"]] == ["absent"]
    assert all(segment["is_damaged"] for segment in data["goal"]["segments"])
    assert f"roots move {folder / 'batches'} NEW -w {folder}" in html.unescape(page.get("/progress").text)


def test_counts(page: TestClient, reference: Path) -> None:
    answer = page.get("/api/counts").json()
    assert {count["size"]: count["lists"] for count in answer["counts"]} == dict(
        rows(reference, "SELECT size, lists FROM counts")
    )
    assert answer["sizes"][12]["lists"] == 2_284_535_476_080
    assert answer["sizes"][20]["hands"] == str(comb(81, 20))  # more than JavaScript can count
    assert [(table["cards"], table["most"]) for table in answer["hands"]] == [(12, 14), (15, setset.hands(15).most)]
    text = page.get("/counts").text
    assert "2,284,535,476,080" in text
    assert "3,032,640" in text  # hands of 12 cards with 14 sets


def test_a_class(page: TestClient, catalogue: Catalogue) -> None:
    list_class = catalogue.get(12, 786)
    answer = page.get("/api/classes/12/786").json()
    assert answer["representative"] == list(list_class.cards)
    assert answer["grid"].count("chosen") == 12
    assert answer["grid"].count("addable") == list_class.extensions
    assert sum(link["cards"] for link in answer["larger"]) == list_class.extensions
    assert sum(link["cards"] for link in answer["smaller"]) == 12
    assert all(link["from_here"] == link["from_there"] for link in answer["larger"] + answer["smaller"])
    assert answer["digest"] == catalogue.level(12).digest
    assert len(answer["directions"]) == 40
    assert {sum(direction["cards"]) for direction in answer["directions"]} == {12}
    assert answer["texts"]["command line"] == "setset classes show 12/786"
    program: dict[str, object] = {"print": lambda *_: None}
    exec(answer["texts"]["Python"], program)
    assert program["list_class"] == list_class
    assert {"GAP", "Sage", "Magma", "Oscar", "JSON", "BibTeX"} < answer["texts"].keys()
    text = page.get("/classes/12/786").text
    assert answer["digest"] in text
    assert len(re.findall(r'<use href="\.\./\.\./static/\w+/cards\.svg#c\d+"', text)) == 12
    assert "cards.svg#deck" in text
    assert "href=../11/" in text
    largest = page.get("/classes/20/0").text
    assert "2,880 of the 1,965,150,720: (C2 x (A6 . C2)) : C2" in largest
    generators = map(str, setset.stabilizer_of(catalogue.get(20, 0)).generators)
    assert all(generator in html.unescape(largest) for generator in generators)


@pytest.mark.parametrize(("size", "number"), [(0, 0), (1, 0), (2, 0), (20, 0)])
def test_the_ends_of_the_catalogue(page: TestClient, size: int, number: int) -> None:
    assert page.get(f"/classes/{size}/{number}").status_code == 200


@pytest.mark.parametrize(
    "path", ["/classes/21/0", "/classes/12/99999", "/classes/x/1", "/classes/12/-1", "/classes/12/0/x"]
)
def test_what_is_not_there(page: TestClient, path: str) -> None:
    assert page.get(path).status_code == 404
    assert page.get(f"/api{path}").json()["error"]


def test_browsing_compiles_nothing(reference: Path) -> None:
    """The classes come with the package: the first page is quick, on any machine."""
    ask = (
        "import sys; from pathlib import Path; from tests.web.conftest import visitor\n"
        f"page = visitor(Path({str(reference)!r}))\n"
        "for path in ('/', '/counts', '/classes', '/classes/12/786', '/classes/12/786/random', '/play?seed=7',\n"
        "             '/identify?cards=0,1,40', '/progress'):\n"
        "    assert page.get(path).status_code in (200, 303), path\n"
        "assert 'numba' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", ask], check=True, cwd=ROOT)


def test_the_list_of_classes(page: TestClient, catalogue: Catalogue) -> None:
    parameters = {"size": 16, "complete": "yes", "sort": "stabilizer", "order": "descending"}
    answer = page.get("/api/classes", params=parameters).json()
    expected = setset.find_classes(16, catalogue, complete=True, sort="stabilizer", reverse=True)
    assert [row[0] for row in answer["rows"]] == [str(list_class) for list_class in expected[:50]]
    response = page.get("/classes", params={"size": 12, "format": "csv"})
    assert response.headers["Content-Disposition"] == 'attachment; filename="setset-classes.csv"'
    assert len(list(csv.reader(io.StringIO(response.text)))) == 1 + 1437
    text = page.get("/classes", params={"size": 12, "page": 29}).text
    assert "12/1436" in text
    assert page.get("/classes", params={"size": 12, "page": 30}).status_code == 400
    parameters = {"size": 12, "structure": "S4", "orbits": 4, "dimension": 4}
    answer = page.get("/api/classes", params=parameters).json()
    assert [row[0] for row in answer["rows"]] == list(
        map(str, setset.find_classes(12, structure="S4", orbits=4, spans=4))
    )
    assert dict(map(tuple, answer["facets"]["structure"]))["S4"] == answer["found"]
    assert '<option value="S4" selected>S4 (' in page.get("/classes", params=parameters).text
    first = page.get("/classes/12", params={"complete": "no", "sort": "lists", "page": 2}).text
    assert f'<option value="no" selected>no ({1437 - len(setset.find_classes(12, complete=True)):,})' in first
    assert 'href="../classes/12?complete=no&amp;sort=lists&amp;order=descending" data-sort="lists"' in first
    assert 'href="../classes/12?complete=no&amp;sort=lists&amp;page=3"' in first
    assert '<option value="7" selected>7 (0)' in page.get("/classes/12", params={"stabilizer": 7}).text
    small = page.get("/api/classes", params={"size": 12, "most": 1000, "extensions": 0}).json()
    assert small["found"] == sum(
        list_class.lists <= 1000 and not list_class.extensions for list_class in catalogue.level(12).classes
    )


def test_a_random_member(page: TestClient) -> None:
    cards = page.get("/classes/9/5/random").headers["Location"].partition("=")[2]
    assert str(setset.classify(list(map(int, cards.split(",")))).list_class) == "9/5"


def test_sql(page: TestClient) -> None:
    answer = page.get("/api/sql", params={"query": "SELECT 1 AS one, 9007199254740993 AS large"}).json()
    assert (answer["columns"], answer["rows"]) == (["one", "large"], [[1, "9007199254740993"]])
    assert page.get("/sql", params={"query": "SELECT 'a,b' AS x", "format": "csv"}).text == 'x\n"a,b"\n'
    assert (
        "more rows"
        in page.get(
            "/sql", params={"query": "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n"}
        ).text
    )
    for query in ("DELETE FROM runs", "ATTACH 'x' AS y", "PRAGMA user_version", "SELECT load_extension('x')", "SELEC"):
        response = page.get("/api/sql", params={"query": query})
        assert (response.status_code, bool(response.json()["error"])) == (400, True)


def test_an_error_points_at_the_word(page: TestClient) -> None:
    for query, excerpt in (
        ("SELECT lists FROM filez", "\n\n...CT lists FROM filez\n                 ^^^^^"),
        ("SELECT 1\nFROM filez\nWHERE 1", "\n\nFROM filez\n     ^^^^^"),
        ("SELECT nothing, number, lists FROM files", "\n\nSELECT nothing, number, list...\n       ^^^^^^^"),
    ):
        response = page.get("/sql", params={"query": query})
        assert response.status_code == 400
        (message,) = re.findall(r'<p class="wrong"[^>]*>([^<]*)</p>', response.text)
        assert message.endswith(excerpt), message
        assert query in html.unescape(response.text)  # to be corrected


def test_lists_in_results_are_drawn(page: TestClient) -> None:
    query = "SELECT '0 1 40' AS a, '0 0 1' AS b, '0 1 81' AS c, '1 2' AS d, '1 2 x' AS e"
    text = page.get("/sql", params={"query": query}).text
    assert re.findall(r'class="cell" href="([^"]*)"', text) == ["./identify?cards=0,1,40"]
    assert re.findall(r"cards\.svg#c(\d+)", text) == ["0", "1", "40"]


def test_a_query_within_one_instruction_ends_in_time(page: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workspace, "SECONDS", 1.0)
    start = time.monotonic()
    response = page.get("/api/sql", params={"query": ONE_INSTRUCTION})
    assert (response.status_code, time.monotonic() - start < 60) == (400, True)
    assert "the query took too long" in response.json()["error"]


def test_the_examples_of_sql_are_those_of_the_documents(page: TestClient) -> None:
    text = (ROOT / "docs" / "schema.md").read_text()
    for query in EXAMPLES:
        assert f'setset sql "{query}"' in text
        assert page.get("/sql", params={"query": query}).status_code == 200


def test_without_a_workspace(bare: TestClient) -> None:
    """Everything that needs none is served; the rest says what is missing."""
    for path in ("/", "/counts", "/classes", "/classes/12/786", "/identify?cards=1,2", "/play?seed=1", "/api"):
        assert bare.get(path).status_code == 200, path
    for path in ("/progress", "/sql"):
        missing = bare.get(path)
        assert missing.status_code == 404
        assert "no workspace at" in missing.text


def test_the_description_of_the_api_names_every_address(page: TestClient) -> None:
    text = page.get("/api").text
    assert all(re.search(rf"<code>{re.escape(entry.api)}</code>", text) for entry in PAGES)


def test_charts(page: TestClient, bare: TestClient) -> None:
    for name in ("counts", "gantt", "rates", "throughput"):
        assert name == "counts" or f'src="./charts/{name}.svg"' in page.get("/progress").text
        picture = page.get(f"/charts/{name}.svg")
        assert (picture.status_code, picture.headers["Content-Type"]) == (200, "image/svg+xml")
        assert picture.text.startswith("<svg")
    assert bare.get("/charts/counts.svg").status_code == 200
    assert bare.get("/charts/gantt.svg").status_code == 404
    assert bare.get("/charts/nothing.svg").status_code == 404


def test_without_the_extra_for_charts_there_is_a_line_instead(
    page: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("setset.web.workspace.find_spec", lambda _: None)
    text = page.get("/progress").text
    assert "/charts/gantt.svg" not in text
    assert html.unescape(text).count("pip install 'setset[plot]'") == 3
