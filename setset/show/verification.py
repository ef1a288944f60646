"""The verdict on some points, as text."""

from setset.show.formatting import how_many, number, print_fields
from setset.spaces.verification import LARGEST_CAPS, Verification


def print_verification(found: Verification) -> None:
    """A line per question."""
    points = how_many(found.points, "point")
    if found.line is not None:
        shown = "  ".join("".join(map(str, point)) for point in found.line)
        print_fields({"points": f"{points} in dimension {found.dimension}", "cap": f"no, on a line: {shown}"})
        return
    lines = {
        "points": f"{points} in dimension {found.dimension}, spanning dimension {found.spans}",
        "cap": "yes, no three points are on a line",
        "complete": "yes, no point can be added" if found.complete else "no",
        "can be added": None if found.complete else how_many(found.extensions or 0, "point"),
        "class": found.list_class,
        "symmetries": None if found.symmetries is None else f"{number(found.symmetries)} affine maps keep it",
        "largest": _largest(found),
    }
    print_fields(lines)


def _largest(found: Verification) -> str:
    if found.dimension >= len(LARGEST_CAPS):
        return f"not known in dimension {found.dimension}"
    return f"{LARGEST_CAPS[found.dimension]} points in dimension {found.dimension}"
