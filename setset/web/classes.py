"""Pages about the catalogue: the classes of a size, and a single class."""

import json
import secrets
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import combinations
from typing import Any

import setset
from setset.cards import CARDS, LARGEST, Cards, code, digits, third
from setset.show.classes import class_as_json
from setset.show.formatting import fields
from setset.show.snippets import write_snippet
from setset.web.class_index import catalogue_columns
from setset.web.query import Answer, NotFound, Query, Redirect
from setset.web.site import Site

PAGE = 50
COUNTS = ("dimension", "orbits", "extension_orbits", "game_classes", "in_hyperplane", "excluded")
"""Names of the numeric properties that the catalogue for browsers has."""
FACETS = ("complete", "extensions", "stabilizer", "structure", *COUNTS)
COLUMNS = ("class", "representative", "stabilizer", "lists", "extensions", "complete")


def classes(site: Site, query: Query) -> Answer:
    """Lists the classes of a size that match the filters, page by page, with the number of classes per value of each
    property."""
    size = query.number("size", 0, LARGEST, 12)
    complete = query.choice("complete", ("any", "yes", "no"))
    least, most = query.optional("least", 0, 10**18), query.optional("most", 0, 10**18)
    wanted = {
        "complete": {"any": None, "yes": True, "no": False}[complete],
        "stabilizer": query.optional("stabilizer", 1, setset.GROUP_ORDER),
        "extensions": query.optional("extensions", 0, CARDS),
        "structure": query.text("structure") or None,
        **{name: query.optional(name, 0, 10**6) for name in COUNTS},
    }
    sort = query.choice("sort", list(setset.ClassOrder))
    descending = query.choice("order", ("ascending", "descending")) == "descending"
    columns = catalogue_columns()[size]
    matching = [
        list_class
        for list_class in setset.find_classes(size, sort=sort, reverse=descending)
        if (least is None or list_class.lists >= least) and (most is None or list_class.lists <= most)
    ]
    facts = {
        list_class.number: {
            **fields(list_class, *FACETS[:3]),
            **{name: columns[name][list_class.number] for name in FACETS[3:]},
        }
        for list_class in matching
    }
    facets = {name: _facet(name, facts.values(), wanted) for name in FACETS}
    matching = [
        list_class
        for list_class in matching
        if all(value in (None, facts[list_class.number][key]) for key, value in wanted.items())
    ]
    pages = max(1, -(-len(matching) // PAGE))
    page = query.number("page", 1, pages, 1)
    shown = matching if site.is_static or query.text("format") == "csv" else matching[(page - 1) * PAGE : page * PAGE]
    rows = [
        [
            str(list_class),
            list_class.cards,
            list_class.stabilizer,
            list_class.lists,
            list_class.extensions,
            list_class.complete,
        ]
        for list_class in shown
    ]
    sizes = [len(setset.catalogue_in_memory().classes(other_size)) for other_size in range(LARGEST + 1)]
    about = {"size": size, "sizes": sizes, "found": len(matching), "page": page, "pages": pages, "facets": facets}
    return {**about, "columns": COLUMNS, "rows": rows}


def _facet(name: str, facts: Iterable[Answer], wanted: Answer) -> list[tuple[Any, int]]:
    """Lists the values of a property, each with the number of classes that have this value and match all other filters.
    The value that the visitor filters by is always in the list."""
    others = {key: value for key, value in wanted.items() if key != name and value is not None}
    met = (properties[name] for properties in facts if all(properties[key] == value for key, value in others.items()))
    counts = Counter(met)
    if wanted[name] is not None:
        counts[wanted[name]] += 0
    return sorted(counts.items())


def surprise(_: Site, query: Query) -> Answer:
    """Redirects to a random class of a size, or of any size."""
    sizes = range(LARGEST + 1) if not query.text("size") else [query.number("size", 0, LARGEST, 12)]
    list_class = secrets.choice(
        [list_class for size in sizes for list_class in setset.catalogue_in_memory().classes(size)]
    )
    raise Redirect(f"/classes/{list_class}")


def find_class(query: Query) -> setset.ListClass:
    """Finds the class that a URL names. Raises NotFound if there is none."""
    try:
        size, number = query.number("size", 0, LARGEST, 0), query.number("number", 0, 10**9, 0)
        return setset.catalogue_in_memory().get(size, number)
    except setset.BadInput as error:
        raise NotFound(str(error)) from error


def cards_of(size: int, number: int) -> Cards:
    """Canonical form of a class."""
    return setset.catalogue_in_memory().get(size, number).cards


def one_class(_: Site, query: Query) -> Answer:
    """Shows all properties of a class."""
    catalogue = setset.catalogue_in_memory()
    list_class = find_class(query)
    description = setset.describe_class(list_class)
    return {
        **class_as_json(description),
        "lists_of_size": catalogue.lists(list_class.size),
        "share": list_class.lists / catalogue.lists(list_class.size),
        "game_classes": catalogue.game_classes(list_class),
        "generators": list(map(str, setset.stabilizer_of(list_class).generators)),
        "smaller": [_link(list_class, neighbour) for neighbour in description.smaller],
        "larger": [_link(list_class, neighbour) for neighbour in description.larger],
        "previous": list_class.number - 1 if list_class.number else None,
        "next": list_class.number + 1 if list_class.number + 1 < len(catalogue.classes(list_class.size)) else None,
        "grid": grid(list_class.cards),
        "texts": _texts(list_class),
        "version": setset.__version__,
        "digest": _digest(list_class.size),
    }


@cache
def _digest(size: int) -> str:
    return setset.catalogue_in_memory().level(size).digest


def _link(list_class: setset.ListClass, neighbour: setset.Neighbour) -> Answer:
    """Describes the link from a class to a neighbour (a class of one card more or less).

    `cards` is the number of cards that lead from a list of the class to a list of the neighbour if added or removed.
    `back` is the number of cards that lead from a list of the neighbour to a list of the class. `from_here` and
    `from_there` are both the number of pairs of linked lists, computed from each side.
    """
    other, cards = neighbour
    back = list_class.lists * cards // other.lists
    return {
        "class": str(other),
        "size": other.size,
        "number": other.number,
        "cards": cards,
        "back": back,
        "from_here": list_class.lists * cards,
        "from_there": other.lists * back,
    }


def grid(cards: Sequence[int]) -> list[str]:
    """Marks each of the 81 cards, relative to a hand, as chosen, excluded (would complete a set) or addable."""
    thirds = {third(a, b) for a, b in combinations(cards, 2)}
    return ["chosen" if card in cards else "excluded" if card in thirds else "addable" for card in range(CARDS)]


def _texts(list_class: setset.ListClass) -> dict[str, str]:
    """Writes a class as text in several formats and languages. Programs include the generators of the stabilizer."""
    kept = setset.stabilizer_of(list_class)
    programs = {"GAP": "gap", "Sage": "sage", "Magma": "magma", "Oscar": "oscar", "Python": "python"}
    points = [digits(card) for card in list_class.cards]
    maps = [fields(generator, "matrix", "translation") for generator in kept.generators]
    summary = {
        "class": str(list_class),
        "cards": list_class.cards,
        "points": points,
        "stabilizer": kept.order,
        "generators": maps,
    }
    return {
        "cards": " ".join(map(str, list_class.cards)),
        "codes": " ".join(map(code, list_class.cards)),
        "command line": f"setset classes show {list_class}",
        **{title: write_snippet(list_class, kept, language) for title, language in programs.items()},
        "JSON": json.dumps(summary, separators=(",", ":")),
        "BibTeX": (
            f"@misc{{setset-{list_class.size}-{list_class.number},\n"
            f"  author = {{{{The setset authors}}}},\n"
            f"  title = {{Class {list_class} of the caps of AG(4,3)}},\n"
            f"  howpublished = {{setset {setset.__version__}, \\texttt{{setset classes show {list_class}}}}}\n}}"
        ),
    }


def random_member(_: Site, query: Query) -> Answer:
    """Redirects to a uniformly random list of the class."""
    list_class = find_class(query)
    rank = setset.catalogue_in_memory().starts(list_class.size)[list_class.number] + secrets.randbelow(list_class.lists)
    cards = setset.unrank(list_class.size, rank) if list_class.size else ()
    raise Redirect("/identify?cards=" + ",".join(map(str, cards)))
