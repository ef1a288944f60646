"""What the job manager tells whoever is looking. `show` draws it; nothing flows back."""

from __future__ import annotations

from typing import Protocol


class Watcher(Protocol):
    def begin(self, size: int, what: str, jobs: int, lists_in: int) -> None:
        """Work on a size starts: so many jobs are due, whose sources hold so many lists."""

    def advance(self, lists_in: int, lists_out: int) -> None:
        """One of the jobs is done and recorded."""

    def notice(self, text: str) -> None:
        """Something that a person should know."""

    def end(self) -> None:
        """Work on the size is over."""


class Unwatched:
    """For runs that nobody looks at."""

    def begin(self, size: int, what: str, jobs: int, lists_in: int) -> None: ...

    def advance(self, lists_in: int, lists_out: int) -> None: ...

    def notice(self, text: str) -> None: ...

    def end(self) -> None: ...
