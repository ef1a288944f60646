"""The catalogue: the classes of a size, and everything about one."""

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
from setset.web.catalogue import catalogue_columns
from setset.web.query import Answer, NotFound, Query, Redirect
from setset.web.site import Site

PAGE = 50
FACETS = ("complete", "extensions", "stabilizer", "dimension")
COLUMNS = ("class", "representative", "stabilizer", "lists", "extensions", "complete")


def classes(site: Site, query: Query) -> Answer:
    """The classes of a size that meet some conditions, a page at a time, and how many meet each of the others."""
    size = query.number("size", 0, LARGEST, 12)
    complete = query.choice("complete", ("any", "yes", "no"))
    least, most = query.optional("least", 0, 10**18), query.optional("most", 0, 10**18)
    wanted = {
        "complete": {"any": None, "yes": True, "no": False}[complete],
        "stabilizer": query.optional("stabilizer", 1, setset.GROUP_ORDER),
        "extensions": query.optional("extensions", 0, CARDS),
        "dimension": query.optional("dimension", 0, 4),
    }
    sort = query.choice("sort", list(setset.ClassOrder))
    descending = query.choice("order", ("ascending", "descending")) == "descending"
    dimensions = catalogue_columns()[size]["dimension"]
    found = [
        one
        for one in setset.find_classes(size, sort=sort, reverse=descending)
        if (least is None or one.lists >= least) and (most is None or one.lists <= most)
    ]
    facts = {one.number: {**fields(one, *FACETS[:3]), "dimension": dimensions[one.number]} for one in found}
    facets = {name: _facet(name, facts.values(), wanted) for name in FACETS}
    found = [one for one in found if all(value in (None, facts[one.number][key]) for key, value in wanted.items())]
    pages = max(1, -(-len(found) // PAGE))
    page = query.number("page", 1, pages, 1)
    shown = found if site.is_static or query.text("format") == "csv" else found[(page - 1) * PAGE : page * PAGE]
    rows = [[str(one), one.cards, one.stabilizer, one.lists, one.extensions, one.complete] for one in shown]
    sizes = [len(setset.catalogue_in_memory().classes(each)) for each in range(LARGEST + 1)]
    about = {"size": size, "sizes": sizes, "found": len(found), "page": page, "pages": pages, "facets": facets}
    return {**about, "columns": COLUMNS, "rows": rows}


def _facet(name: str, facts: Iterable[Answer], wanted: Answer) -> list[tuple[Any, int]]:
    """The values of a property and how many classes have each, among the classes that meet all other conditions."""
    others = {key: value for key, value in wanted.items() if key != name and value is not None}
    met = (each[name] for each in facts if all(each[key] == value for key, value in others.items()))
    return sorted(Counter(met).items())


def surprise(_: Site, query: Query) -> Answer:
    """Leads to a random class, of one size or of any."""
    sizes = range(LARGEST + 1) if not query.text("size") else [query.number("size", 0, LARGEST, 12)]
    one = secrets.choice([each for size in sizes for each in setset.catalogue_in_memory().classes(size)])
    raise Redirect(f"/classes/{one}")


def find_class(query: Query) -> setset.ListClass:
    """The class that an address names."""
    try:
        size, number = query.number("size", 0, LARGEST, 0), query.number("number", 0, 10**9, 0)
        return setset.catalogue_in_memory().get(size, number)
    except setset.BadInput as error:
        raise NotFound(str(error)) from error


def cards_of(size: int, number: int) -> Cards:
    """The canonical form of a class."""
    return setset.catalogue_in_memory().get(size, number).cards


def one_class(_: Site, query: Query) -> Answer:
    """All about a class."""
    catalogue = setset.catalogue_in_memory()
    one = find_class(query)
    found = setset.describe_class(one)
    return {
        **class_as_json(found),
        "lists_of_size": catalogue.lists(one.size),
        "share": one.lists / catalogue.lists(one.size),
        "game_classes": catalogue.game_classes(one),
        "smaller": [_link(one, each) for each in found.smaller],
        "larger": [_link(one, each) for each in found.larger],
        "previous": one.number - 1 if one.number else None,
        "next": one.number + 1 if one.number + 1 < len(catalogue.classes(one.size)) else None,
        "grid": grid(one.cards),
        "texts": _texts(one),
        "version": setset.__version__,
        "digest": _digest(one.size),
    }


@cache
def _digest(size: int) -> str:
    return setset.catalogue_in_memory().level(size).digest


def _link(one: setset.ListClass, neighbour: setset.Neighbour) -> Answer:
    """A neighbour, how many cards lead there and back, and the pairs of lists counted from both sides."""
    other, cards = neighbour
    back = one.lists * cards // other.lists
    return {
        "class": str(other),
        "size": other.size,
        "number": other.number,
        "cards": cards,
        "back": back,
        "from_here": one.lists * cards,
        "from_there": other.lists * back,
    }


def grid(cards: Sequence[int]) -> list[str]:
    """Mark of each of the 81 cards for a hand: chosen, excluded (it would complete a set), or addable."""
    thirds = {third(a, b) for a, b in combinations(cards, 2)}
    return ["chosen" if card in cards else "excluded" if card in thirds else "addable" for card in range(CARDS)]


def _texts(one: setset.ListClass) -> dict[str, str]:
    """The class in the languages that people work with."""
    points = [list(digits(card)) for card in one.cards]
    vectors = json.dumps(points, separators=(",", ":"))
    summary = {"class": str(one), "cards": one.cards, "stabilizer": one.stabilizer, "lists": one.lists}
    return {
        "cards": " ".join(map(str, one.cards)),
        "codes": " ".join(map(code, one.cards)),
        "command line": f"setset classes show {one}",
        "Python": f"setset.catalogue_in_memory().get({one.size}, {one.number})",
        "GAP": f"{vectors} * Z(3)^0;",
        "Magma": f"[VectorSpace(GF(3), 4) ! v : v in {vectors}];",
        "Oscar": f"[GF(3).(v) for v in {vectors}]",
        "Sage": f"[vector(GF(3), v) for v in {vectors}]",
        "JSON": json.dumps(summary),
        "BibTeX": (
            f"@misc{{setset-{one.size}-{one.number},\n"
            f"  author = {{{{The setset authors}}}},\n"
            f"  title = {{Class {one} of the caps of AG(4,3)}},\n"
            f"  howpublished = {{setset {setset.__version__}, \\texttt{{setset classes show {one}}}}}\n}}"
        ),
    }


def random_member(_: Site, query: Query) -> Answer:
    """Leads to a list of the class, every one with the same chance."""
    one = find_class(query)
    rank = setset.catalogue_in_memory().starts(one.size)[one.number] + secrets.randbelow(one.lists)
    cards = setset.unrank(one.size, rank) if one.size else ()
    raise Redirect("/identify?cards=" + ",".join(map(str, cards)))
