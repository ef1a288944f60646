"""Prints classes of the catalogue, and the class or rank of a hand, as text or JSON."""

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
    plain,
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
    from setset.spaces import Deck
    from setset.symmetry import Catalogue, ClassDescription, Classification, ListClass, Neighbour, Totals

SIZES: dict[Column, Callable[[Totals], str]] = {
    Column("size"): lambda totals: str(totals.size),
    Column("classes"): lambda totals: number(totals.classes),
    Column("lists"): lambda totals: number(totals.lists),
    Column("complete classes", 40): lambda totals: number(totals.complete_classes),
    Column("complete lists", 30): lambda totals: number(totals.complete_lists),
    Column("classes of the game", 20): lambda totals: number(totals.game_classes),
    Column("chance of no set", 50): lambda totals: f"{float(totals.chance):.6g}",
    Column("exactly", 10): lambda totals: " / ".join(map(number, totals.chance.as_integer_ratio())),
}


def print_classes(sizes: Sequence[Totals], as_json: bool, wide: bool = False) -> None:
    """Prints the numbers of classes and lists in the catalogue: a row per size, or JSON."""
    if as_json:
        print_json([totals_as_json(totals) for totals in sizes])
    else:
        print_records(SIZES, sizes, wide=wide)


def totals_as_json(totals: Totals) -> dict[str, Any]:
    return {**dataclasses.asdict(totals), "hands": totals.hands, "chance": plain(totals.chance)}


def print_built(totals: Totals) -> None:
    """Prints a line about a size of the catalogue that `setset classes build` has just stored."""
    classes = how_many(totals.classes, "class", "classes")
    click.echo(f"size {totals.size}: {classes}, {how_many(totals.lists, 'list')}")


def print_classified(
    classification: Classification, catalogue: Catalogue | Deck, as_json: bool, wide: bool = False
) -> None:
    """Prints the class, symmetries and possible extensions of a hand without a set."""
    if as_json:
        print_json(classified_as_json(classification, catalogue.lists(classification.list_class.size)))
        return
    list_class, remaining = classification.list_class, _remaining(classification)
    extensions = classification.extensions
    above = f"{len(remaining)} of the {len(extensions)} are above the highest card"
    lines = {
        "cards": spaced(classification.cards),
        "class": class_text(list_class, catalogue.lists(list_class.size)),
        "canonical": spaced(classification.form),
        "map": str(classification.map),
        "stabilizer": stabilizer_text(list_class),
        "complete": "yes, no card can be added" if classification.complete else "no",
        "can be added": None if classification.complete else f"{len(extensions)}: {spaced(extensions)}",
        "remaining": None if classification.complete else f"{above}: {spaced(remaining)}".rstrip(" :"),
    }
    print_fields(lines, wide)


def class_text(list_class: ListClass, lists: int) -> str:
    cards = how_many(list_class.size, "card")
    return f"{list_class}: {number(list_class.lists)} of the {how_many(lists, 'list')} of {cards}"


def stabilizer_text(list_class: ListClass) -> str:
    order = list_class.stabilizer
    return f"{number(order)} of the {number(list_class.group)} symmetries {'keeps' if order == 1 else 'keep'} the list"


CLASSES: dict[Column, Callable[[ClassDescription], str]] = {
    Column("class", left=True): lambda description: str(description.list_class),
    Column("representative", left=True): lambda description: spaced(description.list_class.cards),
    Column("dimension", 10): lambda description: str(description.dimension),
    Column("stabilizer", 50): lambda description: number(description.list_class.stabilizer),
    Column("structure", 22, left=True): lambda description: description.traits.structure,
    Column("orbits", 15, left=True): lambda description: description.traits.orbits,
    Column("lists", 60): lambda description: number(description.list_class.lists),
    Column("extensions", 40): lambda description: str(description.list_class.extensions),
    Column("complete", 35): lambda description: "yes" if description.list_class.complete else "no",
    Column("smaller", 20): lambda description: number(len(description.smaller)),
    Column("larger", 25): lambda description: number(len(description.larger)),
}


def print_class_list(
    descriptions: Sequence[ClassDescription], start: int, total: int, as_json: bool, wide: bool
) -> None:
    """Prints a row or a JSON object per class. `start` is the index of the first printed class, `total` the number of
    all classes that match."""
    if as_json:
        for description in descriptions:
            print_json_line(class_as_json(description))
        return
    print_records(CLASSES, descriptions, wide=wide, pages=True)
    print_rest(start + len(descriptions), total)


def print_rest(shown: int, total: int) -> None:
    """Prints on stderr how many classes follow the first `shown` classes, and the options that show them."""
    if shown < total:
        more = f"{how_many(total - shown, 'more class', 'more classes')}: --start {shown}, or --all"
        click.echo("\n".join(fold(more, terminal_width() or len(more))), err=True)


def print_class(description: ClassDescription, lists: int, as_json: bool, wide: bool) -> None:
    """Prints all facts about a class. `lists` is the number of all lists of the same size."""
    if as_json:
        print_json(class_as_json(description))
        return
    list_class, traits = description.list_class, description.traits
    cuts = (f"{'+'.join(map(str, cards))} in {number(times)}" for cards, times in description.hyperplanes.items())
    excluded = ", ".join(f"{pairs} for {how_many(cards, 'card')}" for pairs, cards in description.exclusions.items())
    lines = {
        "class": class_text(list_class, lists),
        "representative": spaced(list_class.cards),
        "dimension": str(description.dimension),
        "stabilizer": stabilizer_text(list_class),
        "structure": traits.structure + ("" if description.dimension == 4 else ", on the flat that the list spans"),
        "orbits": f"{traits.orbits or 0} on the list, {traits.extension_orbits or 0} on cards that can be added",
        "complete": "yes, no card can be added" if list_class.complete else "no",
        "can be added": None if list_class.complete else how_many(list_class.extensions, "card"),
        "smaller": neighbours_text(description.smaller, "one card less"),
        "larger": neighbours_text(description.larger, "one card more"),
        "hyperplanes": f"cards in three parallel hyperplanes, in each of 40 directions: {', '.join(cuts)}",
        "excluded": f"number of pairs that a card outside the list completes to a set: {excluded}",
        "in the game": how_many(description.game_classes, "class", "classes") + " under the game's 31,104 symmetries",
    }
    print_fields(lines, wide)


def neighbours_text(neighbours: Sequence[Neighbour], step: str) -> str:
    if not neighbours:
        return "none"
    classes = how_many(len(neighbours), "class", "classes")
    named = (f"{neighbour}" if cards == 1 else f"{neighbour} ({cards} ways)" for neighbour, cards in neighbours)
    return f"{classes} by {step}: {', '.join(named)}"


def class_as_json(description: ClassDescription) -> dict[str, Any]:
    list_class = description.list_class
    return {
        "class": str(list_class),
        **fields(list_class, "size", "number"),
        "representative": list_class.cards,
        "dimension": description.dimension,
        **fields(list_class, "stabilizer", "lists", "extensions", "complete"),
        **description.traits._asdict(),
        "game_classes": description.game_classes,
        "exclusions": [{"pairs": pairs, "cards": cards} for pairs, cards in description.exclusions.items()],
        "smaller": [{"class": str(neighbour), "cards": cards} for neighbour, cards in description.smaller],
        "larger": [{"class": str(neighbour), "cards": cards} for neighbour, cards in description.larger],
        "hyperplanes": [{"cards": cards, "directions": times} for cards, times in description.hyperplanes.items()],
        "directions": [{"form": form, "cards": cards} for form, cards in description.directions],
    }


def _remaining(classification: Classification) -> Sequence[int]:
    """Cards that can be added and are higher than all cards of the hand."""
    extensions = classification.extensions
    return extensions[bisect(extensions, classification.cards[-1]) :] if classification.cards else extensions


def classified_as_json(classification: Classification, lists_of_size: int) -> dict[str, Any]:
    """Returns facts about a hand without a set and about its class as a JSON object."""
    return {
        "cards": classification.cards,
        "class": str(classification.list_class),
        "canonical": classification.form,
        "map": {"matrix": classification.map.matrix, "translation": classification.map.translation},
        "lists_in_class": classification.lists,
        "lists_of_size": lists_of_size,
        **fields(classification, "stabilizer", "complete", "extensions"),
        "remaining": _remaining(classification),
    }


def _held_set_as_json(cards: Sequence[int], held: HoldsSet) -> dict[str, Any]:
    return {"cards": sorted(cards), "class": None, "set": held.cards}


def print_many_classified(
    hands: Iterable[tuple[int, Sequence[int]]],
    catalogue: Catalogue | Deck,
    as_json: bool,
    report: Callable[[int, Exception], None],
    rejected: list[tuple[int, str]],
) -> None:
    """Prints a line per hand: its class and cards. For a hand with a set, prints a dash, the cards and the set.

    If an input line is not a hand, calls `report`, which adds the line number and the error to `rejected`. JSON
    output has an object for each entry of `rejected`.
    """
    from setset.spaces import Deck
    from setset.symmetry import Classification, classes_of, classify_many

    def rejections(before: float = inf) -> Iterator[str]:
        while as_json and rejected and rejected[0][0] < before:
            line, error = rejected.pop(0)
            yield to_json({"line": line, "cards": None, "class": None, "error": error})

    def lines() -> Iterator[str]:
        # Text output needs only the class, which `classes_of` computes faster.
        numbered, alone = tee(hands)
        only = (cards for _, cards in alone)
        answers: Iterable[Classification | ListClass | Exception]
        if isinstance(catalogue, Deck):
            answers = catalogue.classify_many(only)
        else:
            answers = classify_many(only, catalogue) if as_json else classes_of(only, catalogue)
        for (line, cards), answer in zip(numbered, answers, strict=False):
            yield from rejections(line)
            if isinstance(answer, HoldsSet):
                held = _held_set_as_json(cards, answer)
                text = f"{'-':<8}{spaced(sorted(cards))}  set {spaced(answer.cards)}"
                yield to_json({"line": line, **held}) if as_json else text
            elif isinstance(answer, Exception):
                report(line, answer)
            elif isinstance(answer, Classification) and as_json:
                lists = catalogue.lists(answer.list_class.size)
                yield to_json({"line": line, **classified_as_json(answer, lists)})
            else:
                list_class = answer.list_class if isinstance(answer, Classification) else answer
                yield f"{list_class!s:<8}{spaced(sorted(cards))}"
        yield from rejections()

    print_lines(lines())


def print_held_set(cards: Sequence[int], held: HoldsSet, as_json: bool) -> None:
    """Prints the first set in a hand. A hand with a set has no class."""
    if as_json:
        print_json(_held_set_as_json(cards, held))
        return
    click.echo(str(held))
    click.echo(f"  {' '.join(map(code, held.cards))}  {', '.join(map(name, held.cards))}")


def print_rank(cards: Sequence[int], rank: int, catalogue: Catalogue, as_json: bool) -> None:
    """Prints the rank of a list among the lists of its size, and among the lists of its class."""
    if as_json:
        print_json(_rank_as_json(cards, rank, catalogue))
        return
    list_class, in_class = catalogue.class_at(len(cards), rank)
    lists_of_size = f"{how_many(catalogue.lists(list_class.size), 'list')} of {how_many(list_class.size, 'card')}"
    click.echo(f"rank {number(rank)} of the {lists_of_size}, from 0")
    click.echo(f"rank {number(in_class)} of the {how_many(list_class.lists, 'list')} of class {list_class}")


def rank_line(line: int, cards: Sequence[int], rank: int, catalogue: Catalogue, as_json: bool) -> str:
    """Returns the output line for one of many lists: its rank and cards, or JSON."""
    if as_json:
        return to_json({"line": line, **_rank_as_json(cards, rank, catalogue)})
    return f"{rank}  {spaced(sorted(cards))}"


def _rank_as_json(cards: Sequence[int], rank: int, catalogue: Catalogue) -> dict[str, Any]:
    list_class, in_class = catalogue.class_at(len(cards), rank)
    in_size = {"rank": rank, "lists_of_size": catalogue.lists(list_class.size), "class": str(list_class)}
    return {"cards": sorted(cards), **in_size, "rank_in_class": in_class, "lists_in_class": list_class.lists}
