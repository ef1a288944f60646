"""Progress listeners: objects that a long command calls to report its progress."""

import enum
import logging
from typing import Protocol


class Activity(enum.StrEnum):
    """Kind of work that a command does on a size."""

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
    """Interface of a listener, which a run, a check or a repair calls to report progress.

    Example:
        >>> class Printer(setset.NoProgress):
        ...     def begin(self, size, activity, tasks, lists_in):
        ...         print(f"{activity} {size}: {tasks} batches")
        >>> list(setset.open(example).check(size=3, progress=Printer()))
        check 3: 1 batches
        []
    """

    def begin(self, size: int, activity: Activity, tasks: int, lists_in: int) -> None:
        """Called when work on a size begins. `tasks` is the number of tasks, `lists_in` the number of lists in their
        sources.

        A run may begin work on a second size before work on the first size ends, to make a corrupted source again.
        """

    def advance(self, size: int, lists_in: int, lists_out: int) -> None:
        """Called when a task is done and recorded. The task read `lists_in` lists, and made or counted `lists_out`."""

    def notice(self, text: str) -> None:
        """Called with a message for the user."""

    def waiting(self, text: str) -> None:
        """Called with a message when the command waits, perhaps forever. A listener should show this message even if
        progress is turned off."""

    def end(self, size: int) -> None:
        """Called when work on a size ends."""


class NoProgress:
    """A listener that ignores all progress. A base class for listeners that need only some methods."""

    def begin(self, size: int, activity: Activity, tasks: int, lists_in: int) -> None: ...

    def advance(self, size: int, lists_in: int, lists_out: int) -> None: ...

    def notice(self, text: str) -> None: ...

    def waiting(self, text: str) -> None:
        self.notice(text)

    def end(self, size: int) -> None: ...


class LoggedNotices(NoProgress):
    """Default listener in Python programs. Sends messages, such as about the first compilation, to the logger
    `setset`."""

    def notice(self, text: str) -> None:
        logging.getLogger("setset").warning(text)
