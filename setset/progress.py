"""Progress of long commands, as they report it to a listener. Nothing flows back."""

import enum
from typing import Protocol


class Activity(enum.StrEnum):
    """Activity on a size."""

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
        """Work on a size starts: this many tasks are due, whose sources hold this many lists.

        Another size may be under way: a source that is found damaged is made again meanwhile.
        """

    def advance(self, size: int, lists_in: int, lists_out: int) -> None:
        """One of the tasks of a size is done and recorded."""

    def notice(self, text: str) -> None:
        """Something that a person should know."""

    def waiting(self, text: str) -> None:
        """The command waits for something, perhaps for ever: a person should know, also one who wants no progress."""

    def end(self, size: int) -> None:
        """Work on a size is over."""


class NoProgress:
    """For work that nobody listens to."""

    def begin(self, size: int, activity: Activity, tasks: int, lists_in: int) -> None: ...

    def advance(self, size: int, lists_in: int, lists_out: int) -> None: ...

    def notice(self, text: str) -> None: ...

    def waiting(self, text: str) -> None:
        self.notice(text)

    def end(self, size: int) -> None: ...
