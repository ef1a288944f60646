"""SetsetError and its subclasses. The message of each error names in one line the fault and the next command."""

import errno
import operator
import os
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

NO_SPACE = frozenset(getattr(errno, name) for name in ("ENOSPC", "EDQUOT", "EFBIG") if hasattr(errno, name))
"""Values of `errno` that mean a full disk, an exhausted quota or a reached file size limit."""
_NO_SPACE_ON_WINDOWS = (39, 112, 1295)
"""Error numbers of Windows with the meanings of `NO_SPACE`: ERROR_HANDLE_DISK_FULL, ERROR_DISK_FULL,
ERROR_DISK_QUOTA_EXCEEDED. For some of these numbers Python sets `errno` to EINVAL."""


def is_no_space(error: OSError) -> bool:
    """Whether an error means a full disk, an exhausted quota or a reached file size limit."""
    return error.errno in NO_SPACE or getattr(error, "winerror", None) in _NO_SPACE_ON_WINDOWS


class SetsetError(Exception):
    """Base class of all errors of setset. `cli.main` prints the message as one line and exits with `exit_code`."""

    exit_code = 1


class BadInput(SetsetError):
    """An argument or option has an invalid value. Nothing was changed."""

    exit_code = 2


class NotStored(BadInput):
    """The workspace stores no lists of the requested size."""


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
    """The folder has no database, so it is not a workspace."""

    exit_code = 10


class Locked(SetsetError):
    """Another process has the lock of the workspace."""

    exit_code = 11


class NoSpace(SetsetError):
    """A disk is full, or a quota or file size limit is reached."""

    exit_code = 12


class InTheWay(SetsetError):
    """A file or folder cannot be written, because its path is too long or belongs to something else."""


def in_the_way(path: Path) -> str:
    """Makes the message for an obstacle: a file or folder at a path that setset needs for something else."""
    return f"{path} is in the way: move it away"


class ReadOnly(SetsetError):
    """The workspace or a storage root cannot be written to."""


class ChangedMeanwhile(SetsetError):
    """Another command changed the lists of a size while this command was reading them."""

    def __init__(self, size: int) -> None:
        super().__init__(size)
        self.size = size

    def __str__(self) -> str:
        return f"another command changed size {self.size} meanwhile: run the same command again"


class Interrupted(SetsetError):
    """A signal stopped the run. The database has recorded all finished work."""

    def __init__(self, signal_number: int, message: str) -> None:
        super().__init__(message)
        self.exit_code = 128 + signal_number


class MissingExtra(SetsetError):
    """A package of an optional extra is not installed.

    Args:
        extra: the name of the extra, as in `pip install 'setset[sat]'`.
        feature: the feature that needs the extra, such as "the SAT solver".
    """

    exit_code = 14

    def __init__(self, extra: str, feature: str) -> None:
        self.extra, self.feature = extra, feature
        hint = f" ({_EXTRA_HINTS[extra]})" if extra in _EXTRA_HINTS else ""
        super().__init__(f"{feature} needs an extra: pip install 'setset[{extra}]'{hint}")


_EXTRA_HINTS: Final = {"sat": "the package on PyPI is python-sat, not pysat"}


@contextmanager
def require_extra(extra: str, feature: str) -> Iterator[None]:
    """Raises MissingExtra if an import in the block fails, because a package is missing or another package has its
    name."""
    try:
        yield
    except ImportError as error:
        raise MissingExtra(extra, feature) from error
