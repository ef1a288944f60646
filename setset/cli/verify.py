"""`setset verify`: whether points are a cap."""

from pathlib import Path

import click

from setset.cli import options


@click.command("verify")
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.option("--dimension", type=int, show_default="digits of the first point", help="Digits per point, 1 to 10.")
@click.option("--integers", is_flag=True, help="Read each number in FILE as a point, its digits in base 3.")
@options.as_json
def command(file: Path, dimension: int | None, integers: bool, as_json: bool) -> None:
    """Check whether the points in FILE are a cap (no three on a line), in up to 10 dimensions.

    FILE is JSON, an array that numpy saved, or text with a point per line: its digits 0, 1, 2, with or without blanks,
    commas and brackets. Exit code 1 if three points are on a line.

    \b
    Examples:
      setset verify cap.txt
      setset verify cards.txt --integers --dimension 4
      setset verify cap.npy --json
    """
    import setset
    from setset.show.formatting import fields, print_json
    from setset.show.verification import print_verification

    verification = setset.verify(setset.read_points(file, dimension, integers), dimension)
    if as_json:
        print_json({**fields(verification, "dimension", "points", "spans", "cap", "complete", "extensions", "line"),
                    "class": verification.list_class, "symmetries": verification.symmetries})  # fmt: skip
    else:
        print_verification(verification)
    raise SystemExit(0 if verification.cap else 1)
