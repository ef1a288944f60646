"""Data that all pages share: the workspace, which may be missing, and limits for visitors."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import setset
from setset.show.commands import set_workspace
from setset.web.whole import Pace

SECONDS: Final = 5.0
"""Time limit in seconds for an SQL query of a visitor."""
BUSY: Final = "other queries are being answered: try again"


class Site:
    """Data that all pages share. Every request opens the workspace again, so the server notices a replaced workspace.

    Args:
        folder: The workspace.
        hosts: Host names that requests may use.
        token: Secret that a visitor must present; None if there is none.
    """

    def __init__(self, folder: Path, hosts: frozenset[str], token: str | None = None) -> None:
        self.folder, self.hosts, self.token = folder, hosts, token
        set_workspace(folder)  # for the commands that pages show
        self._queries, self._asked = threading.Semaphore(2), threading.Semaphore(10)
        self.drawing = threading.Lock()
        self.pace = Pace()
        self.is_static = False
        """Whether the pages are files of a static site."""
        self.ending = threading.Event()
        """Event that is set when the server ends, so that the thread of the live updates stops."""

    @contextmanager
    def workspace(self) -> Iterator[setset.Workspace]:
        """Opens the workspace. Raises NotAWorkspace if there is none. Queries read a copy of the database, so that no
        commit of a run waits."""
        with setset.reading_copies(), setset.open(self.folder, time_limit=SECONDS) as opened:
            yield opened

    @contextmanager
    def query_slot(self) -> Iterator[None]:
        """Waits for a free slot and holds it during the block. At most two queries of visitors run at a time, so that
        queries cannot use all memory. Only a few may wait, because a waiting query takes a thread from other pages."""
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
        """Loads the compiled code that identifies hands. Runs in the background, so that no request waits for it."""
        hand = setset.unrank(12, 0)
        for _ in range(20):
            setset.rank(setset.classify(hand).cards)
