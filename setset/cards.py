"""The deck: 81 cards as the points of AG(4,3).

A card is an integer 0..80 whose four base-3 digits, most significant first, are colour, count, shading
and shape. Three cards form a set if in each digit they are all the same or all different, that is, if
their digits sum to 0 modulo 3 in each place: they are a line of the geometry.
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

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

Cards = tuple[int, ...]
"""Some cards, each a number 0..80."""
CardsLike = str | Iterable[int | str]
"""Cards as people write them: numbers, names or codes, also as one string: `"r1fd g2hs 80"`."""
Triple = tuple[int, int, int]

CARDS: Final = 81
LARGEST: Final = 20
"""No 21 cards are without a set (Pellegrino 1970), so no list is longer than this."""

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
"""Other words that players use for the same values, place by place as in `VALUES`."""

CODES: Final = ("rgp", "123", "fhe", "dso")
"""The letters of short codes: red green purple; 1 2 3; filled hatched empty; diamond squiggle oval. All
twelve differ, so a code can be read in any order."""


class HoldsSet(SetsetError):
    """Cards that should be a list hold a set: `cards` are the three, the first ones if there are more."""

    def __init__(self, cards: Triple) -> None:
        self.cards = cards
        super().__init__("the cards hold a set: {} {} {}".format(*cards))


def digits(card: int) -> tuple[int, int, int, int]:
    """The card's colour, count, shading and shape, each 0..2."""
    return card // 27, card // 9 % 3, card // 3 % 3, card % 3


def from_digits(colour: int, count: int, shading: int, shape: int) -> int:
    """The card with this colour, count, shading and shape, each 0..2."""
    return colour * 27 + count * 9 + shading * 3 + shape


def third(a: int, b: int) -> int:
    """The one card that completes a and b to a set (a itself if a == b).

    >>> third(0, 40)
    80
    """
    return from_digits(*(-(x + y) % 3 for x, y in zip(digits(a), digits(b), strict=True)))


def third_table() -> npt.NDArray[np.uint8]:
    """`table[a, b] == third(a, b)` for all pairs of cards."""
    import numpy as np  # not at the top: most of this module is needed where numpy is not

    places = np.array([digits(card) for card in range(CARDS)])
    sums = -(places[:, None, :] + places[None, :, :]) % 3
    table: npt.NDArray[np.uint8] = (sums @ np.array(WEIGHTS)).astype(np.uint8)
    return table


def is_set(a: int, b: int, c: int) -> bool:
    """Whether the three are different cards that form a set."""
    return a != b and third(a, b) == c


def all_sets() -> list[Triple]:
    """The 1,080 sets of the deck, ascending."""
    return list(sets_in(range(CARDS)))


def span(cards: Iterable[int]) -> Cards:
    """The smallest flat that holds the cards, ascending: 0, 1, 3, 9, 27 or 81 cards.

    A card c outside a flat with a card p makes of each card x of the flat x + (c - p) and x - (c - p). The third of
    two cards is minus their sum, so these are the thirds of p, third(x, c) and of c, third(x, p).
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
    return " ".join(VALUES[place][value] for place, value in enumerate(digits(card)))


def code(card: int) -> str:
    """The short code of a card: a letter of `CODES` for each of colour, count, shading and shape.

    >>> code(40)
    'g2hs'
    """
    return "".join(CODES[place][value] for place, value in enumerate(digits(card)))


@lru_cache(maxsize=1024)
def parse(text: str) -> int:
    """The card that a text means: a number 0..80, a full name or a short code, their parts in any order.

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
        found = _card_of([_LETTERS[letter] for letter in word if letter in _LETTERS], len(word))
    else:
        found = _card_of([_WORDS[part] for part in words if part in _WORDS], len(words))
    if found is None:
        shown = text if len(text) <= 60 else text[:57] + "..."
        advice = _did_you_mean(words) or "give 0 to 80, a name such as 'red one solid diamond', or r1fd"
        raise BadInput(f"not a card: {shown!r} ({advice})")
    return found


def _card_of(meanings: Sequence[tuple[int, int]], parts: int) -> int | None:
    """The card with these values, each (place, value); None unless there are four parts, one for each place."""
    values = dict(meanings)
    if not len(values) == parts == len(FEATURES):
        return None
    return sum(WEIGHTS[place] * value for place, value in values.items())


def _did_you_mean(words: Sequence[str]) -> str:
    """The name of the card that four words nearly are, as a question; nothing if that is not clear."""
    if len(words) != len(FEATURES):
        return ""
    nearest = [match for word in words for match in difflib.get_close_matches(word, _WORDS, 1)]
    meant = _card_of([_WORDS[word] for word in nearest], len(words))
    return "" if meant is None else f"did you mean {name(meant)!r}?"


def parse_cards(texts: Iterable[str]) -> Cards:
    """The different cards, in the order given, that the arguments of a command line mean.

    An argument is a card or several with commas between them. A name that the shell has split into its
    words is put together again: at commas if there are any, else four words a card.

    Raises:
        BadInput: an argument is not a card, or a card is given twice.

    >>> parse_cards(["0,40", "p3eo"])
    (0, 40, 80)
    """
    arguments = list(texts)
    try:
        return check_cards([_NUMBERS[each] for each in arguments])  # nearly always plain numbers
    except KeyError:
        return check_cards(_parse_words(arguments))


def _parse_words(arguments: Sequence[str]) -> list[int]:
    """The cards that arguments mean which are not all plain numbers."""
    try:
        return [parse(piece) for argument in arguments for piece in _pieces(argument)]
    except BadInput:
        whole = " ".join(arguments)
        words = whole.split()
        places = len(FEATURES)
        fours = [" ".join(words[start : start + places]) for start in range(0, len(words), places)]
        with contextlib.suppress(BadInput):
            return [parse(piece) for piece in (_pieces(whole) if "," in whole else fours)]
        raise


def check_cards(cards: CardsLike) -> Cards:
    """The same cards in the same order, as plain integers.

    Raises:
        BadInput: something is not a card, or a card is given twice.

    >>> check_cards(["r1fd", 40, "purple three open oval"]), check_cards("r1fd g2hs 80")
    ((0, 40, 80), (0, 40, 80))
    """
    if isinstance(cards, str):
        return parse_cards(cards.split())
    try:
        given = tuple(cards)
    except TypeError:
        raise BadInput(f"not cards: {cards!r} (give a list such as [0, 40, 80], or 'r1fd g2hs 80')") from None
    try:  # nearly always all is well, which is seen at once
        numbers: Cards = tuple(map(operator.index, given))  # type: ignore[arg-type]
        different = set(numbers)
        if len(different) == len(numbers) and different <= _DECK:
            return numbers
    except TypeError:
        pass
    seen: list[int] = []
    for card in given:
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
    """The cards in ascending order, which are a list: all different, no set among them.

    Raises:
        BadInput: something is not a card, or a card is given twice.
        HoldsSet: there is a set among the cards.

    >>> check_list([9, 3, 1])
    (1, 3, 9)
    """
    hand = tuple(sorted(check_cards(cards)))
    found = first_set(hand)
    if found is not None:
        raise HoldsSet(found)
    return hand


def check_size(size: int, least: int = 0, largest: int = LARGEST) -> int:
    """The size of a list, if it is in range.

    Raises:
        BadInput: there are no lists of this size.
    """
    require_whole("size", size)
    if not least <= size <= largest:
        raise BadInput(f"there are lists of {least} to {largest} cards, not of {size}")
    return size


def sets_in(cards: Sequence[int]) -> Iterator[Triple]:
    """Every set among different cards, once: in the order of their places, the cards of each in the order given."""
    place = {card: index for index, card in enumerate(cards)}
    for (_, a), (j, b) in combinations(enumerate(cards), 2):
        if place.get(c := third(a, b), -1) > j:
            yield a, b, c


def first_set(cards: Iterable[int]) -> Triple | None:
    """The first set among the cards, in ascending order; None if they are a list.

    >>> first_set([80, 40, 0, 7])
    (0, 40, 80)
    """
    return next(sets_in(sorted(cards)), None)


def _pieces(text: str) -> list[str]:
    """The parts of a text between commas or semicolons."""
    return [piece for piece in text.replace(";", ",").split(",") if piece.strip()]


def _meanings() -> dict[str, tuple[int, int]]:
    """Each word for a feature, in singular and plural, as (place, value)."""
    meant = {}
    for place, values in enumerate(VALUES):
        for index, value in enumerate(values):
            for word in (value, *SYNONYMS[place][index]):
                meant[word] = meant[f"{word}s"] = (place, index)
    return meant | {"rhombi": (3, 0), "rhombuses": (3, 0)}


_DECK: Final = frozenset(range(CARDS))
_NUMBERS: Final = {str(card): card for card in range(CARDS)}
_WORDS: Final = _meanings()
_LETTERS: Final = {
    letter: (place, index) for place, letters in enumerate(CODES) for index, letter in enumerate(letters)
}
