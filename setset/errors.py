"""The error tree. The message of each error says in one line what is wrong and what to do next."""

import errno
import operator
import os
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

NO_SPACE = frozenset(getattr(errno, name) for name in ("ENOSPC", "EDQUOT", "EFBIG") if hasattr(errno, name))
"""Values of `errno` if a disk, a quota or a file size limit is exhausted."""
_NO_SPACE_ON_WINDOWS = (39, 112, 1295)
"""ERROR_HANDLE_DISK_FULL, ERROR_DISK_FULL, ERROR_DISK_QUOTA_EXCEEDED. Python sets `errno` to EINVAL for some."""


def is_no_space(error: OSError) -> bool:
    """Whether an error means that a disk, a quota or a file size limit is exhausted."""
    return error.errno in NO_SPACE or getattr(error, "winerror", None) in _NO_SPACE_ON_WINDOWS


class SetsetError(Exception):
    """Base class of all errors of setset. `cli.main` prints the message as one line and exits with `exit_code`."""

    exit_code = 1


class BadInput(SetsetError):
    """The user gave an invalid value. Nothing was changed."""

    exit_code = 2


class NotStored(BadInput):
    """No file holds lists of the requested size."""


def require_whole(name: str, value: object) -> None:
    """Raises BadInput unless a value is a whole number."""
    try:
        operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        raise BadInput(f"{name} {value!r}: expected a whole number") from None


def require_between(name: str, value: int, least: int, most: int | None = None) -> None:
    """Raises BadInput unless the value of an option or argument is a whole number within the limits.

    >>> require_between("--size", 9, 3, 20)
    """
    require_whole(name, value)
    if value < least or (most is not None and value > most):
        raise BadInput(f"{name} {value}: expected {least} {'or more' if most is None else f'to {most:,}'}")


def quoted(path: str | Path) -> str:
    """Quotes a path, if necessary, for a command in a message.

    >>> quoted("my caps"), quoted("caps")
    ('"my caps"', 'caps')
    """
    text = str(path)
    if shlex.quote(text) == text or (os.name == "nt" and " " not in text):
        return text
    return shlex.quote(text) if set('"$`!\\') & set(text) and os.name != "nt" else f'"{text}"'


class NotAWorkspace(SetsetError):
    """There is no exploration database at the expected path."""

    exit_code = 10


class Locked(SetsetError):
    """Another process uses the same workspace."""

    exit_code = 11


class NoSpace(SetsetError):
    """A disk, quota or file size limit is exhausted."""

    exit_code = 12


class InTheWay(SetsetError):
    """Something else has the path of a file or folder to write, or the path is too long."""


def in_the_way(path: Path) -> str:
    """Message that something else has the path of a file or folder of setset."""
    return f"{path} is in the way: move it away"


class ReadOnly(SetsetError):
    """The workspace or a storage root cannot be written to."""


class ChangedMeanwhile(SetsetError):
    """Another command changed a size while this command was reading it."""

    def __init__(self, size: int) -> None:
        super().__init__(size)
        self.size = size

    def __str__(self) -> str:
        return f"size {self.size} was changed meanwhile by another command: start again"


class Interrupted(SetsetError):
    """A signal stopped the run. The database has all finished work."""

    def __init__(self, signal_number: int, message: str) -> None:
        super().__init__(message)
        self.exit_code = 128 + signal_number


class MissingExtra(SetsetError):
    """A package of an optional extra is not installed.

    Args:
        extra: the name of the extra, as in `pip install 'setset[sat]'`.
        what: the feature that needs the extra, such as "the SAT solver".
    """

    exit_code = 14

    def __init__(self, extra: str, what: str) -> None:
        self.extra, self.what = extra, what
        hint = f" ({_EXTRA_HINTS[extra]})" if extra in _EXTRA_HINTS else ""
        super().__init__(f"{what} needs an extra: pip install 'setset[{extra}]'{hint}")


_EXTRA_HINTS: Final = {"sat": "python-sat on PyPI, not pysat"}


@contextmanager
def require_extra(extra: str, feature: str) -> Iterator[None]:
    """Raises MissingExtra if an import in the block fails: the package is missing, or another package has its name."""
    try:
        yield
    except ImportError as error:
        raise MissingExtra(extra, feature) from error
