"""Build of this installation: a digest of all that decides the bytes of a batch file."""

import functools
from pathlib import Path

import xxhash

from setset.batches.format import VERSION

DECISIVE = ("batches", "cards.py", "engine", "tasks")
"""Sources below the package that decide which lists are found, and how a file stores them."""


@functools.cache
def build_digest() -> str:
    """Digest of the batch format and of the decisive sources, as this process first sees them.

    Two installations with the same digest write the same bytes, whatever their version says.
    """
    package = Path(__file__).parents[1]
    sources = sorted(path for name in DECISIVE for path in _python_files(package / name))
    digest = xxhash.xxh3_64(str(VERSION).encode())
    for path in sources:
        digest.update(path.relative_to(package).as_posix().encode())
        digest.update(path.read_bytes().replace(b"\r\n", b"\n"))  # a checkout on Windows may differ in that alone
    return digest.hexdigest()


def _python_files(path: Path) -> list[Path]:
    return [path] if path.is_file() else list(path.rglob("*.py"))
