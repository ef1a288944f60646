"""Cards that a SAT problem may fix without losing its answer.

An affine map takes sets to sets, so the image of a list of K cards is a list of K cards.
Fixing cards is sound for K if every list of K cards has an image that holds the fixed cards.

Triangle. Three cards of a list are no set. Affine maps take any three cards that are no set to any other such three.

Frame. A hyperplane holds at most 9 cards of a list. So a list of K > 9 cards lies in no hyperplane and holds five cards
in general position. Affine maps take any five cards in general position to any other such five.

Cases. The three colours are three parallel hyperplanes, so one of them holds at least K / 3 cards of the list: 7 or
more if K >= 19. A map takes this colour to the first colour. A plane holds at most 4 cards of a list, so seven of these
cards span the hyperplane. Maps of the hyperplane extend to all cards, so some map takes the seven cards to the
representative of their class among the 7-lists that span a hyperplane. There are two such classes. As K > 9, the list
has a card outside the hyperplane. Write a card as (x, y), where x is its colour, and y its other three digits. The maps
(x, y) -> (a x, y + x v), with a = 1 or 2 and any of the 27 vectors v, fix each card of the hyperplane x = 0, and take
any card outside to any other. So one card outside may also be fixed. This makes two cases with eight cards each, and
every list of K >= 19 cards has an image that contains one of them. This module computes the numbers 4 and 9 and the
two classes; it does not assume them.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from setset.cards import Cards, first_set, parse_cards, span, third
from setset.errors import BadInput, SetsetError

FRAME: Final = (0, 1, 3, 9, 27)
"""Five cards in general position. The first d + 1 cards span a flat (affine subspace) of dimension d."""
COLOURS: Final = 3
SEVEN: Final = 7
NAMES: Final = ("none", "triangle", "frame", "cases")


@dataclass(frozen=True)
class Fixing:
    """Cards that a SAT problem fixes. A *case* is a group of cards; the answer must contain at least one whole case.

    Affine maps take every list of at least `least` cards to a list that contains a whole case. If a user chose the
    cards, `least` is None, and the answer covers only lists that contain these cards.
    """

    name: str
    cases: tuple[Cards, ...]
    least: int | None


def fix_cards(name: str, cards: int) -> Fixing:
    """Returns the cards to fix in a SAT problem, from the name of a fixing or from a text with cards.

    Args:
        name: none, triangle, frame or cases, or cards such as '0,1,3'.
        cards: number of cards without a set that the problem asks for.

    Returns:
        The fixing.

    Raises:
        BadInput: the fixing is not sound for this number of cards, or the text is neither a name nor cards.

    >>> fix_cards("frame", 20).cases
    ((0, 1, 3, 9, 27),)
    """
    fixed = _named_fixing(name) if name in NAMES else _chosen_fixing(name)
    if fixed.least is not None and cards < fixed.least:
        best = strongest_fixing(cards)
        raise BadInput(
            f"--fix {name} may lose answers with fewer than {fixed.least} cards: for {cards} cards give --fix {best}"
        )
    return fixed


def strongest_fixing(cards: int) -> str:
    """Name of the fixing with the most fixed cards, among the fixings that are sound for this number of cards."""
    return next(name for name in reversed(NAMES) if cards >= (_named_fixing(name).least or 0))


@cache
def _named_fixing(name: str) -> Fixing:
    """Makes the fixing with one of the names in `NAMES`."""
    hyperplane = span(FRAME[:4])
    if name == "none":
        return Fixing(name, ((),), 0)
    if name == "triangle":
        return Fixing(name, (FRAME[:3],), 3)
    if name == "frame":
        return Fixing(name, (FRAME,), largest_list_size(hyperplane, FRAME[:4]) + 1)
    outside = FRAME[4]
    least = COLOURS * (SEVEN - 1) + 1
    return Fixing(name, tuple((*seven, outside) for seven in spanning_sevens()), least)


def spanning_sevens() -> tuple[Cards, ...]:
    """Canonical forms of the 7-lists that span a hyperplane.

    Such a list holds four cards in general position, and an affine map takes them to the first four cards of `FRAME`.
    So it is enough to classify the lists that contain these four cards and lie in the hyperplane that they span.

    Returns:
        The canonical forms, in order.

    Raises:
        SetsetError: a check of the proof in the module docstring fails. This never happens.

    >>> spanning_sevens()
    ((0, 1, 3, 4, 9, 10, 12), (0, 1, 3, 4, 9, 10, 14))
    """
    from setset.symmetry import canonical_form

    hyperplane, plane = span(FRAME[:4]), span(FRAME[:3])
    if largest_list_size(plane, FRAME[:3]) >= SEVEN:
        raise SetsetError("seven cards of a list could lie in a plane: the argument for two cases fails")
    forms = {canonical_form(cards) for cards in grow_lists(FRAME[:4], hyperplane) if len(cards) == SEVEN}
    for form in forms:
        if span(form) != hyperplane:
            raise SetsetError(f"the canonical form {form} does not span the hyperplane of the cards 0 to 26")
    return tuple(sorted(forms))


def largest_list_size(flat: Sequence[int], frame: Sequence[int]) -> int:
    """Size of the largest list in a flat (affine subspace). `frame` is an affine basis of the flat.

    Searches only the lists that contain `frame`. A map takes every other list that spans the flat to such a list, and
    lists in a smaller flat are not larger.
    """
    return max(len(cards) for cards in grow_lists(frame, flat))


def grow_lists(start: Sequence[int], flat: Sequence[int]) -> Iterator[Cards]:
    """Yields each list that lies in `flat` and contains the cards `start`, once. In each list, the cards `start` come
    first, then the other cards in ascending order."""

    def grow(cards: Cards, left: Sequence[int]) -> Iterator[Cards]:
        yield cards
        for index, card in enumerate(left):
            blocked = {third(card, chosen) for chosen in cards}
            yield from grow((*cards, card), [later for later in left[index + 1 :] if later not in blocked])

    blocked = {third(a, b) for a in start for b in start}
    yield from grow(tuple(start), [card for card in flat if card not in blocked])


def _chosen_fixing(text: str) -> Fixing:
    """Makes the fixing of cards that a user chose."""
    cards = tuple(sorted(parse_cards([text])))
    triple = first_set(cards)
    if triple is not None:
        raise BadInput(f"the fixed cards hold a set: {' '.join(map(str, triple))}")
    if not cards:
        raise BadInput(f"--fix needs one of {', '.join(NAMES)}, or cards such as 0,1,3")
    return Fixing("cards", (cards,), None)
