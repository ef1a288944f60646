"""One tree of errors. Each says in one line what is wrong and what to do next, and has its exit code."""

import errno
import operator
import os
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

NO_SPACE = frozenset(getattr(errno, name) for name in ("ENOSPC", "EDQUOT", "EFBIG") if hasattr(errno, name))
"""Errors of the system when a disk, a quota or a limit on files is exhausted."""
_NO_SPACE_ON_WINDOWS = (39, 112, 1295)
"""ERROR_HANDLE_DISK_FULL, ERROR_DISK_FULL, ERROR_DISK_QUOTA_EXCEEDED. Python makes EINVAL of some."""


def is_no_space(error: OSError) -> bool:
    """Whether a disk, a quota or a limit on files is exhausted."""
    return error.errno in NO_SPACE or getattr(error, "winerror", None) in _NO_SPACE_ON_WINDOWS


class SetsetError(Exception):
    """Something that was asked for does not hold. `cli.main` prints it as one line and exits with its code."""

    exit_code = 1


class BadInput(SetsetError):
    """A value that the user gave cannot be taken; nothing was changed."""

    exit_code = 2


class NotStored(BadInput):
    """No file holds lists of the size that was asked for."""


def require_whole(name: str, value: object) -> None:
    """Refuses a value that is not a whole number."""
    try:
        operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        raise BadInput(f"{name} {value!r}: expected a whole number") from None


def require_between(name: str, value: int, least: int, most: int | None = None) -> None:
    """Refuses a value of an option or argument that is too small or too large, or no whole number.

    >>> require_between("--size", 9, 3, 20)
    """
    require_whole(name, value)
    if value < least or (most is not None and value > most):
        raise BadInput(f"{name} {value}: expected {least} {'or more' if most is None else f'to {most:,}'}")


def quoted(path: str | Path) -> str:
    """A path as one word of a command that a message names.

    >>> quoted("my caps"), quoted("caps")
    ('"my caps"', 'caps')
    """
    text = str(path)
    if shlex.quote(text) == text or (os.name == "nt" and " " not in text):
        return text
    return shlex.quote(text) if set('"$`!\\') & set(text) and os.name != "nt" else f'"{text}"'


class NotAWorkspace(SetsetError):
    """There is no exploration database where one was expected."""

    exit_code = 10


class Locked(SetsetError):
    """Somebody else is at work on the same workspace."""

    exit_code = 11


class NoSpace(SetsetError):
    """A disk, quota or file size limit is exhausted."""

    exit_code = 12


class InTheWay(SetsetError):
    """Something has the name of a file or folder that must be written, or that name is too long."""


def in_the_way(path: Path) -> str:
    """Message for something that has the name of a file or folder of setset."""
    return f"{path} is in the way: move it away"


class ReadOnly(SetsetError):
    """The workspace or a storage root cannot be written to."""


class ChangedMeanwhile(SetsetError):
    """Another command has changed a size while it was read."""

    def __init__(self, size: int) -> None:
        super().__init__(size)
        self.size = size

    def __str__(self) -> str:
        return f"size {self.size} was changed meanwhile by another command: start again"


class Interrupted(SetsetError):
    """The run was asked to stop by a signal; what was finished is recorded."""

    def __init__(self, signal_number: int, message: str) -> None:
        super().__init__(message)
        self.exit_code = 128 + signal_number


class MissingExtra(SetsetError):
    """A package is not installed that only a part of setset needs.

    Args:
        extra: the name of the extra, as in `pip install 'setset[sat]'`.
        what: what needs it, such as "the SAT solver".
    """

    exit_code = 14

    def __init__(self, extra: str, what: str) -> None:
        self.extra, self.what = extra, what
        hint = f" ({_EXTRA_HINTS[extra]})" if extra in _EXTRA_HINTS else ""
        super().__init__(f"{what} needs an extra: pip install 'setset[{extra}]'{hint}")


_EXTRA_HINTS: Final = {"sat": "python-sat on PyPI, not pysat"}


@contextmanager
def require_extra(extra: str, what: str) -> Iterator[None]:
    """Around an import: MissingExtra if the package is missing, or another package has taken its name."""
    try:
        yield
    except ImportError as error:
        raise MissingExtra(extra, what) from error
