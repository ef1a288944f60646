"""`setset draw`: cards as a picture."""

from pathlib import Path
from typing import Any, TextIO

import click

from setset.cli import options
from setset.cli.many import Hands


@click.command("draw")
@options.cards
@options.hands_file
@options.deal_instead
@options.seed
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    show_default="draw on the terminal",
    help="Picture file, NAME.svg or NAME.png.",
)
@click.option("--columns", type=click.IntRange(1, 81), show_default="for three rows", help="Cards per row.")
@click.option("--sets", "with_sets", is_flag=True, help="Outline the sets, each in its own colour.")
@click.option(
    "--scale",
    type=click.FloatRange(0.1, 20),
    default=2.0,
    show_default=True,
    help="Scale of a PNG picture; at scale 1 a card is 170 pixels wide.",
)
@options.force
@click.pass_context
def command(
    ctx: click.Context,
    /,
    cards: tuple[str, ...],
    file: TextIO | None,
    count: int | None,
    seed: int | None,
    output: Path | None,
    **style: Any,
) -> None:
    """Draw CARDS, numbers 0 to 80, names or codes, as an SVG or PNG picture or on the terminal.

    \b
    Examples:
      setset draw --deal 12 --seed 7 --sets -o table.svg
      setset draw r1fd "green two striped squiggle" 80 -o set.png
      setset draw --file tables.txt -o table.svg       a picture per line: table-1.svg, ...
    """
    from setset.show import hands

    if output is None or output.suffix.lower() != ".png":
        options.refuse_given("{option} needs a PNG picture: add -o cards.png", "scale")
    many = Hands.from_command_line(cards, file, count, seed)
    if many is not None:
        for line, hand in many:
            path = output and output.with_stem(f"{output.stem}-{line}")
            hands.show_picture(hand, path, **style)
        ctx.exit(many.exit_code)
    chosen, _ = options.named_or_dealt(cards, count, seed)
    hands.show_picture(chosen, output, **style)
