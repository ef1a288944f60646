"""The catalogue of classes, and what it says of a hand, as text or JSON."""

from __future__ import annotations

import dataclasses
import shutil
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click

from setset.cards import HoldsSet, code, name
from setset.show.formatting import how_many, number, print_json, print_lines, print_table, to_json

if TYPE_CHECKING:
    from setset.symmetry import Catalogue, Classification, Totals

TABLE = ("size", "classes", "lists", "complete classes", "complete lists", "classes of the game")
WIDE = 150
"""Columns of text that the table takes with the exact chances beside the others."""


def print_classes(sizes: Sequence[Totals], as_json: bool) -> None:
    """A row a size. A terminal too narrow for the exact chances has them below."""
    if as_json:
        print_json([_as_json(each) for each in sizes])
        return
    exact = [f"{number(each.chance.numerator)} / {number(each.chance.denominator)}" for each in sizes]
    rows = [[*_figures(each), _decimal(each)] for each in sizes]
    if sys.stdout.isatty() and shutil.get_terminal_size().columns < WIDE:
        print_table("", (*TABLE, "chance of no set"), rows, left=0)
        print_table("", ("size", "chance of no set, exactly"), zip(map(_size, sizes), exact, strict=True))
        return
    whole = [[*row, fraction] for row, fraction in zip(rows, exact, strict=True)]
    print_table("", (*TABLE, "chance of no set", "exactly"), whole, left=0)


def _size(each: Totals) -> str:
    return str(each.size)


def _figures(each: Totals) -> list[str]:
    counts = (each.classes, each.lists, each.complete_classes, each.complete_lists, each.game_classes)
    return [_size(each), *map(number, counts)]


def _decimal(each: Totals) -> str:
    return f"{float(each.chance):.6g}"


def _as_json(each: Totals) -> dict[str, Any]:
    chance = each.chance
    exact = {"numerator": chance.numerator, "denominator": chance.denominator, "decimal": float(chance)}
    return {**dataclasses.asdict(each), "hands": each.hands, "chance": exact}


def print_built(each: Totals) -> None:
    """A line on a size that was classified and stored just now."""
    classes = "1 class" if each.classes == 1 else f"{number(each.classes)} classes"
    click.echo(f"size {each.size}: {classes}, {how_many(each.lists, 'list')}")


def print_classified(found: Classification, catalogue: Catalogue, as_json: bool) -> None:
    """All about a hand without a set."""
    if as_json:
        print_json(_classified_as_json(found, catalogue.lists(found.list_class.size)))
        return
    one = found.list_class
    lists = catalogue.lists(one.size)
    remaining = _remaining(found)
    lines = {
        "cards": _spelled(found.cards),
        "class": f"{one}: {number(found.lists)} of the {number(lists)} lists of {one.size} cards",
        "canonical": _spelled(found.form),
        "map": str(found.map),
        "stabilizer": f"{number(found.stabilizer)} of the 1,965,150,720 symmetries keep the list",
        "complete": "yes, no card can be added" if found.complete else "no",
        "can be added": f"{len(found.extensions)}: {_spelled(found.extensions)}",
        "remaining": f"{len(remaining)} of these above the highest card: {_spelled(remaining)}",
    }
    if found.complete:
        del lines["can be added"], lines["remaining"]
    for word, line in lines.items():
        click.echo(f"{word:<14}{line}".rstrip(" :"))


def _remaining(found: Classification) -> list[int]:
    """The cards that can be added above the highest one."""
    return [card for card in found.extensions if not found.cards or card > found.cards[-1]]


def _classified_as_json(found: Classification, lists_of_size: int) -> dict[str, Any]:
    return {
        "cards": list(found.cards),
        "class": str(found.list_class),
        "canonical": list(found.form),
        "map": {"matrix": found.map.matrix, "translation": found.map.translation},
        "lists_in_class": found.lists,
        "lists_of_size": lists_of_size,
        "stabilizer": found.stabilizer,
        "complete": found.complete,
        "extensions": list(found.extensions),
        "remaining": _remaining(found),
    }


def _held_set_as_json(cards: Sequence[int], held: HoldsSet) -> dict[str, Any]:
    return {"cards": sorted(cards), "class": None, "set": list(held.cards)}


def print_many_classified(
    hands: Iterable[tuple[int, Sequence[int]]],
    catalogue: Catalogue,
    as_json: bool,
    report: Callable[[int, Exception], None],
) -> None:
    """A line a hand: its class, or a dash, the cards, and the set if there is one. `report` gets what is wrong."""
    from setset.symmetry import classify_many

    asked: deque[tuple[int, Sequence[int]]] = deque()

    def cards_alone() -> Iterator[Sequence[int]]:
        for line, cards in hands:
            asked.append((line, cards))
            yield cards

    def lines() -> Iterator[str]:
        for found in classify_many(cards_alone(), catalogue):
            line, cards = asked.popleft()
            if isinstance(found, HoldsSet):
                held = _held_set_as_json(cards, found)
                text = f"{'-':<8}{_spelled(sorted(cards))}  set {_spelled(found.cards)}"
                yield to_json({"line": line, **held}) if as_json else text
            elif isinstance(found, Exception):
                report(line, found)
            elif as_json:
                lists = catalogue.lists(found.list_class.size)
                yield to_json({"line": line, **_classified_as_json(found, lists)})
            else:
                yield f"{found.list_class!s:<8}{_spelled(found.cards)}"

    print_lines(lines())


def print_held_set(cards: Sequence[int], held: HoldsSet, as_json: bool) -> None:
    """Why a hand has no class."""
    if as_json:
        print_json(_held_set_as_json(cards, held))
        return
    click.echo(str(held))
    click.echo(f"  {' '.join(map(code, held.cards))}  {', '.join(map(name, held.cards))}")


def print_rank(cards: Sequence[int], rank: int, catalogue: Catalogue, as_json: bool) -> None:
    """The rank of a list among those of its size and of its class."""
    if as_json:
        print_json(_rank_as_json(cards, rank, catalogue))
        return
    one, in_class = catalogue.class_at(len(cards), rank)
    lists = catalogue.lists(one.size)
    click.echo(f"rank {number(rank)} of the {number(lists)} lists of {one.size} cards, from 0")
    click.echo(f"rank {number(in_class)} of the {number(one.lists)} lists of class {one}")


def rank_line(line: int, cards: Sequence[int], rank: int, catalogue: Catalogue, as_json: bool) -> str:
    """The rank of one of many lists."""
    if as_json:
        return to_json({"line": line, **_rank_as_json(cards, rank, catalogue)})
    return f"{rank}  {_spelled(sorted(cards))}"


def _rank_as_json(cards: Sequence[int], rank: int, catalogue: Catalogue) -> dict[str, Any]:
    one, in_class = catalogue.class_at(len(cards), rank)
    found = {"rank": rank, "lists_of_size": catalogue.lists(one.size), "class": str(one)}
    return {"cards": sorted(cards), **found, "rank_in_class": in_class, "lists_in_class": one.lists}


def _spelled(cards: Sequence[int]) -> str:
    return " ".join(map(str, cards))
