"""Static files of the pages: the folder static/, the sprite sheet of the cards, and the catalogue for browsers.

The URL of each file contains a version that changes with the content of the files. So browsers may cache the files
forever.
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
from setset.web.class_index import catalogue_columns, prints

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
"""Static files that are generated at the first request, and the functions that generate them."""


@dataclass(frozen=True)
class Asset:
    """A static file, plain (`content`) and compressed (`packed`)."""

    content: bytes
    packed: bytes
    kind: str


@cache
def names() -> tuple[str, ...]:
    """Names of all static files."""
    return (*sorted(path.name for path in STATIC.iterdir() if path.suffix in KINDS), *MADE)


@cache
def read(name: str) -> Asset | None:
    """Reads or generates a static file. None if no file has this name."""
    if name not in names():
        return None
    content = MADE[name]() if name in MADE else (STATIC / name).read_bytes()
    return Asset(content, pack(content), KINDS[Path(name).suffix])


@cache
def version() -> str:
    """Version of the static files: a digest of their content."""
    digest = hashlib.sha256(setset.__version__.encode() + MADE["cards.svg"]())
    for name in names():
        if name not in MADE:
            digest.update((STATIC / name).read_bytes())
    return digest.hexdigest()[:8]


def pack(content: bytes) -> bytes:
    """Compresses content by gzip. Equal content gives equal bytes."""
    return gzip.compress(content, 6, mtime=0)
