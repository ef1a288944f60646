"""Files that people ask for: pictures, pages, problems for solvers."""

from pathlib import Path

from setset import durable
from setset.errors import NO_SPACE, BadInput, NoSpace, SetsetError


def require_free(path: Path, force: bool) -> None:
    """Refuses the name of a file that is there already, unless it may be replaced."""
    if not force and path.is_file():
        raise BadInput(f"{path} is there already: add --force to replace it")


def write_file(path: Path, content: bytes, force: bool = True) -> None:
    """Writes a file: a reader never sees half of it, and a full disk leaves the old one.

    Raises:
        BadInput: The file is there already, and `force` is not set.
        NoSpace: The disk is full.
        SetsetError: It cannot be written for another reason.
    """
    require_free(path, force)
    try:
        if path.exists() and not path.is_file():  # a pipe, /dev/null
            path.write_bytes(content)
        else:
            path.parent.stat()  # a folder that is missing is an error: its name may be mistyped
            durable.save(path, content)
    except OSError as error:
        kind = NoSpace if error.errno in NO_SPACE else SetsetError
        raise kind(f"cannot write {path}: {error.strerror}") from error
