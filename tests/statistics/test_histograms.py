"""Histograms over the lists of a size, against a slow twin, against the classes, and against symmetry."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import setset
from setset.cards import CARDS, VALUES, digits, third
from setset.statistics import collection
from setset.statistics.histograms import Tally, parse_by
from setset.symmetry import catalogue_in_memory
from tests.conftest import Run
from tests.small import build

FEATURE_VALUES = [name for names in VALUES for name in names]
ALL = tuple(setset.By)


def naive(lists: list[list[int]]) -> dict[str, Counter[object]]:
    """The same histograms but for classes, list by list and card by card."""
    tallies: dict[str, Counter[object]] = {str(key): Counter() for key in ALL if key != "class"}
    for cards in lists:
        thirds = {third(a, b) for a in cards for b in cards if a != b}
        tallies["remaining"][sum(card not in thirds for card in range(cards[-1] + 1, CARDS))] += 1
        tallies["lowest"][min(cards)] += 1
        tallies["highest"][max(cards)] += 1
        tallies["card"].update(cards)
        for position, value in enumerate(FEATURE_VALUES):
            count = sum(digits(card)[position // 3] == position % 3 for card in cards)
            tallies["feature"][value, count] += 1
    return tallies


def tallied(rows: np.ndarray, by: tuple[setset.By, ...] = ALL[:-1]) -> setset.Statistics:
    tally = Tally(rows.shape[1], by)
    for part in np.array_split(rows, 3):
        tally.add_rows(part)
    return setset.Statistics(rows.shape[1], tally.lists, "some", tuple(tally.bins()))


@pytest.mark.parametrize("size", [1, 2, 3, 5, 9, 12, 15, 18, 20])
def test_lists_in_any_order_are_tallied_as_the_slow_twin_does(size: int) -> None:
    lists = setset.lists(size)
    rows = lists[len(lists) // 2 : len(lists) // 2 + 500]
    for ordered in (rows, rows[np.lexsort(rows.T[::-1])]):
        histograms = tallied(ordered)
        assert {key: Counter(histograms[key]) for key in naive([])} == naive(ordered.tolist())


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All lists of 4 cards, in several files, and all of 5 counted."""
    folder = build(tmp_path_factory.mktemp("stored") / "w", 4, target=4, batch_lists=300_000)[0]
    build(folder.path, 5, target=4, batch_lists=None, count=(5,), via=4)
    return folder.path


def test_files_agree_with_classes_and_symmetry(stored: Path) -> None:
    with setset.open(stored) as workspace:
        size = workspace.exploration(4)[4]
        histograms = size.statistics(ALL, workers=2)
    assert histograms.lists == size.lists
    assert histograms["class"] == {str(list_class): list_class.lists for list_class in catalogue_in_memory().classes(4)}
    # Every card is in as many lists, and so is every value of a feature: the target drops none.
    assert histograms["card"] == dict.fromkeys(range(CARDS), 4 * size.lists // CARDS)
    red = {cards: lists for (value, cards), lists in histograms["feature"].items() if value == "red"}
    assert histograms["feature"] == {(value, cards): n for value in FEATURE_VALUES for cards, n in red.items()}
    # The map that takes each card c to 80 - c keeps sets.
    assert histograms["highest"] == {80 - card: lists for card, lists in histograms["lowest"].items()}
    assert histograms == setset.Statistics(4, size.lists, "all lists of 4 cards", histograms.bins)
    assert histograms.bins == setset.lists(4).statistics(ALL, workers=2).bins


def test_cards_that_remain_are_the_lists_of_the_next_size(stored: Path) -> None:
    with setset.open(stored) as workspace:
        smaller, larger = (workspace.exploration(4)[size] for size in (4, 5))
        assert not larger.stored
        remaining = smaller.statistics("remaining", workers=1)["remaining"]
        assert sum(int(str(cards)) * lists for cards, lists in remaining.items()) == larger.lists


def test_a_counted_size_is_tallied_between_its_runs(stored: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(collection, "PIECE", 1_000_000)
    with setset.open(stored) as workspace:
        size = workspace.exploration(4)[5]
        pieces = list(size._pieces())
        assert sum(piece.lists for piece in pieces) == size.lists
        assert len(pieces) > len(size._parts)
        histograms = size.statistics("card", workers=2)
    assert histograms["card"] == dict.fromkeys(range(CARDS), 5 * 22_441_536 // CARDS)


def test_a_damaged_file_is_named(stored: Path, tmp_path: Path) -> None:
    import shutil

    folder = Path(shutil.copytree(stored, tmp_path / "damaged"))
    victim = sorted((folder / "batches").rglob("s04/*.setset"))[2]
    victim.write_bytes(victim.read_bytes()[:-9])
    with setset.open(folder) as workspace, pytest.raises(setset.SetsetError, match=r"batch 2 .*setset repair"):
        workspace.exploration(4)[4].statistics(workers=1)


def test_bad_input(stored: Path) -> None:
    with pytest.raises(setset.BadInput, match="by colour: expected one or more of remaining"):
        parse_by(["colour", "card"])
    with setset.open(stored) as workspace, pytest.raises(setset.BadInput, match="size 6"):
        workspace.exploration(4)[6].statistics()


def test_command(stored: Path, run: Run, tmp_path: Path) -> None:
    chart = tmp_path / "chart.csv"
    words = ["statistics", "--size", "4", "--target", "4", "--workers", "1", "-w", str(stored)]
    code, out, _ = run(*words, "--by", "lowest", "--by", "feature", "--plot", str(chart), "--quiet")
    assert code == 0
    assert out.startswith("1,579,500 lists: all lists of 4 cards\n\nlowest card")
    assert "red one solid diamond" in out
    assert chart.read_text().splitlines()[1] == "lowest,0,0,78000"
    assert f"{chart} exists already: add --force" in run(*words, "--plot", str(chart))[2]
    code, out, _ = run(*words, "--json")
    histograms = json.loads(out)
    assert {record["by"] for record in histograms["bins"]} == set(ALL[:-1])
    assert histograms["bins"][0].keys() == {"by", "value", "cards", "lists"}
    code, out, err = run(*words, "--from-classes")
    assert (code, err) == (2, "setset: --target cannot be combined with --from-classes\n")
    code, out, err = run(*words, "--plot", "chart.gif")
    assert code == 2
    assert "chart.gif" in err
