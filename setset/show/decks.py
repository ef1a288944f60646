"""Prints classes and counts of the smaller decks, with 9 and 27 cards, as text or JSON."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from setset.show.classes import SIZES, class_text, neighbours_text, print_rest, stabilizer_text
from setset.show.columns import Column
from setset.show.formatting import (
    fields,
    how_many,
    number,
    print_fields,
    print_json,
    print_json_line,
    print_records,
    spaced,
)

if TYPE_CHECKING:
    from setset.spaces import Deck, DeckTotals
    from setset.symmetry import ListClass

TOTALS: dict[Column, Callable[[Any], str]] = {
    column: cell for column, cell in SIZES.items() if column.title != "classes of the game"
}
CLASSES: dict[Column, Callable[[ListClass], str]] = {
    Column("class", left=True): str,
    Column("representative", left=True): lambda list_class: spaced(list_class.cards),
    Column("stabilizer", 50): lambda list_class: number(list_class.stabilizer),
    Column("lists", 60): lambda list_class: number(list_class.lists),
    Column("extensions", 40): lambda list_class: str(list_class.extensions),
    Column("complete", 35): lambda list_class: "yes" if list_class.complete else "no",
}


def print_deck_totals(sizes: Sequence[DeckTotals], as_json: bool, wide: bool) -> None:
    """Prints the numbers of classes and lists of a smaller deck: a row per size, or JSON."""
    if not as_json:
        print_records(TOTALS, sizes, wide=wide)
        return
    print_json([
        {
            **dataclasses.asdict(totals),
            "chance": {**fields(totals.chance, "numerator", "denominator"), "decimal": float(totals.chance)},
        }
        for totals in sizes
    ])  # fmt: skip


def print_deck_classes(classes: Sequence[ListClass], start: int, total: int, as_json: bool, wide: bool) -> None:
    """Prints a row or a JSON object per class. `start` is the index of the first printed class, `total` the number of
    all classes that match."""
    if as_json:
        for list_class in classes:
            print_json_line(_class_as_json(list_class))
        return
    print_records(CLASSES, classes, wide=wide, pages=True)
    print_rest(start + len(classes), total)


def _class_as_json(list_class: ListClass) -> dict[str, Any]:
    return {
        "class": str(list_class),
        **fields(list_class, "size", "number"),
        "representative": list_class.cards,
        **fields(list_class, "stabilizer", "lists", "extensions", "complete"),
    }


def print_deck_class(list_class: ListClass, deck: Deck, as_json: bool, wide: bool) -> None:
    """Prints all facts about a class of a smaller deck."""
    smaller, larger = deck.smaller(list_class.cards), deck.larger(list_class.cards)
    if as_json:
        neighbours = {"smaller": smaller, "larger": larger}
        links = {
            name: [{"class": str(neighbour), "cards": cards} for neighbour, cards in neighbours[name]]
            for name in neighbours
        }
        print_json({**_class_as_json(list_class), **links})
        return
    lines = {
        "class": class_text(list_class, deck.lists(list_class.size)),
        "representative": spaced(list_class.cards),
        "stabilizer": stabilizer_text(list_class),
        "complete": "yes, no card can be added" if list_class.complete else "no",
        "can be added": None if list_class.complete else how_many(list_class.extensions, "card"),
        "smaller": neighbours_text(smaller, "one card less"),
        "larger": neighbours_text(larger, "one card more"),
    }
    print_fields(lines, wide)


def print_deck_counts(deck: Deck, size: int | None, as_json: bool, wide: bool) -> bool:
    """Prints a row per size of a smaller deck: the number of lists counted one by one, and the same number computed
    from the classes. Returns whether the two numbers agree for all sizes."""
    sizes = range(deck.largest + 1) if size is None else [size]
    rows = [{"size": size, "lists": len(deck.all_lists(size)), "class_sum": deck.lists(size)} for size in sizes]
    if as_json:
        print_json([{"dimension": deck.dimension, **row} for row in rows])
    else:
        columns: dict[Column, Callable[[dict[str, int]], str]] = {
            Column("size"): lambda row: str(row["size"]),
            Column("lists"): lambda row: number(row["lists"]),
            Column("by the classes"): lambda row: number(row["class_sum"]),
            Column("verdict", left=True): lambda row: "OK" if row["lists"] == row["class_sum"] else "WRONG",
        }
        print_records(columns, rows, f"Lists of the deck of {len(deck.cards)} cards, counted one by one", wide)
    return all(row["lists"] == row["class_sum"] for row in rows)
