"""Files that people ask for: pictures, pages, problems for solvers."""

from pathlib import Path

from setset import durable
from setset.errors import NO_SPACE, NoSpace, SetsetError


def write_file(path: Path, content: bytes) -> None:
    """Writes a file in place of what was there: a reader never sees half of it, and a full disk leaves the old one.

    Raises:
        NoSpace: The disk is full.
        SetsetError: It cannot be written for another reason.
    """
    try:
        if path.exists() and not path.is_file():  # a pipe, /dev/null
            path.write_bytes(content)
        else:
            path.parent.stat()  # a folder that is missing is an error: its name may be mistyped
            durable.save(path, content)
    except OSError as error:
        kind = NoSpace if error.errno in NO_SPACE else SetsetError
        raise kind(f"cannot write {path}: {error.strerror}") from error
