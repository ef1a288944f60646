"""Decks of 9 and 27 cards: against lists made one by one, and against every affine map of the smaller one."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import combinations, product
from math import comb
from pathlib import Path

import numpy as np
import pytest

import setset
from setset.cards import deck_cards, digits, first_set, from_digits
from tests.conftest import Run

NINE, JUNIOR = setset.Deck(2), setset.Deck(3)


@pytest.mark.parametrize(
    ("deck", "lists", "classes"),
    [
        (NINE, [1, 9, 36, 72, 54], [1, 1, 1, 1, 1]),
        (JUNIOR, [1, 27, 351, 2808, 14742, 50544, 107406, 126360, 63180, 2106], [1, 1, 1, 1, 2, 2, 3, 2, 3, 1]),
    ],
)
def test_classes_count_the_lists_that_are_there(deck: setset.Deck, lists: list[int], classes: list[int]) -> None:
    totals = deck.totals()
    assert [total.lists for total in totals] == lists
    assert [total.classes for total in totals] == classes
    assert list(setset.find_sequence(f"caps-{deck.dimension}").terms()) == lists
    for total in totals:
        rows = deck.all_lists(total.size)
        assert len(rows) == total.lists
        numbers = np.unique(setset.catalogue_in_memory().numbers_of(rows), return_counts=True)
        assert list(zip(*map(np.ndarray.tolist, numbers), strict=True)) == [
            (list_class.number, list_class.lists) for list_class in deck.classes(total.size)
        ]


def maps_of_nine() -> list[dict[int, int]]:
    """Every affine map of the deck of 9 cards, by its images."""
    maps = []
    for a, b, c, d, x, y in product(range(3), repeat=6):
        if (a * d - b * c) % 3:
            image = {}
            for card in NINE.cards:
                colour, _, _, shape = digits(card)
                image[card] = from_digits((a * colour + b * shape + x) % 3, 0, 0, (c * colour + d * shape + y) % 3)
            maps.append(image)
    return maps


def test_stabilizers_of_the_deck_of_nine_by_all_its_maps() -> None:
    maps = maps_of_nine()
    assert len(maps) == 432
    for size in range(5):
        for list_class in NINE.classes(size):
            images = [frozenset(image[card] for card in list_class.cards) for image in maps]
            assert (len(set(images)), images.count(frozenset(list_class.cards))) == (
                list_class.lists,
                list_class.stabilizer,
            )
            assert list_class.group == len(maps)


@pytest.mark.parametrize("deck", [NINE, JUNIOR])
def test_a_hand_and_its_class(deck: setset.Deck) -> None:
    for size in range(1, deck.largest + 1):
        (hand,) = map(tuple, deck.sample(size, seed=size).tolist())
        classification = deck.classify(hand)
        assert classification.map.on(hand) == classification.form == classification.list_class.cards
        assert classification.map.on(deck.cards) == deck.cards
        assert classification.extensions == tuple(
            card for card in deck.cards if card not in hand and first_set([*hand, card]) is None
        )
        assert tuple(deck.all_lists(size)[deck.rank(hand)].tolist()) == hand
        assert sum(cards for _, cards in deck.smaller(hand)) == size
        for neighbour, cards in deck.larger(hand):
            deletions = dict(deck.smaller(neighbour.cards))[classification.list_class]
            assert classification.lists * cards == neighbour.lists * deletions


def test_samples_are_even() -> None:
    """1,000 lists of 54, within six standard deviations each."""
    ranks = [NINE.rank(row) for row in NINE.sample(4, 1000, seed=1).tolist()]
    assert abs(np.bincount(ranks, minlength=54) - 1000 / 54).max() < 6 * (1000 / 54) ** 0.5


@pytest.mark.parametrize("size", range(10))
def test_odds_of_the_deck_of_nine_hand_by_hand(size: int) -> None:
    hands = list(combinations(deck_cards(2), size))
    odds = setset.odds(size, dimension=2)
    assert odds.lists == sum(first_set(hand) is None for hand in hands)
    assert odds.hands == len(hands) == comb(9, size)
    assert odds.mean_sets == Fraction(sum(len(setset.find_sets(hand)) for hand in hands), len(hands))


@pytest.mark.parametrize(("dimension", "table"), [(2, 6), (3, 9)])
def test_a_game_with_a_smaller_deck(dimension: int, table: int) -> None:
    steps = list(setset.play_out(seed=7, dimension=dimension))
    assert len(steps[0].before.table) == table
    last = steps[-1].after
    assert last.over
    cards = [card for triple in last.taken for card in triple.cards]
    assert sorted([*cards, *last.table]) == list(deck_cards(dimension))


@pytest.mark.parametrize("dimension", [1, 4, 11])
def test_no_such_deck(dimension: int) -> None:
    with pytest.raises(setset.BadInput, match="expected 2 or 3"):
        setset.Deck(dimension)


ANSWERS = {
    "classes --dimension 3": "9        1    2,106",
    "classes list 8 --dimension 3 --complete": "8/1    0 1 9 10 27 28 36 38           8  37,908",
    "classes list 6 --dimension 3 --spans 3 --stabilizer 4": "6/1 ",
    "classes show 6/1 --dimension 3": "4 of the 303,264 symmetries",
    "classify --dimension 3 r1fd g2fs p1fd": "3/0: 2,808 of the 2,808 lists",
    "identify --dimension 2 r1fd g1fs": "12 of the 432 symmetries",
    "count --dimension 2": "   4     54              54  OK",
    "sample 9 --dimension 3 --seed 1": "1 9 18 29 36 47 56 65 72",
    "odds --dimension 3": "exactly: 2,106 of 4,686,825 hands",
    "odds 5 --dimension 2": "always a set; the maximum without a set is 4 cards",
    "find --deal 9 --dimension 3 --seed 4": "5 sets among 9 cards",
    "deal --dimension 2 --seed 1": "solid",
    "play --auto --dimension 3 --seed 3": "round  1   9 cards, deck 18",
    "sat solve 9 --dimension 3": "class 9/14 of 2,106 lists, no card can be added",
    "sat solve 10 --dimension 3": "any 10 cards of the 27 hold a set, so 9 is the maximum without a set",
}


@pytest.mark.parametrize("command", ANSWERS)
def test_commands(run: Run, command: str) -> None:
    if command.startswith("sat"):
        pytest.importorskip("pysat")
    code, out, _ = run(*command.split())
    assert code == 0
    assert ANSWERS[command] in out


REFUSED = {
    "classes --dimension 5": "dimension 5: expected 2, 3 or 4",
    "count --dimension 3 --target 5": "--target is for a workspace",
    "count 5 --dimension 2": "lists of 0 to 4 cards, not of 5",
    "classes show 9/0 --dimension 3": "no list of class 9/0 is in the deck of dimension 3",
    "classes list 4 --dimension 3 --hyperplane 2+1+1": "--hyperplane is for the whole deck",
    "classify --dimension 3 r1fd g2hs": "card 40 (green two striped squiggle) is not in the deck of dimension 3",
    "identify --dimension 2 r1fd r2fd": "solid cards with one symbol",
    "find --dimension 3 0 1 3": "card 3 (red one striped diamond) is not in the deck",
    "sample 10 --dimension 3": "lists of 1 to 9 cards, not of 10",
    "odds 28 --dimension 3": "no hands of 28 cards",
    "deal 10 --dimension 2": "cannot deal 10 cards from a deck of 9",
    "sat encode 5 --dimension 3 --fix frame": "--fix frame is for the whole deck",
}


@pytest.mark.parametrize("command", REFUSED)
def test_one_line_for_what_is_not_possible(run: Run, command: str) -> None:
    code, out, err = run(*command.split())
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert REFUSED[command] in err


def test_many_hands(run: Run, tmp_path: Path) -> None:
    hands = tmp_path / "hands.txt"
    hands.write_text("0 1 9\n0 1 2\n0 1 3\n")
    code, out, err = run("classify", "--file", str(hands), "--dimension", "3")
    assert (code, out.splitlines()) == (1, ["3/0     0 1 9", "-       0 1 2  set 0 1 2"])
    assert "line 3: card 3" in err
    code, out, _ = run("classify", "--file", str(hands), "--dimension", "3", "--json")
    assert [json.loads(line).get("lists_in_class") for line in out.splitlines()] == [2808, None, None]
