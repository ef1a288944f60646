"""The one door to python-sat, which is an extra."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from setset.errors import SetsetError


class MissingExtra(SetsetError):
    """python-sat is not installed."""

    def __init__(self) -> None:
        super().__init__(
            "the SAT solver is an extra: pip install 'setset[sat]' (python-sat on PyPI, not pysat)"
        )


@contextmanager
def needs_extra() -> Iterator[None]:
    """Around an import of PySAT: says what to install if it is missing, or another package has its name."""
    try:
        yield
    except ImportError as error:
        raise MissingExtra from error
