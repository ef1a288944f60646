"""The build of this installation: a digest of the source files that decide the bytes of a batch file. Workers of a
cluster must have the same build."""

import functools
from pathlib import Path

import xxhash

from setset.batches.format import VERSION

DECISIVE = ("batches", "cards.py", "engine", "tasks")
"""Source files and packages that decide which lists a batch has and how its file stores them."""


@functools.cache
def build_digest() -> str:
    """Computes the digest of the batch format and of the source files in `DECISIVE`, once per process.

    Two installations with the same digest write the same bytes, even if their versions differ.
    """
    package = Path(__file__).parents[1]
    sources = sorted(path for name in DECISIVE for path in _python_files(package / name))
    digest = xxhash.xxh3_64(str(VERSION).encode())
    for path in sources:
        digest.update(path.relative_to(package).as_posix().encode())
        digest.update(path.read_bytes().replace(b"\r\n", b"\n"))  # a checkout on Windows may have other line ends
    return digest.hexdigest()


def _python_files(path: Path) -> list[Path]:
    return [path] if path.is_file() else list(path.rglob("*.py"))
