"""Files that people ask for: pictures, pages, problems for solvers."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from setset.errors import SetsetError


def write_file(path: Path, content: bytes) -> None:
    """Writes a file in place of what was there: a reader never sees half of it, and a full disk leaves the old one.

    Raises:
        SetsetError: It cannot be written.
    """
    try:
        if path.exists() and not path.is_file():  # a pipe, /dev/null
            path.write_bytes(content)
        else:
            _replace(path, content)
    except OSError as error:
        raise SetsetError(f"cannot write {path}: {error.strerror}") from error


def _replace(path: Path, content: bytes) -> None:
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
