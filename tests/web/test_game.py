"""Play: the game of `setset play`, whose address is all of its state."""

from __future__ import annotations

import pytest
from starlette.testclient import TestClient

import setset


def test_a_whole_game(bare: TestClient) -> None:
    """Played by who always knows, to its end: as many points as sets, and every call right."""
    address = "/api/play?seed=7"
    for _ in range(60):
        state = bare.get(address).json()
        if state["over"]:
            break
        cards = [card["card"] for card in state["table"]]
        sets = setset.find_sets(cards)
        call = {"call": "set", "card": list(sets[0])} if sets else {"call": "none"}
        parameters = {"seed": 7, "calls": ",".join(state["calls"]), **call}
        address = "/api/" + bare.get("/api/play", params=parameters).headers["Location"].removeprefix("../api/")
    assert state["over"]
    assert state["score"] == len(state["taken"])
    assert len(state["table"]) + 3 * state["score"] == 81
    assert "The game is over" in bare.get(address.removeprefix("/api")).text


def test_a_wrong_call_costs_a_point_and_is_explained(bare: TestClient) -> None:
    table = [card["card"] for card in bare.get("/api/play?seed=7").json()["table"]]
    triple = next((table[0], table[1], c) for c in table[2:] if (table[0], table[1], c) not in setset.find_sets(table))
    state = bare.get("/api/play", params={"seed": 7, "calls": ".".join(map(str, triple))}).json()
    assert state["score"] == -1
    assert str(setset.why_no_set(*triple)).lower() in state["said"].lower()
    assert [card["card"] for card in state["table"]] == table


def test_hints_and_odds(bare: TestClient) -> None:
    state = bare.get("/api/play?seed=7&hints=1").json()
    sets = setset.find_sets([card["card"] for card in state["table"]])
    assert state["hint"].startswith(f"There {'is' if len(sets) == 1 else 'are'} {len(sets)} set")
    assert "One of the sets has" in bare.get("/play?seed=7&hints=2").text
    assert state["chance_of_none"]["numerator"] == setset.chance_without_set(12).numerator
    assert bare.get("/play").headers["Location"].startswith("./play?seed=")


@pytest.mark.parametrize("calls", ["1.2", "80.80.80", "x", "1.2.3.4", "none," * 400, "99.98.97", "."])
def test_calls_that_nobody_can_make(bare: TestClient, calls: str) -> None:
    assert bare.get("/play", params={"seed": 7, "calls": calls}).status_code == 400
