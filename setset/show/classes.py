"""The catalogue of classes, and what it says of a hand, as text or JSON."""

from __future__ import annotations

import dataclasses
from bisect import bisect
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import tee
from math import inf
from typing import TYPE_CHECKING, Any

import click

from setset.cards import HoldsSet, code, name
from setset.show.columns import Column, fold
from setset.show.formatting import (
    fields,
    how_many,
    number,
    print_fields,
    print_json,
    print_json_line,
    print_lines,
    print_records,
    spaced,
    terminal_width,
    to_json,
)

if TYPE_CHECKING:
    from setset.symmetry import Catalogue, ClassDescription, Classification, ListClass, Neighbour, Totals

SIZES: dict[Column, Callable[[Totals], str]] = {
    Column("size"): lambda each: str(each.size),
    Column("classes"): lambda each: number(each.classes),
    Column("lists"): lambda each: number(each.lists),
    Column("complete classes", 40): lambda each: number(each.complete_classes),
    Column("complete lists", 30): lambda each: number(each.complete_lists),
    Column("classes of the game", 20): lambda each: number(each.game_classes),
    Column("chance of no set", 50): lambda each: f"{float(each.chance):.6g}",
    Column("exactly", 10): lambda each: " / ".join(map(number, each.chance.as_integer_ratio())),
}


def print_classes(sizes: Sequence[Totals], as_json: bool, wide: bool = False) -> None:
    """A row per size."""
    if as_json:
        print_json([totals_as_json(each) for each in sizes])
    else:
        print_records(SIZES, sizes, wide=wide)


def totals_as_json(each: Totals) -> dict[str, Any]:
    chance = each.chance
    exact = {"numerator": chance.numerator, "denominator": chance.denominator, "decimal": float(chance)}
    return {**dataclasses.asdict(each), "hands": each.hands, "chance": exact}


def print_built(each: Totals) -> None:
    """A line on a size that was classified and stored just now."""
    classes = how_many(each.classes, "class", "classes")
    click.echo(f"size {each.size}: {classes}, {how_many(each.lists, 'list')}")


def print_classified(found: Classification, catalogue: Catalogue, as_json: bool, wide: bool = False) -> None:
    """All about a hand without a set."""
    if as_json:
        print_json(classified_as_json(found, catalogue.lists(found.list_class.size)))
        return
    one, remaining = found.list_class, _remaining(found)
    above = f"{len(remaining)} of these above the highest card"
    lines = {
        "cards": spaced(found.cards),
        "class": _class_text(one, catalogue.lists(one.size)),
        "canonical": spaced(found.form),
        "map": str(found.map),
        "stabilizer": stabilizer_text(found.stabilizer),
        "complete": "yes, no card can be added" if found.complete else "no",
        "can be added": None if found.complete else f"{len(found.extensions)}: {spaced(found.extensions)}",
        "remaining": None if found.complete else f"{above}: {spaced(remaining)}".rstrip(" :"),
    }
    print_fields(lines, wide)


def _class_text(one: ListClass, lists: int) -> str:
    return f"{one}: {number(one.lists)} of the {how_many(lists, 'list')} of {how_many(one.size, 'card')}"


def stabilizer_text(order: int) -> str:
    return f"{number(order)} of the 1,965,150,720 symmetries {'keeps' if order == 1 else 'keep'} the list"


CLASSES: dict[Column, Callable[[ClassDescription], str]] = {
    Column("class", left=True): lambda found: str(found.list_class),
    Column("representative", left=True): lambda found: spaced(found.list_class.cards),
    Column("dimension", 10): lambda found: str(found.dimension),
    Column("stabilizer", 50): lambda found: number(found.list_class.stabilizer),
    Column("structure", 22, left=True): lambda found: found.traits.structure,
    Column("orbits", 15, left=True): lambda found: found.traits.orbits,
    Column("lists", 60): lambda found: number(found.list_class.lists),
    Column("extensions", 40): lambda found: str(found.list_class.extensions),
    Column("complete", 35): lambda found: "yes" if found.list_class.complete else "no",
    Column("smaller", 20): lambda found: number(len(found.smaller)),
    Column("larger", 25): lambda found: number(len(found.larger)),
}


def print_class_list(found: Sequence[ClassDescription], start: int, known: int, as_json: bool, wide: bool) -> None:
    """A row per class, from index `start` of all that are `known`; JSON makes an object of each."""
    if as_json:
        for each in found:
            print_json_line(class_as_json(each))
        return
    print_records(CLASSES, found, wide=wide, pages=True)
    after = known - start - len(found)
    if after > 0:
        more = f"{number(after)} more: --start {start + len(found)}, or --all"
        click.echo("\n".join(fold(more, terminal_width() or len(more))), err=True)


def print_class(found: ClassDescription, lists: int, as_json: bool, wide: bool) -> None:
    """All about a class; `lists` is how many there are of its size."""
    if as_json:
        print_json(class_as_json(found))
        return
    one = found.list_class
    cuts = (f"{'+'.join(map(str, cards))} in {number(times)}" for cards, times in found.hyperplanes.items())
    excluded = ", ".join(f"{pairs} by {number(cards)}" for pairs, cards in found.exclusions.items())
    lines = {
        "class": _class_text(one, lists),
        "representative": spaced(one.cards),
        "dimension": str(found.dimension),
        "stabilizer": stabilizer_text(one.stabilizer),
        "structure": found.traits.structure + ("" if found.dimension == 4 else ", on the flat of the list"),
        "orbits": f"{found.traits.orbits or 0} on the list, {found.traits.extension_orbits or 0} on what can be added",
        "complete": "yes, no card can be added" if one.complete else "no",
        "can be added": None if one.complete else how_many(one.extensions, "card"),
        "smaller": neighbours_text(found.smaller, "one card less"),
        "larger": neighbours_text(found.larger, "one card more"),
        "hyperplanes": f"cards in three parallel ones, in each of 40 directions: {', '.join(cuts)}",
        "excluded": f"cards outside by pairs that they complete: {excluded}",
        "in the game": how_many(found.game_classes, "class", "classes") + " under its own 31,104 symmetries",
    }
    print_fields(lines, wide)


def neighbours_text(others: Sequence[Neighbour], how: str) -> str:
    if not others:
        return "none"
    classes = how_many(len(others), "class", "classes")
    named = (f"{other}" if cards == 1 else f"{other} ({cards} ways)" for other, cards in others)
    return f"{classes} by {how}: {', '.join(named)}"


def class_as_json(found: ClassDescription) -> dict[str, Any]:
    one = found.list_class
    return {
        "class": str(one),
        **fields(one, "size", "number"),
        "representative": one.cards,
        "dimension": found.dimension,
        **fields(one, "stabilizer", "lists", "extensions", "complete"),
        **found.traits._asdict(),
        "game_classes": found.game_classes,
        "exclusions": [{"pairs": pairs, "cards": cards} for pairs, cards in found.exclusions.items()],
        "smaller": [{"class": str(other), "cards": cards} for other, cards in found.smaller],
        "larger": [{"class": str(other), "cards": cards} for other, cards in found.larger],
        "hyperplanes": [{"cards": cards, "directions": times} for cards, times in found.hyperplanes.items()],
        "directions": [{"form": form, "cards": cards} for form, cards in found.directions],
    }


def _remaining(found: Classification) -> Sequence[int]:
    """The cards that can be added above the highest one."""
    return found.extensions[bisect(found.extensions, found.cards[-1]) :] if found.cards else found.extensions


def classified_as_json(found: Classification, lists_of_size: int) -> dict[str, Any]:
    """All about a hand without a set, as a record."""
    return {
        "cards": found.cards,
        "class": str(found.list_class),
        "canonical": found.form,
        "map": {"matrix": found.map.matrix, "translation": found.map.translation},
        "lists_in_class": found.lists,
        "lists_of_size": lists_of_size,
        **fields(found, "stabilizer", "complete", "extensions"),
        "remaining": _remaining(found),
    }


def _held_set_as_json(cards: Sequence[int], held: HoldsSet) -> dict[str, Any]:
    return {"cards": sorted(cards), "class": None, "set": held.cards}


def print_many_classified(
    hands: Iterable[tuple[int, Sequence[int]]],
    catalogue: Catalogue,
    as_json: bool,
    report: Callable[[int, Exception], None],
    rejected: list[tuple[int, str]],
) -> None:
    """A line per hand: its class, or a dash, the cards, and the set if there is one.

    `report` gets what is wrong with a line, and adds it to `rejected`. JSON has a row for such a line too.
    """
    from setset.symmetry import Classification, classes_of, classify_many

    def rejections(before: float = inf) -> Iterator[str]:
        while as_json and rejected and rejected[0][0] < before:
            line, error = rejected.pop(0)
            yield to_json({"line": line, "cards": None, "class": None, "error": error})

    def lines() -> Iterator[str]:
        # A line of text has only the class, not the map and the rest.
        answer = classify_many if as_json else classes_of
        asked, alone = tee(hands)
        for (line, cards), found in zip(asked, answer((cards for _, cards in alone), catalogue), strict=False):
            yield from rejections(line)
            if isinstance(found, HoldsSet):
                held = _held_set_as_json(cards, found)
                text = f"{'-':<8}{spaced(sorted(cards))}  set {spaced(found.cards)}"
                yield to_json({"line": line, **held}) if as_json else text
            elif isinstance(found, Exception):
                report(line, found)
            elif isinstance(found, Classification):
                lists = catalogue.lists(found.list_class.size)
                yield to_json({"line": line, **classified_as_json(found, lists)})
            else:
                yield f"{found!s:<8}{spaced(sorted(cards))}"
        yield from rejections()

    print_lines(lines())


def print_held_set(cards: Sequence[int], held: HoldsSet, as_json: bool) -> None:
    """Why a hand has no class."""
    if as_json:
        print_json(_held_set_as_json(cards, held))
        return
    click.echo(str(held))
    click.echo(f"  {' '.join(map(code, held.cards))}  {', '.join(map(name, held.cards))}")


def print_rank(cards: Sequence[int], rank: int, catalogue: Catalogue, as_json: bool) -> None:
    """The rank of a list among the lists of its size and of its class."""
    if as_json:
        print_json(_rank_as_json(cards, rank, catalogue))
        return
    one, in_class = catalogue.class_at(len(cards), rank)
    size = f"{how_many(catalogue.lists(one.size), 'list')} of {how_many(one.size, 'card')}"
    click.echo(f"rank {number(rank)} of the {size}, from 0")
    click.echo(f"rank {number(in_class)} of the {how_many(one.lists, 'list')} of class {one}")


def rank_line(line: int, cards: Sequence[int], rank: int, catalogue: Catalogue, as_json: bool) -> str:
    """The rank of one of many lists."""
    if as_json:
        return to_json({"line": line, **_rank_as_json(cards, rank, catalogue)})
    return f"{rank}  {spaced(sorted(cards))}"


def _rank_as_json(cards: Sequence[int], rank: int, catalogue: Catalogue) -> dict[str, Any]:
    one, in_class = catalogue.class_at(len(cards), rank)
    found = {"rank": rank, "lists_of_size": catalogue.lists(one.size), "class": str(one)}
    return {"cards": sorted(cards), **found, "rank_in_class": in_class, "lists_in_class": one.lists}
