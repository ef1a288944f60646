"""Listeners for the progress of long commands."""

import enum
import logging
from typing import Protocol


class Activity(enum.StrEnum):
    """Kind of work on a size."""

    STORE = "store"
    COUNT = "count"
    COMPACT = "compact"
    CHECK = "check"
    COMPARE = "compare"
    REBUILD = "rebuild"
    EXPORT = "export"
    STATISTICS = "statistics"
    REMOVE = "remove"


class ProgressListener(Protocol):
    """Receives the progress of a run, a check or a repair.

    Example:
        >>> class Printer(setset.NoProgress):
        ...     def begin(self, size, activity, tasks, lists_in):
        ...         print(f"{activity} {size}: {tasks} batches")
        >>> list(setset.open(example).check(size=3, progress=Printer()))
        check 3: 1 batches
        []
    """

    def begin(self, size: int, activity: Activity, tasks: int, lists_in: int) -> None:
        """Work on a size starts. `tasks` is the number of tasks, `lists_in` the number of lists in their sources.

        Another size may still be under way, because a run interrupts its work to repair a corrupted source.
        """

    def advance(self, size: int, lists_in: int, lists_out: int) -> None:
        """A task of a size is done and its result recorded."""

    def notice(self, text: str) -> None:
        """A message for the user."""

    def waiting(self, text: str) -> None:
        """The command waits, perhaps forever. Show the message even if the user has turned progress off."""

    def end(self, size: int) -> None:
        """Work on a size is over."""


class NoProgress:
    """A listener that ignores all progress."""

    def begin(self, size: int, activity: Activity, tasks: int, lists_in: int) -> None: ...

    def advance(self, size: int, lists_in: int, lists_out: int) -> None: ...

    def notice(self, text: str) -> None: ...

    def waiting(self, text: str) -> None:
        self.notice(text)

    def end(self, size: int) -> None: ...


class LoggedNotices(NoProgress):
    """Default listener in Python programs. Logs notices, such as on the first compilation, to the logger `setset`."""

    def notice(self, text: str) -> None:
        logging.getLogger("setset").warning(text)
