"""Static files: the folder static/, the sprite sheet of the cards, and the catalogue for browsers.

Pages refer to them below a version that changes with their content, so browsers keep them for ever.
"""

import gzip
import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

import setset
from setset.show.cards.svg import draw_sprite_sheet
from setset.web.catalogue import catalogue_columns, prints

STATIC: Final = Path(__file__).with_name("static")
KINDS: Final = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".json": "application/json",
    ".bin": "application/octet-stream",
}
MADE: Final[dict[str, Callable[[], bytes]]] = {
    "cards.svg": lambda: draw_sprite_sheet().encode(),
    "catalogue.json": lambda: json.dumps(catalogue_columns(), separators=(",", ":")).encode(),
    "prints.bin": prints,
}
"""Files that are made when they are first asked for."""


@dataclass(frozen=True)
class Asset:
    """A static file, as it is and compressed."""

    content: bytes
    packed: bytes
    kind: str


@cache
def names() -> tuple[str, ...]:
    """The names of all static files."""
    return (*sorted(path.name for path in STATIC.iterdir() if path.suffix in KINDS), *MADE)


@cache
def read(name: str) -> Asset | None:
    """A static file by its name; None if there is none."""
    if name not in names():
        return None
    content = MADE[name]() if name in MADE else (STATIC / name).read_bytes()
    return Asset(content, pack(content), KINDS[Path(name).suffix])


@cache
def version() -> str:
    """A word that changes with the static files."""
    found = hashlib.sha256(setset.__version__.encode() + MADE["cards.svg"]())
    for name in names():
        if name not in MADE:
            found.update((STATIC / name).read_bytes())
    return found.hexdigest()[:8]


def pack(content: bytes) -> bytes:
    """The content compressed by gzip, the same bytes each time."""
    return gzip.compress(content, 6, mtime=0)
