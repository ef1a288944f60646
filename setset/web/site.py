"""Data that all pages share: the workspace, which may not be there, and limits on what visitors ask for."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import setset
from setset.show.commands import set_workspace
from setset.web.whole import Pace

SECONDS: Final = 5.0
"""Time limit of whatever a page asks of the database."""
BUSY: Final = "other queries are being answered: try again"


class Site:
    """The data behind the pages. Every request opens the workspace anew, so it sees a replaced workspace.

    Args:
        folder: The workspace.
        hosts: Names under which requests may ask for the page.
        token: Word that a visitor must know, if any.
    """

    def __init__(self, folder: Path, hosts: frozenset[str], token: str | None = None) -> None:
        self.folder, self.hosts, self.token = folder, hosts, token
        set_workspace(folder)  # for the commands that pages name
        self._queries, self._asked = threading.Semaphore(2), threading.Semaphore(10)
        self.drawing = threading.Lock()
        self.pace = Pace()
        self.is_static = False
        """Whether the pages become files, which no server answers for."""
        self.ending = threading.Event()
        """Set when the server ends: then nothing looks for changes any more."""

    @contextmanager
    def workspace(self) -> Iterator[setset.Workspace]:
        """The workspace, to read from a copy, so that no commit waits for a query; NotAWorkspace if there is none."""
        with setset.reading_copies(), setset.open(self.folder, time_limit=SECONDS) as opened:
            yield opened

    @contextmanager
    def query_slot(self) -> Iterator[None]:
        """Lets two queries of visitors run at a time, so that they cannot take all memory. Few may wait, since each
        takes a thread from all other pages."""
        if not self._asked.acquire(blocking=False):
            raise setset.Locked(BUSY)
        try:
            if not self._queries.acquire(timeout=SECONDS):
                raise setset.Locked(BUSY)
            try:
                yield
            finally:
                self._queries.release()
        finally:
            self._asked.release()

    def warm_up(self) -> None:
        """Loads the compiled code that hands are identified with. The classes need none, and who asks meanwhile does
        not wait for it."""
        hand = setset.unrank(12, 0)
        for _ in range(20):
            setset.rank(setset.classify(hand).cards)
