"""Pages to identify one or many hands: their sets, or their class if there is no set."""

import secrets
from collections.abc import Sequence

import setset
from setset.cards import CARDS, code, name, parse_cards
from setset.show.cards.layout import lay_out
from setset.show.cards.png import draw_png
from setset.show.cards.svg import draw_svg
from setset.show.classes import classified_as_json
from setset.web.class_index import catalogue_columns
from setset.web.classes import grid
from setset.web.query import Answer, NotFound, Query, Redirect
from setset.web.site import Site

MOST_HANDS = 2_000
MOST_OUTLINED = 150
"""Maximum number of sets that a picture outlines. To outline the 1,080 sets of the whole deck, a core needs 10 s."""
RINGS = 8
"""Number of colours for the rings around the cards of a set."""
FACTS = ("class", "complete", "extensions", "stabilizer", "lists_in_class", "rank")
COLUMNS = ("line", "cards", "sets", *FACTS, "problem")


def address(cards: Sequence[int]) -> str:
    """Makes the URL of the page about a hand."""
    return "/identify" + ("?cards=" + ",".join(map(str, cards)) if cards else "")


def identify(_: Site, query: Query) -> Answer:
    """Shows the sets among the cards of a hand or, if it has no set, its class."""
    count = query.optional("deal", 0, CARDS)
    if count is not None:
        seed = query.optional("seed", 0, 2**64 - 1)
        raise Redirect(address(setset.deal(count, seed)))
    cards = query.cards()
    sets = setset.find_sets(cards)
    return {
        "cards": [{"card": card, "code": code(card), "name": name(card)} for card in cards],
        "sets": sets,
        "grid": _marks(cards, sets),
        "list": None if sets else _list(cards),
        "larger": None if sets else _larger(cards),
    }


def _marks(cards: Sequence[int], sets: Sequence[tuple[int, int, int]]) -> list[Answer]:
    """Describes each card of the deck: whether it is in the hand, excluded (would complete a set) or addable, and the
    URL of the hand with the card added or removed."""
    rings = {card: number % RINGS for number, cards_of_set in reversed(list(enumerate(sets))) for card in cards_of_set}
    return [
        {
            "card": card,
            "mark": "in-set" if card in rings else mark,
            "ring": rings.get(card),
            "toggle": address([other for other in cards if other != card] if card in cards else [*cards, card]),
        }
        for card, mark in enumerate(grid(cards))
    ]


def _larger(cards: Sequence[int]) -> int:
    """Number of larger hands without a set that contain the cards of a hand."""
    list_class = setset.classify(cards).list_class
    larger: int = catalogue_columns()[list_class.size]["larger"][list_class.number]
    return larger


def _list(cards: Sequence[int]) -> Answer:
    """Class of a hand without a set, map of the hand to the canonical form, and rank."""
    catalogue = setset.catalogue_in_memory()
    classified = setset.classify(cards)
    rank = setset.rank(cards)
    return {
        **classified_as_json(classified, catalogue.lists(len(classified.cards))),
        "map_text": str(classified.map),
        "rank": rank,
        "rank_in_class": catalogue.class_at(len(cards), rank)[1],
    }


def complete(_: Site, query: Query) -> Answer:
    """Adds random cards to a hand, without making a set, until no card can be added. Redirects to the page about the
    hand."""
    cards = list(query.cards())
    while not setset.find_sets(cards):
        addable = [card for card, mark in enumerate(grid(cards)) if mark == "addable"]
        if not addable:
            break
        cards.append(secrets.choice(addable))
    raise Redirect(address(cards))


def picture(cards: Sequence[int], kind: str) -> bytes:
    """Draws the cards of a hand as an SVG or PNG picture. Outlines the sets, unless there are too many of them."""
    if kind not in ("svg", "png"):
        raise NotFound(f"there is no picture of the kind {kind[:20]!r}")
    sets = setset.find_sets(cards)
    layout = lay_out(cards, sets=sets if len(sets) <= MOST_OUTLINED else ())
    return draw_svg(layout).encode() if kind == "svg" else draw_png(layout, 1.0)


def many(_: Site, query: Query) -> Answer:
    """Shows a row for each of many hands. The input has one hand per line."""
    texts = [text for text in (*query.values.get("hands", ()), *query.values.get("file", ())) if text.strip()]
    lines = [line for text in texts for line in text.splitlines() if line.strip()]
    if len(lines) > MOST_HANDS:
        raise setset.BadInput(f"{len(lines):,} hands: at most {MOST_HANDS:,} at once, or use 'setset classify'")
    records = [_row(number, line) for number, line in enumerate(lines, 1)]
    rows = [[row.get(column) for column in COLUMNS] for row in records]
    return {"columns": COLUMNS, "rows": rows, "most": MOST_HANDS}


def _row(number: int, line: str) -> Answer:
    try:
        cards = parse_cards(line[:2_000].split())
    except setset.BadInput as error:
        return {"line": number, "cards": line[:200], "problem": str(error)}
    sets = len(setset.find_sets(cards))
    row = {"line": number, "cards": cards, "sets": sets}
    if sets:
        return row
    classified = setset.classify(cards)
    list_class, rank = classified.list_class, setset.rank(cards)
    facts = (
        str(list_class),
        classified.complete,
        len(classified.extensions),
        list_class.stabilizer,
        list_class.lists,
        rank,
    )
    return {**row, **dict(zip(FACTS, facts, strict=True))}
