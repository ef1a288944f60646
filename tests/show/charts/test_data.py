"""Charts show the values of the public API."""

from __future__ import annotations

import json
from collections import Counter
from datetime import datetime
from fractions import Fraction
from typing import Any

import pytest

import setset
from setset.cards import third
from setset.show.charts import read_rows
from setset.symmetry import Catalogue
from tests.show.charts.bench import BENCH


def heading(chart: Any) -> str:
    """The title and the lines below it."""
    return " ".join([*chart.title.text, *chart.title.subtitle])


def test_counts_are_those_of_the_catalogue_and_of_the_workspace(opened: setset.Workspace, catalogue: Catalogue) -> None:
    numbers = {(row["series"], row["size"]): row["number"] for row in read_rows(setset.charts.counts(opened))}
    for size in range(1, 21):
        level = catalogue.level(size)
        assert numbers["all lists", size] == level.lists
        assert numbers["classes", size] == len(level.classes)
        assert numbers["complete lists", size] == level.complete_lists
    expected = {(f"kept for target {count.target}", count.size): count.lists for count in opened.counts()}
    assert expected.items() <= numbers.items()
    assert len(numbers) == 60 + len(expected)


def test_hands_are_the_table() -> None:
    rows = read_rows(setset.charts.hands(12))
    assert [int(row["hands"]) for row in rows] == list(setset.hands(12).counts)
    assert sum(row["percent"] for row in rows) == pytest.approx(100)


def test_odds_are_exact() -> None:
    for row in read_rows(setset.charts.odds()):
        chance = setset.chance_without_set(row["size"])
        assert Fraction(int(row["numerator"]), int(row["denominator"])) == chance
        assert row["odds"] == pytest.approx(float(1 / chance) - 1)


def test_rounds_are_those_of_the_simulation() -> None:
    simulation = setset.simulate(2000, seed=3)
    chart = setset.charts.rounds(simulation)
    rows = {row["taken"]: row for row in read_rows(chart)}
    rounds_seen = [round_ for round_ in setset.estimate_rounds(simulation) if round_.at.without]
    assert len(rounds_seen) == len(rows) > 20
    for round_ in rounds_seen:
        row, odds = rows[round_.taken], round_.at.odds
        assert odds is not None
        assert (row["tables"], row["without_set"]) == (round_.at.tables, round_.at.without)
        assert (row["odds"], row["odds_error"]) == (odds.value, odds.error)
        assert row["low"] < row["odds"] < row["high"]
    assert "2,000 games, seed 3" in heading(chart)
    assert read_rows(setset.charts.rounds(games=2000, seed=3)) == list(rows.values())


def test_stabilizers_count_every_class(catalogue: Catalogue) -> None:
    classes = {(row["size"], row["stabilizer"]): row["classes"] for row in read_rows(setset.charts.stabilizers())}
    expected = Counter(
        (size, list_class.stabilizer) for size in range(1, 21) for list_class in catalogue.level(size).classes
    )
    assert classes == expected


def test_neighbours_are_one_and_two_cards_away(catalogue: Catalogue) -> None:
    rows = read_rows(setset.charts.neighbours(17, 12))
    list_class = catalogue.get(17, 12)
    expected = {str(list_class)}
    for step in (catalogue.larger, catalogue.smaller):
        near = {neighbour for neighbour, _ in step(list_class)}
        expected |= {str(list_class_near) for list_class_near in near} | {
            str(list_class_near) for neighbour in near for list_class_near, _ in step(neighbour)
        }
    assert {row["class"] for row in rows if row["what"] == "class"} == expected
    links = {(row["class"], row["to"]): row["extensions"] for row in rows if row["what"] == "link"}
    assert {target: cards for (start, target), cards in links.items() if start == str(list_class)} == {
        str(neighbour): cards for neighbour, cards in catalogue.larger(list_class)
    }


def test_the_lattice_has_every_class_and_link(catalogue: Catalogue) -> None:
    rows = read_rows(setset.charts.lattice(17, 20))
    levels = [catalogue.level(size) for size in range(17, 21)]
    assert sum(row["what"] == "class" for row in rows) == sum(len(level.classes) for level in levels)
    assert sum(row["what"] == "link" for row in rows) == sum(len(level.links) for level in levels[1:])
    with pytest.raises(setset.BadInput, match="smaller size first"):
        setset.charts.lattice(20, 17)


def test_a_hand_excludes_the_third_card_of_each_pair() -> None:
    hand = [0, 1, 3, 9, 27]
    chart = setset.charts.cap(hand)
    states = {row["card"]: row["state"] for row in read_rows(chart)}
    thirds = {third(a, b) for a in hand for b in hand if a != b}
    for card, state in states.items():
        assert state == ("in the hand" if card in hand else "would make a set" if card in thirds else "can be added")
    assert len({(row["x"], row["y"]) for row in read_rows(chart)}) == 81
    assert "Class 5/2 of 16,376,256 lists" in heading(chart)
    with pytest.raises(setset.HoldsSet):
        setset.charts.cap([0, 1, 2])


def test_throughput_is_that_of_the_status(opened: setset.Workspace) -> None:
    rates = [(row["host"], row["size"], row["rate"]) for row in read_rows(setset.charts.throughput(opened))]
    hosts = [host for host in opened.status().hosts if host.lists_per_second]
    assert rates == [(host.host, host.size, (host.lists_per_second or 0) / 1e6) for host in hosts]


def test_rates_add_up_to_all_lists(opened: setset.Workspace) -> None:
    rows = read_rows(setset.charts.rates(opened))
    lists = sum(work.lists for work in opened.finished_work())
    assert sum(row["lists"] for row in rows) == pytest.approx(lists, abs=len(rows))
    first, last = (datetime.fromisoformat(text) for text in (rows[0]["start"], rows[-1]["end"]))
    seconds = (last - first).total_seconds() / len(rows)  # one host
    assert sum(row["rate"] * 1e6 * seconds for row in rows) == pytest.approx(lists, rel=0.05)


def test_the_gantt_chart_has_all_work(opened: setset.Workspace) -> None:
    rows, work = read_rows(setset.charts.gantt(opened)), opened.finished_work()
    totals = opened.sql("SELECT COUNT(*) AS n, SUM(lists_out) AS lists FROM expansions WHERE state = 'done'")[0]
    assert (len(work), sum(item.lists for item in work)) == (totals["n"], totals["lists"])
    assert sum(row["expansions"] for row in rows) == totals["n"]
    assert sum(row["lists"] for row in rows) == totals["lists"]
    assert all(row["start"] <= row["end"] for row in rows)
    assert max(row["end"][:19] for row in rows) == max(item.finished_at[:19] for item in work)


def test_bytes_are_those_of_the_files(opened: setset.Workspace) -> None:
    rows = read_rows(setset.charts.bytes(opened, target=16))
    for size in opened.exploration(16).sizes:
        rows_of_size = [row for row in rows if row["size"] == size.size]
        assert sum(row["bytes"] for row in rows_of_size) == size.bytes
        assert sum(row["lists"] for row in rows_of_size) == size.lists
        assert [row["at"] for row in rows_of_size] == sorted(row["at"] for row in rows_of_size)
    assert {row["size"] for row in read_rows(setset.charts.bytes(opened, 16, size=4))} == {4}
    with pytest.raises(setset.BadInput, match="target 12"):
        setset.charts.bytes(opened)


def test_many_batches_are_taken_together(opened: setset.Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("setset.show.charts.work.PARTS", 3)
    rows = [row for row in read_rows(setset.charts.bytes(opened, 16)) if row["size"] == 5]
    assert 1 < len(rows) <= 3
    assert sum(row["batches"] for row in rows) == len(opened.exploration(16)[5].batches)


def test_speed_shows_what_the_benchmark_printed() -> None:
    chart = setset.charts.speed(json.loads(json.dumps(BENCH)))
    assert [(row["name"], row["value"], row["held"]) for row in read_rows(chart)] == [
        ("count", 300.0, "no mark"),
        ("ratio", 0.97, "meets its mark"),
        ("other", 1.7, "misses it"),
    ]
    assert "a machine, 2 cores" in heading(chart)
    for data in ({}, {"machine": "m", "figures": [{"name": "x"}]}, {"machine": "m", "figures": 3}):
        with pytest.raises(setset.BadInput, match="tools/bench --json"):
            setset.charts.speed(data)
