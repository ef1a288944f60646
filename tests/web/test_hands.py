"""Identify: one hand, or many."""

from __future__ import annotations

import csv
import io

import pytest
from starlette.testclient import TestClient

import setset
from setset.cards import third


def test_a_hand_without_a_set(bare: TestClient) -> None:
    data = bare.get("/api/identify", params={"cards": "g2hs, 0 1"}).json()
    expected = setset.classify([0, 1, 40])
    assert data["sets"] == []
    assert data["list"]["class"] == str(expected.list_class)
    assert data["list"]["rank"] == setset.rank([0, 1, 40])
    marks = [cell["mark"] for cell in data["grid"]]
    assert [card for card in range(81) if marks[card] == "chosen"] == [0, 1, 40]
    assert [card for card in range(81) if marks[card] == "excluded"] == sorted(
        {third(0, 1), third(0, 40), third(1, 40)}
    )
    assert [card for card in range(81) if marks[card] == "addable"] == list(expected.extensions)
    html = bare.get("/identify", params={"cards": "40,0,1"}).text
    assert f'href="./classes/{expected.list_class}"' in html
    assert str(expected.map) in html.replace("&#39;", "'")


def test_every_card_is_a_link_that_toggles_it(bare: TestClient) -> None:
    grid = bare.get("/api/identify", params={"cards": "5,7"}).json()["grid"]
    assert grid[5]["toggle"] == "/identify?cards=7"
    assert grid[80]["toggle"] == "/identify?cards=5,7,80"
    single = bare.get("/api/identify", params={"cards": "5"}).json()["grid"]
    assert single[5]["toggle"] == "/identify"


def test_a_hand_with_sets(bare: TestClient) -> None:
    data = bare.get("/api/identify", params={"cards": "0,1,2,80"}).json()
    assert (data["sets"], data["list"]) == ([[0, 1, 2]], None)
    assert [cell["card"] for cell in data["grid"] if cell["mark"] == "in-set"] == [0, 1, 2]
    picture = bare.get("/hand.svg", params={"cards": "0,1,2,80"})
    assert picture.headers["Content-Type"] == "image/svg+xml"
    assert picture.text.count('class="set"') == 1


@pytest.mark.parametrize("cards", ["0,0", "81", "x", "-1", "red"])
def test_what_is_no_hand(bare: TestClient, cards: str) -> None:
    response = bare.get("/identify", params={"cards": cards})
    assert response.status_code == 400
    assert "Traceback" not in response.text


def test_all_cards_and_none(bare: TestClient) -> None:
    assert bare.get("/identify", params={"cards": ",".join(map(str, range(81)))}).status_code == 200
    assert bare.get("/identify").status_code == 200
    assert bare.get("/hand.svg").status_code == 400


def test_a_picture_of_the_whole_deck_has_no_outlines(bare: TestClient) -> None:
    """With its 1,080 sets it would keep all other visitors waiting for many seconds."""
    few, deck = (bare.get("/hand.svg", params={"cards": ",".join(map(str, range(n)))}).text for n in (3, 81))
    assert (few.count('class="set"'), deck.count('class="set"')) == (1, 0)


def test_dealing_and_completing(bare: TestClient) -> None:
    deal_address = bare.get("/identify", params={"deal": 12, "seed": 7}).headers["Location"]
    assert deal_address == "./identify?cards=" + ",".join(map(str, setset.deal(12, 7)))
    complete_address = bare.get("/identify/complete", params={"cards": "0,1"}).headers["Location"]
    cards = list(map(int, complete_address.partition("=")[2].split(",")))
    assert cards[:2] == [0, 1]
    assert setset.classify(cards).complete
    assert bare.get("/api/identify/complete").headers["Location"].startswith("../../api/identify?cards=")


def test_many_hands(bare: TestClient) -> None:
    text = "0 1 3\n\n0,1,2\nr1fd g2hs\nnonsense <b>\n"
    for sent in ({"data": {"hands": text}}, {"files": {"file": ("hands.txt", text)}}):
        rows = bare.post("/api/identify/many", **sent).json()["rows"]  # type: ignore[arg-type]
        assert [row[2] for row in rows] == [0, 1, 0, None]
        assert rows[0][3] == str(setset.classify([0, 1, 3]).list_class)
        assert rows[2][1] == [0, 40]
        assert "not a card" in rows[3][-1]
    response = bare.post("/identify/many", data={"hands": text})
    assert "This page as JSON" not in response.text  # its address has no hands
    assert "&lt;b&gt;" in response.text
    sheet = bare.post("/identify/many", data={"hands": text, "format": "csv"})
    assert len(list(csv.DictReader(io.StringIO(sheet.text)))) == 4
    assert sheet.headers["Content-Disposition"] == 'attachment; filename="setset-identify-many.csv"'


def test_too_many_hands_and_broken_forms(bare: TestClient) -> None:
    assert bare.post("/identify/many", data={"hands": "1\n" * 2_001}).status_code == 400
    for kind in ("multipart/form-data", "multipart/form-data; boundary=\x01", "application/json", "a" * 500):
        answer = bare.post("/identify/many", content=b"--x\r\n\r\nnothing\xff", headers={"Content-Type": kind})
        assert answer.status_code == 200


def test_a_form_with_too_many_fields_is_refused(page: TestClient) -> None:
    response = page.post("/api/identify/many", data={f"hands{number}": "1 2" for number in range(30)})
    assert (response.status_code, response.json()) == (400, {"error": "the form has too many fields"})
