"""What long commands tell whoever is listening. Nothing flows back."""

from __future__ import annotations

import enum
from typing import Protocol


class Activity(enum.StrEnum):
    """What is being done to a size."""

    STORE = "store"
    COUNT = "count"
    COMPACT = "compact"
    CHECK = "check"
    COMPARE = "compare"
    REBUILD = "rebuild"
    EXPORT = "export"
    REMOVE = "remove"


class ProgressListener(Protocol):
    """Hears of the progress of a run, a check, a repair.

    Example:
        >>> class Printer(setset.NoProgress):
        ...     def begin(self, size, activity, tasks, lists_in):
        ...         print(f"{activity} {size}: {tasks} batches")
        >>> list(setset.open(example).check(size=3, progress=Printer()))
        check 3: 1 batches
        []
    """

    def begin(self, size: int, activity: Activity, tasks: int, lists_in: int) -> None:
        """Work on a size starts: so many tasks are due, whose sources hold so many lists."""

    def advance(self, lists_in: int, lists_out: int) -> None:
        """One of the tasks is done and recorded."""

    def notice(self, text: str) -> None:
        """Something that a person should know."""

    def end(self) -> None:
        """Work on the size is over."""


class NoProgress:
    """For work that nobody listens to."""

    def begin(self, size: int, activity: Activity, tasks: int, lists_in: int) -> None: ...

    def advance(self, lists_in: int, lists_out: int) -> None: ...

    def notice(self, text: str) -> None: ...

    def end(self) -> None: ...
