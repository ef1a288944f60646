"""`setset site`: the page as files, in agreement with the server, within its limits."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from starlette.testclient import TestClient

import setset
from setset.cards import LARGEST
from setset.errors import BadInput
from setset.symmetry import Catalogue
from setset.web import assets
from setset.web.class_index import catalogue_columns, fingerprints, futures
from setset.web.static_site import build_site, notable_classes
from tests.conftest import Run
from tests.web.conftest import URL, some_classes

CLASSES = 9_908


def test_a_page_and_its_json_are_those_of_the_server(site: Path, bare: TestClient) -> None:
    for list_class in some_classes(50):
        record = json.loads((site / "classes" / f"{list_class}.json").read_text())
        expected = bare.get(f"/api/classes/{list_class}").json()
        for direction in ("smaller", "larger"):
            links = [(link["class"], link["cards"], link["back"]) for link in record.pop(direction)]
            assert links == [(link["class"], link["cards"], link["back"]) for link in expected[direction]]
        assert record == {name: expected[name] for name in record}
        assert {"representative", "lists", "stabilizer", "texts", "digest"} <= record.keys()
        text = (site / "classes" / str(list_class) / "index.html").read_text()
        facts = re.compile(r"<dt>(.*?)</dt><dd[^>]*>(.*?)</dd>", re.DOTALL)
        served = dict(facts.findall(bare.get(f"/classes/{list_class}").text))
        assert {name: served[name] for name in dict(facts.findall(text))} == dict(facts.findall(text))


def test_some_classes_have_a_picture_of_their_own() -> None:
    notable = notable_classes()
    assert 190 <= len(notable) <= 210
    assert {list_class.size for list_class in notable} == set(range(LARGEST + 1))
    assert notable[-1] == setset.find_classes(20)[0]


def test_it_is_small(site: Path) -> None:
    pages = [path.stat().st_size for path in (site / "classes").glob("*/*/index.html")]
    records = [path.stat().st_size for path in (site / "classes").glob("*/*.json")]
    other_bytes = sum(path.stat().st_size for path in site.rglob("*") if path.is_file()) - sum(pages) - sum(records)
    assert max(pages) <= 6_000
    assert (sum(pages) + sum(records)) / len(pages) * CLASSES + other_bytes < 100e6


def test_it_is_whole(site: Path) -> None:
    """Links lead to pages that are there, but for the classes that were left out; nothing is asked of other hosts."""
    version = assets.version()
    for path in ("", "classes", "classes/16", "identify", "play", "counts", "classes/20/0"):
        page = site / path / "index.html"
        if not page.exists():
            continue
        text = page.read_text()
        assert 'http-equiv="Content-Security-Policy" content="default-src \'none\'' in text
        assert f'<link rel="canonical" href="{URL}' in text
        for link in re.findall(r'(?:src|href|action)="?([^" >]+)', text):
            if link.startswith(("#", URL)):
                continue
            assert link.startswith("."), link
            target = (page.parent / re.split("[?#]", link)[0]).resolve()
            is_class = re.search(r"classes/\d+/\d+$", target.as_posix())
            assert is_class or target.is_file() or (target / "index.html").is_file(), (path, link)
    assert {path.name for path in (site / "static" / version).iterdir()} == set(assets.names())
    assert f"{URL}classes/20/" in (site / "sitemap.xml").read_text()
    assert f'href="{URL}classes/"' in (site / "404.html").read_text()
    assert version in (site / "worker.js").read_text()
    assert (site / "previews" / "20-0.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("url", "docs", "told"),
    [("caps.example", None, "expected an address"), ("https://x/?a=b", None, "expected"), (URL, "none", "index.html")],
)
def test_what_is_refused(tmp_path: Path, url: str, docs: str | None, told: str) -> None:
    with pytest.raises(BadInput, match=told):
        build_site(tmp_path / "out", url, None if docs is None else tmp_path / docs)
    assert not (tmp_path / "out").exists()


def test_a_folder_with_something_in_it_is_left_alone(tmp_path: Path, run: Run) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    code, out, err = run("site", str(tmp_path), "--url", URL)
    assert (code, out, [path.name for path in tmp_path.iterdir()]) == (2, "", ["mine.txt"])
    assert "is not empty: name a new folder" in err


def test_fingerprints_tell_all_classes_apart(catalogue: Catalogue) -> None:
    for size in range(LARGEST + 1):
        prints = fingerprints(catalogue.forms(size)).tolist()
        assert len(set(prints)) == len(prints), size


def test_a_fingerprint_is_that_of_the_class() -> None:
    for size in (5, 9, 12, 16):
        hands = [setset.unrank(size, number * 7919 % setset.catalogue_in_memory().lists(size)) for number in range(20)]
        for hand in hands:
            form = setset.classify(hand).form
            a, b = fingerprints(np_rows([hand])), fingerprints(np_rows([form]))
            assert a.tolist() == b.tolist()


def np_rows(hands: list[tuple[int, ...]]) -> object:
    import numpy as np

    return np.array(hands, np.uint8)


def test_the_columns_for_browsers(catalogue: Catalogue) -> None:
    columns = catalogue_columns()
    for size, number in ((0, 0), (4, 1), (9, 5), (12, 786), (20, 0)):
        list_class, level = catalogue.get(size, number), columns[size]
        assert tuple(ord(letter) - 48 for letter in level["cards"][number]) == list_class.cards
        assert (level["stabilizer"][number], level["extensions"][number]) == (
            list_class.stabilizer,
            list_class.extensions,
        )
        description = setset.describe_class(list_class)
        assert level["dimension"][number] == description.dimension
        assert (level["structure"][number], level["orbits"][number]) == (
            description.traits.structure,
            description.traits.orbit_count,
        )
        assert level["extension_orbits"][number] == description.traits.extension_orbit_count
        assert level["game_classes"][number] == description.game_classes
        assert level["in_hyperplane"][number] == max(cards[0] for cards in description.hyperplanes)
        assert level["excluded"][number] == max(description.exclusions)
    total = sum(catalogue.lists(size) for size in range(LARGEST + 1))
    assert futures()[0] == [total - 1]
    assert futures()[19] == [sum(cards for _, cards in catalogue.larger(catalogue.get(19, 0)))]
