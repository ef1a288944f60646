"""Prints the result of `setset verify` as text."""

from setset.show.formatting import how_many, number, print_fields
from setset.spaces.verification import LARGEST_CAPS, Verification


def print_verification(verification: Verification) -> None:
    """Prints a line per property of the verified points."""
    points = how_many(verification.points, "point")
    if verification.line is not None:
        shown = "  ".join("".join(map(str, point)) for point in verification.line)
        print_fields({"points": f"{points} in dimension {verification.dimension}", "cap": f"no, on a line: {shown}"})
        return
    lines = {
        "points": f"{points} in dimension {verification.dimension}, spanning dimension {verification.spans}",
        "cap": "yes, no three points are on a line",
        "complete": "yes, no point can be added" if verification.complete else "no",
        "can be added": None if verification.complete else how_many(verification.extensions or 0, "point"),
        "class": verification.list_class,
        "symmetries": None
        if verification.symmetries is None
        else f"{number(verification.symmetries)} affine maps keep the points",
        "largest": _largest(verification),
    }
    print_fields(lines)


def _largest(verification: Verification) -> str:
    if verification.dimension >= len(LARGEST_CAPS):
        return f"not known in dimension {verification.dimension}"
    return f"{LARGEST_CAPS[verification.dimension]} points in dimension {verification.dimension}"
