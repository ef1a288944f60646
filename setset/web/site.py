"""What all pages share: the workspace, which may not be there, and what takes long the first time."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import setset

SECONDS: Final = 5.0
"""How long anything that a page asks of the database may take."""


@dataclass(frozen=True)
class Settings:
    """What a page is started with."""

    workspace: Path
    hosts: frozenset[str]
    """The names under which requests may ask for it."""
    token: str | None = None
    """What a visitor must know; None if nothing."""


class Site:
    """The data behind the pages. Every request opens the workspace anew, so that one that is replaced is seen."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._queries = threading.Semaphore(2)
        self.ending = threading.Event()
        """Set when the server ends: live pages end too."""

    @contextmanager
    def workspace(self) -> Iterator[setset.Workspace]:
        """The workspace, to read, without a lock that a commit could meet; NotAWorkspace if there is none."""
        with (
            setset.reading_copies(),
            setset.open(self.settings.workspace, time_limit=SECONDS) as opened,
        ):
            yield opened

    @contextmanager
    def query_slot(self) -> Iterator[None]:
        """Only a few queries of visitors at a time, so that they cannot take all memory."""
        if not self._queries.acquire(timeout=SECONDS):
            raise setset.Locked("other queries are being answered: try again")
        try:
            yield
        finally:
            self._queries.release()

    def warm_up(self) -> None:
        """Loads the compiled code that hands are identified with. The classes need none, and who asks meanwhile does
        not wait for it."""
        hand = setset.unrank(12, 0)
        for _ in range(20):
            setset.rank(setset.classify(hand).cards)
