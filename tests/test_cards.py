"""The deck: numbering, names, codes, and cards as points of a geometry."""

from __future__ import annotations

import itertools
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from setset import cards
from setset.errors import BadInput

CARD = st.integers(0, 80)


def test_every_card_has_its_own_name_and_code() -> None:
    """81 names and 81 codes, and each is read as the card that it was printed for."""
    assert len({cards.name(card) for card in range(81)}) == 81
    assert len({cards.code(card) for card in range(81)}) == 81
    for card in range(81):
        assert cards.parse(str(card)) == card
        assert cards.parse(cards.name(card)) == card
        assert cards.parse(cards.code(card)) == card
        assert cards.from_digits(*cards.digits(card)) == card


def test_parts_of_a_name_and_of_a_code_come_in_any_order() -> None:
    for card in range(81):
        for order in itertools.permutations(range(4)):
            assert cards.parse(" ".join(cards.name(card).split()[i] for i in order)) == card
            assert cards.parse("".join(cards.code(card)[i] for i in order)) == card


def test_synonyms_are_words_of_their_own() -> None:
    """No word means two things, and each word, also in the plural, means its value."""
    words = [
        (word, feature, value)
        for feature, values in enumerate(cards.VALUES)
        for value, name in enumerate(values)
        for word in (name, *cards.SYNONYMS[feature][value])
    ]
    assert len({word for word, _, _ in words}) == len(words)
    for word, feature, value in words:
        parts = ["red", "one", "solid", "diamond"]
        expected = value * cards.WEIGHTS[feature]
        for form in (word, word.upper(), f"{word}s"):
            parts[feature] = form
            assert cards.parse(" ".join(parts)) == expected


@pytest.mark.parametrize(
    ("text", "card"),
    [
        ("0", 0),
        (" 80 ", 80),
        ("green two striped squiggle", 40),
        ("2 green shaded squiggles", 40),
        ("Purple-Three-Empty-Pill", 80),
        ("rhombus outlined 1 red", 6),
        ("wave_green_2_hatched", 40),
        ("P3EO", 80),
    ],
)
def test_what_people_type(text: str, card: int) -> None:
    assert cards.parse(text) == card


@pytest.mark.parametrize(
    "text",
    ["", "81", "-1", "1.0", "red", "red one solid", "red green one solid", "red one solid diamond diamond",
     "r1f", "r1fx", "rr1f", "rgp1", "red one solid hexagon", "٣", "9" * 5000, "x" * 5000, "1 2 3 1"],
)  # fmt: skip
def test_what_is_no_card_is_refused_in_one_line(text: str) -> None:
    with pytest.raises(BadInput) as error:
        cards.parse(text)
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 200


@pytest.mark.parametrize(
    "arguments",
    [
        ["0", "40", "80"],
        ["0,40,80"],
        ["0, 40", "80"],
        ["r1fd", "g2hs", "p3eo"],
        ["red one solid diamond", "40", "p3eo"],
        ["red one solid diamond, green two striped squiggle; purple three open oval"],
        ["red", "one", "solid", "diamond", "green", "2", "striped", "squiggle", "3", "purple", "open", "oval"],
        ["red", "1", "solid", "diamond,", "green", "2", "striped", "squiggle,", "80"],
    ],
)
def test_a_command_line_of_cards(arguments: list[str]) -> None:
    assert cards.parse_cards(arguments) == (0, 40, 80)


def test_the_first_bad_card_of_a_command_line_is_named() -> None:
    with pytest.raises(BadInput, match="'99'"):
        cards.parse_cards(["0", "99", "100"])


@pytest.mark.parametrize("arguments", [["5", "5"], ["0", "red one solid diamond"], ["r1fd,r1fd"]])
def test_a_card_given_twice_is_refused(arguments: list[str]) -> None:
    with pytest.raises(BadInput, match="given twice"):
        cards.parse_cards(arguments)


@given(st.lists(CARD, unique=True), st.randoms())
@settings(deadline=None)
def test_any_mixture_of_spellings_is_read(hand: list[int], random: Random) -> None:
    texts = [random.choice([str, cards.name, cards.code])(card) for card in hand]
    assert cards.parse_cards(texts) == tuple(hand)
    assert cards.parse_cards([", ".join(texts)]) == tuple(hand)


def test_each_pair_of_cards_lies_in_exactly_one_set() -> None:
    """1,080 sets in the deck, and the pairs of all their cards are all pairs of cards, each once."""
    sets = cards.all_sets()
    assert sets == sorted(sets)
    assert len(sets) == 1080
    pairs = [pair for s in sets for pair in itertools.combinations(s, 2)]
    assert sorted(pairs) == list(itertools.combinations(range(81), 2))


def test_the_table_of_third_cards_is_the_function() -> None:
    table = cards.third_table()
    assert all(table[a, b] == cards.third(a, b) for a in range(81) for b in range(81))


def test_sets_are_exact_in_every_place_of_the_card() -> None:
    """Arithmetic on card numbers (a, b, then 2b - a) finds 272 of the 1,080 sets and 1,328 false ones."""
    triples = list(itertools.combinations(range(81), 3))
    true = {t for t in triples if all(len({cards.digits(c)[p] for c in t}) != 2 for p in range(4))}
    progressions = {(a, b, c) for a, b, c in triples if c == 2 * b - a}
    assert {t for t in triples if cards.is_set(*t)} == true
    assert (len(progressions & true), len(progressions - true)) == (272, 1328)


@given(CARD, CARD)
@settings(deadline=None)
def test_third_card_is_symmetric_and_an_involution(a: int, b: int) -> None:
    assert cards.third(a, b) == cards.third(b, a)
    assert cards.third(a, cards.third(a, b)) == b
    assert (cards.third(a, b) in (a, b)) == (a == b)


@given(st.lists(CARD, max_size=7))
@settings(deadline=None)
def test_a_span_is_the_smallest_flat(hand: list[int]) -> None:
    """The same cards as closing the hand under third cards, one pair at a time."""
    flat = set(hand)
    while True:
        thirds = {cards.third(a, b) for a in flat for b in flat} - flat
        if not thirds:
            break
        flat |= thirds
    assert cards.span(hand) == tuple(sorted(flat))


def test_there_are_1170_planes() -> None:
    """81 * 80 * 78 ordered triangles, 9 * 8 * 6 of them in each plane."""
    planes = {cards.span(t) for t in itertools.combinations(range(81), 3) if not cards.is_set(*t)}
    assert len(planes) == 81 * 80 * 78 // (9 * 8 * 6) == 1170


def test_first_set() -> None:
    assert cards.first_set((80, 40, 0, 7)) == (0, 40, 80)
    assert cards.first_set((0, 1, 3)) is None


WORDS = st.sampled_from(["red", "one", "r1fd", "80", "-1", "81", ",", ";", "solid", "²", "٣", "\0", " ", "9" * 5000])


@settings(max_examples=500)
@given(st.text(max_size=60) | st.lists(WORDS, max_size=6).map(" ".join))
def test_any_text_is_a_card_or_refused(text: str) -> None:
    try:
        card = cards.parse(text)
    except BadInput:
        return
    assert 0 <= card < cards.CARDS


@settings(max_examples=500)
@given(st.lists(st.text(max_size=30) | WORDS, max_size=8))
def test_any_command_line_is_cards_or_refused(texts: list[str]) -> None:
    try:
        parsed = cards.parse_cards(texts)
    except BadInput:
        return
    assert len(set(parsed)) == len(parsed)
    assert all(0 <= card < cards.CARDS for card in parsed)
