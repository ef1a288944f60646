"""Pictures of cards in files: the ending of the name says which kind."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from setset.errors import BadInput
from setset.show.cards.layout import lay_out
from setset.show.files import write_file
from setset.table.sets import Triple

KINDS: Final = (".svg", ".png")


def draw_cards(
    cards: Sequence[int],
    path: Path,
    columns: int | None = None,
    sets: Sequence[Triple] = (),
    scale: float = 2.0,
) -> None:
    """Writes the picture, whole or not at all, in place of what the file held before."""
    kind = path.suffix.lower()
    if kind not in KINDS:
        raise BadInput(f"cannot draw {path.name!r}: the name must end in {' or '.join(KINDS)}")
    layout = lay_out(cards, columns, sets)
    if kind == ".svg":
        from setset.show.cards.svg import draw_svg

        content = draw_svg(layout).encode()
    else:
        from setset.show.cards.png import draw_png

        content = draw_png(layout, scale)
    write_file(path, content)
