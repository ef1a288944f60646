"""The deck: 81 cards as the points of AG(4,3).

A card is an integer 0..80 whose four base-3 digits, most significant first, are colour, count, shading
and shape. Three cards form a set if in each digit they are all the same or all different, that is, if
their digits sum to 0 modulo 3 for each feature. Such a set is a line of AG(4,3).
"""

from __future__ import annotations

import contextlib
import difflib
import operator
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import combinations
from typing import TYPE_CHECKING, Final

from setset.errors import BadInput, SetsetError, require_whole
from setset.lazy import Shown

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

Cards = tuple[int, ...]
"""Cards, each a number 0..80."""
CardsLike = str | Iterable[int | str]
"""Cards as users write them: numbers, names or codes, or one string with several cards, such as `"r1fd g2hs 80"`."""
Triple = tuple[int, int, int]

CARDS: Final = 81
LARGEST: Final = 20
"""Maximum number of cards in a list, since any 21 cards hold a set (Pellegrino 1970)."""

FEATURES: Final = ("colour", "count", "shading", "shape")
VALUES: Final = (
    ("red", "green", "purple"),
    ("one", "two", "three"),
    ("solid", "striped", "open"),
    ("diamond", "squiggle", "oval"),
)
WEIGHTS: Final = (27, 9, 3, 1)
SYNONYMS: Final = (
    (("crimson",), ("emerald",), ("violet", "magenta", "blue")),
    (("1", "single"), ("2", "double"), ("3", "triple")),
    (
        ("filled", "full"),
        ("shaded", "stripped", "hatched", "stripy", "stripey", "striated", "lined"),
        ("empty", "outlined", "outline", "hollow", "blank", "unfilled"),
    ),
    (
        ("rhombus", "lozenge", "rhomb"),
        ("wave", "squiggly", "tilde", "wiggle", "worm"),
        ("pill", "ellipse", "capsule", "stadium", "round"),
    ),
)
"""Synonyms that players use for the values, in the order of `VALUES`."""

CODES: Final = ("rgp", "123", "fhe", "dso")
"""Letters of short codes: red green purple; 1 2 3; filled hatched empty; diamond squiggle oval. All twelve letters
differ, so the letters of a code may be in any order."""


class Hand(tuple[int, ...], Shown):
    """A tuple of cards that a notebook displays as a picture."""

    __slots__ = ()


class HoldsSet(SetsetError):
    """The given cards hold a set, so they are not a list. The attribute `cards` is the first set."""

    def __init__(self, cards: Triple) -> None:
        self.cards = cards
        super().__init__("the cards hold a set: {} {} {}".format(*cards))


def digits(card: int) -> tuple[int, int, int, int]:
    """The four digits of a card: colour, count, shading and shape, each 0..2."""
    return card // 27, card // 9 % 3, card // 3 % 3, card % 3


def from_digits(colour: int, count: int, shading: int, shape: int) -> int:
    """The card with this colour, count, shading and shape, each 0..2."""
    return colour * 27 + count * 9 + shading * 3 + shape


def third(a: int, b: int) -> int:
    """The card that completes a and b to a set (a itself if a == b).

    >>> third(0, 40)
    80
    """
    return from_digits(*(-(x + y) % 3 for x, y in zip(digits(a), digits(b), strict=True)))


def third_table() -> npt.NDArray[np.uint8]:
    """Makes a table of third cards: `table[a, b] == third(a, b)` for all pairs of cards."""
    import numpy as np  # not at the top, because most users of this module do not need numpy

    points = np.array([digits(card) for card in range(CARDS)])
    sums = -(points[:, None, :] + points[None, :, :]) % 3
    table: npt.NDArray[np.uint8] = (sums @ np.array(WEIGHTS)).astype(np.uint8)
    return table


def is_set(a: int, b: int, c: int) -> bool:
    """Whether three cards are different and form a set."""
    return a != b and third(a, b) == c


def all_sets() -> list[Triple]:
    """The 1,080 sets of the deck, ascending."""
    return list(sets_in(range(CARDS)))


def span(cards: Iterable[int]) -> Cards:
    """The smallest flat (affine subspace) that contains the cards, ascending: 0, 1, 3, 9, 27 or 81 cards.

    Let p be a card of a flat. To extend the flat by a card c, add x + (c - p) and x - (c - p) for each card x of the
    flat. Since third(a, b) = -(a + b), these cards are third(p, third(x, c)) and third(c, third(x, p)).
    """
    flat: set[int] = set()
    for card in cards:
        if card not in flat:
            origin = min(flat, default=card)
            flat |= {third(origin, third(x, card)) for x in flat} | {third(card, third(x, origin)) for x in flat}
            flat.add(card)
    return tuple(sorted(flat))


def name(card: int) -> str:
    """The full name of a card.

    >>> name(40)
    'green two striped squiggle'
    """
    return " ".join(VALUES[feature][value] for feature, value in enumerate(digits(card)))


def code(card: int) -> str:
    """The short code of a card: a letter of `CODES` for each of colour, count, shading and shape.

    >>> code(40)
    'g2hs'
    """
    return "".join(CODES[feature][value] for feature, value in enumerate(digits(card)))


@lru_cache(maxsize=1024)
def parse(text: str) -> int:
    """Parses a card: a number 0..80, a full name, or a short code. Words and letters may be in any order.

    Raises:
        BadInput: the text is not a card.

    >>> parse("2 green shaded squiggles"), parse("g2hs"), parse("40")
    (40, 40, 40)
    """
    word = text.strip().lower()
    if word.isascii() and word.isdecimal() and len(word) < 10 and int(word) < CARDS:
        return int(word)
    words = word.replace("-", " ").replace("_", " ").split()
    if len(words) == 1:
        card = _card_of([_LETTERS[letter] for letter in word if letter in _LETTERS], len(word))
    else:
        card = _card_of([_WORDS[part] for part in words if part in _WORDS], len(words))
    if card is None:
        shown = text if len(text) <= 60 else text[:57] + "..."
        advice = _did_you_mean(words) or "give 0 to 80, a name such as 'red one solid diamond', or r1fd"
        raise BadInput(f"not a card: {shown!r} ({advice})")
    return card


def _card_of(meanings: Sequence[tuple[int, int]], parts: int) -> int | None:
    """Returns the card with the given values, each as (feature, value). None unless there is one value per feature."""
    values = dict(meanings)
    if not len(values) == parts == len(FEATURES):
        return None
    return sum(WEIGHTS[feature] * value for feature, value in values.items())


def _did_you_mean(words: Sequence[str]) -> str:
    """Returns advice for an error message: the card whose name is closest to four words. Empty if no name is close."""
    if len(words) != len(FEATURES):
        return ""
    nearest = [match for word in words for match in difflib.get_close_matches(word, _WORDS, 1)]
    meant = _card_of([_WORDS[word] for word in nearest], len(words))
    return "" if meant is None else f"did you mean {name(meant)!r}?"


def parse_cards(texts: Iterable[str]) -> Cards:
    """Parses the cards in the arguments of a command line, and returns them in the given order.

    An argument is a card, or several cards separated by commas or spaces. If the shell has split card names into words,
    joins the words and splits them again: at commas or, without commas, after every four words.

    Raises:
        BadInput: an argument is not a card, or a card is given twice.

    >>> parse_cards(["0,40", "p3eo"]), parse_cards(["0 g2hs p3eo"])
    ((0, 40, 80), (0, 40, 80))
    """
    arguments = list(texts)
    try:
        return check_cards([_NUMBERS[argument] for argument in arguments])  # the fast path: only plain numbers
    except KeyError:
        return check_cards(_parse_words(arguments))


def _parse_words(arguments: Sequence[str]) -> list[int]:
    """Parses the cards in arguments. At least one argument is not a plain number."""
    try:
        return [parse(piece) for argument in arguments for piece in _pieces(argument)]
    except BadInput:
        whole = " ".join(arguments)
        words = whole.split()
        features = len(FEATURES)
        fours = [" ".join(words[start : start + features]) for start in range(0, len(words), features)]
        for pieces in (_pieces(whole) if "," in whole else fours, words):
            with contextlib.suppress(BadInput):
                return [parse(piece) for piece in pieces]
        raise


def check_cards(cards: CardsLike) -> Cards:
    """Checks that cards are valid and different, and returns them as plain integers in the given order.

    Raises:
        BadInput: something is not a card, or a card is given twice.

    >>> check_cards(["r1fd", 40, "purple three open oval"]), check_cards("r1fd g2hs 80")
    ((0, 40, 80), (0, 40, 80))
    """
    if isinstance(cards, str):
        return parse_cards(cards.split())
    try:
        values = tuple(cards)
    except TypeError:
        raise BadInput(f"not cards: {cards!r} (give a list such as [0, 40, 80], or 'r1fd g2hs 80')") from None
    try:  # the fast path: only valid numbers
        numbers: Cards = tuple(map(operator.index, values))  # type: ignore[arg-type]
        different = set(numbers)
        if len(different) == len(numbers) and different <= _DECK:
            return numbers
    except TypeError:
        pass
    seen: list[int] = []
    for card in values:
        try:
            number = parse(card) if isinstance(card, str) else operator.index(card)
        except TypeError:
            raise BadInput(f"not a card: {card!r} (cards are 0 to {CARDS - 1})") from None
        if number not in _DECK:
            raise BadInput(f"not a card: {number} (cards are 0 to {CARDS - 1})")
        if number in seen:
            raise BadInput(f"card {number} ({name(number)}) is given twice")
        seen.append(number)
    return tuple(seen)


def check_list(cards: CardsLike) -> Cards:
    """Checks that cards are a list (all different, no set among them), and returns them in ascending order.

    Raises:
        BadInput: something is not a card, or a card is given twice.
        HoldsSet: there is a set among the cards.

    >>> check_list([9, 3, 1])
    (1, 3, 9)
    """
    hand = tuple(sorted(check_cards(cards)))
    triple = first_set(hand)
    if triple is not None:
        raise HoldsSet(triple)
    return hand


def deck_cards(dimension: int) -> Cards:
    """Cards of the deck with this number of features, ascending.

    Four features: all 81 cards. Three: the 27 solid cards, which are the Junior deck. Two: the 9 solid cards with one
    symbol, which vary in colour and shape.

    Raises:
        BadInput: the dimension is not 2, 3 or 4.

    >>> deck_cards(2)
    (0, 1, 2, 27, 28, 29, 54, 55, 56)
    """
    if dimension not in _FIXED:
        raise BadInput(f"dimension {dimension}: expected 2, 3 or 4")
    return tuple(card for card in range(CARDS) if not any(digits(card)[feature] for feature in _FIXED[dimension]))


def check_deck(cards: Cards, dimension: int) -> Cards:
    """Checks that cards are in the deck of this dimension, and returns them.

    Raises:
        BadInput: a card is not in the deck of this dimension.
    """
    for card in sorted(set(cards).difference(deck_cards(dimension))):
        held = "solid cards" if dimension == 3 else "solid cards with one symbol"
        raise BadInput(f"card {card} ({name(card)}) is not in the deck of dimension {dimension}, which has {held}")
    return cards


def check_size(size: int, least: int = 0, largest: int = LARGEST) -> int:
    """Checks that a size is in range, and returns it.

    Raises:
        BadInput: there are no lists of this size.
    """
    require_whole("size", size)
    if not least <= size <= largest:
        raise BadInput(f"there are lists of {least} to {largest} cards, not of {size}")
    return size


def sets_in(cards: Sequence[int]) -> Iterator[Triple]:
    """Yields each set among different cards once. Sets, and the cards in each set, keep the order of `cards`."""
    index_of = {card: index for index, card in enumerate(cards)}
    for (_, a), (j, b) in combinations(enumerate(cards), 2):
        if index_of.get(c := third(a, b), -1) > j:
            yield a, b, c


def first_set(cards: Iterable[int]) -> Triple | None:
    """The first set among the cards in ascending order; None if the cards hold no set.

    >>> first_set([80, 40, 0, 7])
    (0, 40, 80)
    """
    return next(sets_in(sorted(cards)), None)


def _pieces(text: str) -> list[str]:
    """Splits a text at commas and semicolons. Drops blank parts."""
    return [piece for piece in text.replace(";", ",").split(",") if piece.strip()]


def _meanings() -> dict[str, tuple[int, int]]:
    """Makes a dictionary from each word for a value, singular and plural, to (feature, value)."""
    meant = {}
    for feature, values in enumerate(VALUES):
        for index, value in enumerate(values):
            for word in (value, *SYNONYMS[feature][index]):
                meant[word] = meant[f"{word}s"] = (feature, index)
    return meant | {"rhombi": (3, 0), "rhombuses": (3, 0)}


_FIXED: Final[dict[int, tuple[int, ...]]] = {2: (1, 2), 3: (2,), 4: ()}
"""For each dimension of a deck, the features whose digit is 0 for all cards of the deck."""
_DECK: Final = frozenset(range(CARDS))
_NUMBERS: Final = {str(card): card for card in range(CARDS)}
_WORDS: Final = _meanings()
_LETTERS: Final = {
    letter: (feature, index) for feature, letters in enumerate(CODES) for index, letter in enumerate(letters)
}
