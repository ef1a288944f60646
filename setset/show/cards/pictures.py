"""Pictures of cards in files: the ending of the name says which kind."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from setset.errors import BadInput, SetsetError
from setset.show.cards.layout import lay_out
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
    try:
        _replace(path, content)
    except OSError as error:
        raise SetsetError(f"cannot write {path}: {error.strerror}") from error


def _replace(path: Path, content: bytes) -> None:
    """A reader never sees half a picture, and a full disk leaves the old one."""
    handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        umask = os.umask(0)
        os.umask(umask)
        Path(temporary).chmod(0o666 & ~umask)
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
