"""Writes files for users, such as pictures and pages, without damaging existing files."""

from pathlib import Path

from setset import durable
from setset.errors import NO_SPACE, BadInput, NoSpace, SetsetError


def require_free(path: Path, force: bool) -> None:
    """Raises BadInput if the file exists, unless `force` is set."""
    if not force and path.is_file():
        raise BadInput(f"{path} exists already: add --force to replace it")


def write_file(path: Path, content: bytes, force: bool = True) -> None:
    """Writes a file atomically: readers see the old or the new content, and a full disk leaves the old file unchanged.

    Raises:
        BadInput: The file exists, and `force` is not set.
        NoSpace: The disk is full.
        SetsetError: The file cannot be written for another reason.
    """
    require_free(path, force)
    try:
        if path.exists() and not path.is_file():  # a pipe or a device such as /dev/null cannot be replaced
            path.write_bytes(content)
        else:
            path.parent.stat()  # raises an error if the folder is missing: its name may be mistyped, so it is not made
            durable.save(path, content)
    except OSError as error:
        kind = NoSpace if error.errno in NO_SPACE else SetsetError
        raise kind(f"cannot write {path}: {error.strerror}") from error
