"""Charts of the links between classes. A link joins two classes if adding one card leads from one to the other."""

from collections import defaultdict
from collections.abc import Iterable

from setset.cards import check_size
from setset.errors import BadInput
from setset.show.charts.style import BLUE, HEIGHT, ORANGE, RED, Chart, Row, altair, below, finish, table
from setset.show.formatting import how_many, number
from setset.symmetry import Catalogue, ListClass, catalogue_in_memory

STEPS = 2
"""Maximum number of cards added or removed on the way from the class in the centre of the chart to another class."""
NAMED = 24
"""Maximum number of classes per size for which the chart shows names."""
Columns = dict[int, list[ListClass]]
"""Columns of the chart: the classes of each size, from bottom to top."""


def neighbours(size: int | str | ListClass, class_number: int | None = None) -> Chart:
    """Neighbours of a class: all classes reached by adding or removing one or two cards.

    Args:
        size: The class, such as "12/700", or the size of the class, such as 12.
        class_number: Number of the class, if `size` is a number.

    Raises:
        BadInput: There is no such class.
    """
    catalogue = catalogue_in_memory()
    centre = catalogue.named(f"{size}/{class_number}" if isinstance(size, int) else size)
    size = centre.size
    columns: Columns = {size: [centre]}
    for direction in (-1, 1):
        nearer = [centre]
        for step in range(1, STEPS + 1):
            following = catalogue.larger if direction > 0 else catalogue.smaller
            classes = {neighbour for list_class in nearer for neighbour, _ in following(list_class)}
            if not classes:
                break
            nearer = _untangled(catalogue, classes, nearer, -direction)
            columns[size + direction * step] = nearer
    up, down = (how_many(len(columns.get(size + direction, ())), "class", "classes") for direction in (1, -1))
    notes = [
        f"{number(centre.lists)} lists, {number(centre.stabilizer)} symmetries,"
        f" {how_many(centre.extensions, 'card')} can be added.",
        f"One card more leads to {up}, one card less to {down}.",
    ]
    return _draw(catalogue, columns, centre, f"Class {centre} and its neighbours", notes)


def lattice(first: int = 15, last: int = 20) -> Chart:
    """All classes of some sizes, by default 15 to 20 cards, and the links between them.

    Args:
        first: The smallest size.
        last: The largest size.

    Raises:
        BadInput: There are no lists of these sizes, or `first` is larger than `last`.
    """
    if check_size(first) > check_size(last):
        raise BadInput(f"the first size {first} is larger than the last size {last}: give the smaller size first")
    catalogue = catalogue_in_memory()
    columns: Columns = {}
    for size in range(last, first - 1, -1):
        classes = catalogue.level(size).classes
        columns[size] = _untangled(catalogue, classes, columns.get(size + 1, []), 1)
    total = sum(map(len, columns.values()))
    notes = [f"{number(total)} classes. A line joins two classes if one card more leads from one to the other."]
    return _draw(catalogue, columns, None, f"Classes of {first} to {last} cards", notes)


def _untangled(
    catalogue: Catalogue, classes: Iterable[ListClass], beside: list[ListClass], direction: int
) -> list[ListClass]:
    """Sorts classes by the mean position of their neighbours in the column `beside`, so that fewer lines cross."""
    positions = {list_class.number: position for position, list_class in enumerate(beside)}
    linked: dict[int, list[int]] = defaultdict(list)
    if beside:
        for link in catalogue.level(beside[0].size + (direction < 0)).links:
            mine, neighbour = (link.smaller, link.larger) if direction > 0 else (link.larger, link.smaller)
            if neighbour in positions:
                linked[mine].append(positions[neighbour])

    def middle(list_class: ListClass) -> tuple[float, int]:
        others = linked[list_class.number]
        return (sum(others) / len(others) if others else len(positions), list_class.number)

    return sorted(classes, key=middle)


def _rows(catalogue: Catalogue, columns: Columns, centre: ListClass | None) -> tuple[list[Row], list[Row]]:
    """Makes the chart data: rows for the classes, and rows for the links between them."""
    heights = {
        list_class: (position + 0.5) / len(column)
        for column in columns.values()
        for position, list_class in enumerate(column)
    }
    nodes: list[Row] = [
        {
            "what": "class",
            "class": str(list_class),
            "size": list_class.size,
            "y": y,
            "lists": list_class.lists,
            "stabilizer": list_class.stabilizer,
            "kind": "asked for" if list_class == centre else "complete" if list_class.complete else "can be extended",
            "label": str(list_class) if len(columns[list_class.size]) <= NAMED else "",
        }
        for list_class, y in heights.items()
    ]
    links: list[Row] = []
    for size in sorted(columns):
        if size - 1 not in columns:
            continue
        level, below = catalogue.level(size), catalogue.level(size - 1)
        pairs = [(below.classes[link.smaller], level.classes[link.larger], link) for link in level.links]
        shown = [pair for pair in pairs if pair[0] in heights and pair[1] in heights]
        # Many lines are thinner, not transparent: transparency is slow to draw, and the bytes of a PDF would vary.
        width = 0.7 if len(shown) < 200 else 0.3 if len(shown) < 2000 else 0.04
        links += [
            {
                "what": "link",
                "class": str(smaller),
                "to": str(larger),
                "size": smaller.size,
                "to_size": larger.size,
                "y": heights[smaller],
                "to_y": heights[larger],
                "extensions": link.extensions,
                "deletions": link.deletions,
                "width": width,
            }
            for smaller, larger, link in shown
        ]
    return nodes, links


def _draw(catalogue: Catalogue, columns: Columns, centre: ListClass | None, title: str, notes: list[str]) -> Chart:
    alt = altair()
    nodes, links = _rows(catalogue, columns, centre)
    most = max(map(len, columns.values()))
    kinds = ["can be extended", "complete", *(["asked for"] if centre else [])]
    colours, shapes = (
        alt.Scale(domain=kinds, range=values[: len(kinds)])
        for values in ([BLUE, RED, ORANGE], ["circle", "square", "diamond"])
    )
    sizes = sorted(columns)
    base = alt.Chart().encode(
        x=alt.X("size:Q")
        .title("cards")
        .scale(domain=[sizes[0] - 0.3, sizes[-1] + 0.5], nice=False)
        .axis(values=sizes, format="d", grid=False),
        y=alt.Y("y:Q").axis(None).scale(domain=[0, 1]),
    )
    lines = (
        base.transform_filter("datum.what == 'link'")
        .mark_rule(color="#777777", opacity=1, aria=False)
        .encode(x2="to_size:Q", y2="to_y:Q", strokeWidth=alt.StrokeWidth("width:Q", scale=None))
    )
    only = base.transform_filter("datum.what == 'class'")
    large = 70 if most <= NAMED else 18 if most < 200 else 5
    # Labels for screen readers at thousands of points would be most of the file.
    points = only.mark_point(filled=True, opacity=1, size=large, aria=most < 200).encode(
        color=below(alt.Color("kind:N"), colours),
        shape=alt.Shape("kind:N").scale(shapes),
        tooltip=["class:N", "lists:Q", "stabilizer:Q", "kind:N"],
    )
    names = only.transform_filter("datum.label != ''").mark_text(align="left", dx=6, fontSize=9).encode(text="label:N")
    tall = min(2 * HEIGHT, max(HEIGHT, 11 * most))
    chart = alt.layer(lines, points, names, data=table([*nodes, *links]))
    return finish(chart, title, notes, "setset classes", height=tall)
